// Locks one account for the rest of a transaction: who changes or deletes it meanwhile waits.

import type { Database } from '#store/database/connection.ts';

/**
 * To be called first in a transaction that changes what hangs on an account: whoever locks the account later than its rows would wait for
 * one who deletes it, and that one for them. Undefined when there is no such account.
 */
export async function lockAccount(
  transaction: Database,
  id: string,
): Promise<{ password_hash: string | null } | undefined> {
  const account = transaction('accounts').where({ id });
  // SQLite has one writer at a time, but gives a transaction that began by reading up when another process writes before it does.
  if (transaction.client.config.client !== 'pg') await account.clone().update({ id });
  return account.forUpdate().first('password_hash');
}
