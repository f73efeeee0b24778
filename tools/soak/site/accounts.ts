// The people who sign in during a soak: each is linked to somebody of the first edition.

import { hashSecret } from '#shared/crypto/secret-hash.ts';
import type { Editions } from './editions.ts';

export interface AccountOfSoak {
  login: string;
  password: string;
}

const PASSWORD = 'a-password-of-the-soak-that-opens-nothing';

/** A file for `accounts import`. All have the same password, hashed once at what it costs in production. */
export async function accountsCsv(
  count: number,
  editions: Editions,
): Promise<{ csv: string; accounts: AccountOfSoak[] }> {
  const hash = await hashSecret(PASSWORD);
  const accounts = Array.from({ length: count }, (_, at) => ({
    login: `soak.${at}@clinic.example`,
    password: PASSWORD,
  }));
  const lines = accounts.map(({ login }, at) =>
    [login, 'Soak', `Nummer ${at}`, editions.numbers[at] ?? '', 'true', `"${hash}"`].join(';'),
  );
  return { csv: ['email;given;family;practitioners;emailVerified;passwordHash', ...lines, ''].join('\n'), accounts };
}
