// Gives an account second factors behind the pages, as they are after they were set up there.

import { createEncryption } from '#shared/crypto/encryption.ts';
import { stepAt, totp } from '#shared/crypto/totp.ts';
import { openPasskeys } from '#store/accounts/factors/passkeys.ts';
import { openSecondFactors } from '#store/accounts/factors/second-factors.ts';
import type { RunningService } from '#support/service.ts';

interface AddedApp {
  recoveryCodes: string[];
  /** What the app shows now. */
  code(): string;
}

/** Adds an authenticator app, and ends the sessions of the account but `keep`. The code on show was not used yet. */
export async function addApp({ database }: RunningService, accountId: string, keep?: string): Promise<AddedApp> {
  const factors = openSecondFactors(database, createEncryption([]));
  const proposal = await factors.propose(accountId);
  const secret = await factors.secretOf(accountId, proposal);
  const code = () => totp(secret, stepAt(Date.now() / 1000));
  const added = await factors.setUp(accountId, proposal, code(), keep);
  await database('second_factors').where({ account_id: accountId }).update({ last_step: 0 });
  return { recoveryCodes: added?.codes ?? [], code };
}

/** Adds a passkey that nobody can use, and ends the sessions of the account but `keep`. */
export async function addPasskey({ database }: RunningService, accountId: string, keep?: string): Promise<void> {
  const key = { credentialId: 'AAAA', userHandle: 'BBBB', publicKey: 'CCCC', counter: 0, transports: [], aaguid: '' };
  await openPasskeys(database).add(accountId, { ...key, synced: true, name: 'Laptop' }, keep);
}

/** Takes all second factors away, and sets the columns of the account back. */
export async function resetAccount({ database }: RunningService, account: Record<string, unknown>): Promise<void> {
  const { id } = account;
  for (const table of ['passkeys', 'second_factors', 'recovery_codes', 'consents'])
    await database(table).where({ account_id: id }).delete();
  await database('accounts').where({ id }).update(account);
}
