// The table of recovery codes. A code stands in once for any second factor of its account. The codes are deleted with the last second
// factor.

import { newRecoveryCodes, recoveryCodeDigest } from '#shared/crypto/recovery-codes.ts';
import { countRows, type Database } from '#store/database/connection.ts';

/** Makes new codes in place of the earlier ones. They are returned only this once. */
export async function replaceRecoveryCodes(transaction: Database, accountId: string): Promise<string[]> {
  const codes = newRecoveryCodes();
  await transaction('recovery_codes').where({ account_id: accountId }).delete();
  const rows = codes.map((code) => ({ account_id: accountId, digest: recoveryCodeDigest(accountId, code) }));
  await transaction('recovery_codes').insert(rows);
  return codes;
}

/** Counts the remaining codes. */
export function countRecoveryCodes(database: Database, accountId: string): Promise<number> {
  return countRows(database('recovery_codes').where({ account_id: accountId }));
}

/**
 * Deletes the recovery codes if the account has no second factor any more that they could replace. Call it after a second factor was
 * removed.
 */
export async function dropUselessRecoveryCodes(transaction: Database, accountId: string): Promise<void> {
  const others = await Promise.all(
    ['second_factors', 'passkeys'].map((table) =>
      transaction(table).where({ account_id: accountId }).first('account_id'),
    ),
  );
  if (others.every((row) => row === undefined))
    await transaction('recovery_codes').where({ account_id: accountId }).delete();
}
