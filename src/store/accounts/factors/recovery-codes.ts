// The table of recovery codes: each stands in once for whatever second factor an account has, and they go with the last of those.

import { newRecoveryCodes, recoveryCodeDigest } from '#shared/crypto/recovery-codes.ts';
import type { Database } from '#store/database/connection.ts';

/** New codes in place of those before: the only time that they can be had. */
export async function replaceRecoveryCodes(transaction: Database, accountId: string): Promise<string[]> {
  const codes = newRecoveryCodes();
  await transaction('recovery_codes').where({ account_id: accountId }).delete();
  const rows = codes.map((code) => ({ account_id: accountId, digest: recoveryCodeDigest(accountId, code) }));
  await transaction('recovery_codes').insert(rows);
  return codes;
}

/** How many are left. */
export async function countRecoveryCodes(database: Database, accountId: string): Promise<number> {
  const left = await database('recovery_codes').where({ account_id: accountId }).count({ n: '*' }).first();
  return Number(left?.['n'] ?? 0);
}

/** Is called when a second factor was removed: without another one there is nothing to stand in for. */
export async function dropUselessRecoveryCodes(transaction: Database, accountId: string): Promise<void> {
  const others = await Promise.all(
    ['second_factors', 'passkeys'].map((table) =>
      transaction(table).where({ account_id: accountId }).first('account_id'),
    ),
  );
  if (others.every((row) => row === undefined))
    await transaction('recovery_codes').where({ account_id: accountId }).delete();
}
