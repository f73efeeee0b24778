// Deletes an account: the person requests the deletion, and an operator performs it. Two things stay: the account's UUID, which nobody else
// ever gets, and its records in the audit trail.

import { lockAccount } from '#store/accounts/account-row.ts';
import { batches, type Database, epochSeconds } from '#store/database/connection.ts';
import { endSessions } from './end-sessions.ts';

export type AccountDeletion = ReturnType<typeof openAccountDeletion>;

/** Opens the deletion of accounts in a database. */
export function openAccountDeletion(database: Database) {
  return {
    /** Records that the person requests the deletion, or withdraws the request. Returns false if nothing changed. */
    request: async (id: string, wanted: boolean): Promise<boolean> => {
      const one = database('accounts').where({ id });
      const changed = wanted
        ? await one.whereNull('deletion_requested_at').update({ deletion_requested_at: epochSeconds() })
        : await one.whereNotNull('deletion_requested_at').update({ deletion_requested_at: null });
      return changed > 0;
    },
    /**
     * Deletes an account with its sessions, tokens, consents and all rows that depend on its row (`on delete cascade`): all or nothing.
     * Queues logout tokens for its applications. Deletes its waiting mails with a link. A waiting notice is still sent, because it may be
     * the only warning that somebody took the account over. Returns false if there is no such account.
     */
    remove: (id: string): Promise<boolean> =>
      database.transaction(async (transaction) => {
        if ((await lockAccount(transaction, id)) === undefined) return false;
        await endSessions(transaction, [id]);
        await transaction('accounts').where({ id }).delete();
        const mails = transaction('mail_queue').where({ account_id: id });
        await mails.where((row) => row.whereNot({ kind: 'notice' }).orWhereNull('due_at')).delete();
        await transaction('deleted_accounts').insert({ id, deleted_at: epochSeconds() });
        return true;
      }),
  };
}

/** Returns the UUIDs in `ids` that belonged to deleted accounts. */
export async function deletedAmong(database: Database, ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const some of batches(ids)) {
    found.push(...(await database('deleted_accounts').whereIn('id', some).pluck('id')));
  }
  return found;
}
