// The end of an account: asked for by the person, done by an operator. Nothing of it stays but its UUID, which is never given again, and
// its records in the audit trail.

import { lockAccount } from '#store/accounts/account-row.ts';
import { type Database, epochSeconds, ROWS_AT_ONCE } from '#store/database/connection.ts';
import { endSessions } from './end-sessions.ts';

export type AccountDeletion = ReturnType<typeof openAccountDeletion>;

/** Opens what has to do with the deletion of accounts in a database. */
export function openAccountDeletion(database: Database) {
  return {
    /** Notes that the person wants it, or wants it no longer; whether that is new. */
    request: async (id: string, wanted: boolean): Promise<boolean> => {
      const one = database('accounts').where({ id });
      const changed = wanted
        ? await one.whereNull('deletion_requested_at').update({ deletion_requested_at: epochSeconds() })
        : await one.whereNotNull('deletion_requested_at').update({ deletion_requested_at: null });
      return changed > 0;
    },
    /**
     * Deletes an account with its sessions, tokens, consents and all that hangs on its row (`on delete cascade`): all or nothing. Logout
     * tokens to its applications go into the queue. Of its mails those with a link go; a notice that waits is still sent, for it may be
     * the only word that somebody took the account over. Returns whether there was one.
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

/** Those of these UUIDs that a deleted account had. */
export async function deletedAmong(database: Database, ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (let start = 0; start < ids.length; start += ROWS_AT_ONCE) {
    found.push(
      ...(await database('deleted_accounts')
        .whereIn('id', ids.slice(start, start + ROWS_AT_ONCE))
        .pluck('id')),
    );
  }
  return found;
}
