// The people who sign in during a soak: each is linked to a person of the first edition, and some have an authenticator app.

import { hashSecret } from '#shared/crypto/secret-hash.ts';
import { appOf } from '#support/openid/account/person-of-account.ts';
import { createPerson } from '#support/person.ts';
import type { Editions } from '#tools/site/editions.ts';
import { same } from '#tools/soak/load/record.ts';
import type { AppAccount, World } from '#tools/soak/load/world.ts';
import { ISSUER } from './site.ts';

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

/** Lets these people set up an authenticator app at the pages of their own space, before the load begins. */
export async function enrolled(world: World, accounts: readonly AccountOfSoak[]): Promise<AppAccount[]> {
  const done: AppAccount[] = [];
  for (const account of accounts) {
    const browser = world.newBrowser();
    const person = createPerson(ISSUER, browser.fetch);
    const page = await person.press(await person.visit('/account/second-factor'), 'sign-in', { ...account });
    const code = appOf(page);
    const shown = await person.press(page, 'set-up', { code: code() });
    same([shown.status, shown.html.includes('<code>')], [200, true], 'the page with the recovery codes');
    browser.close();
    // The code of now is used, and the next one may be.
    done.push({ ...account, code: () => code(), lastStep: Math.floor(Date.now() / 30_000) + 1 });
  }
  return done;
}
