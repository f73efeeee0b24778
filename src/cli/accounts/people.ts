// Reads and changes accounts for the command `accounts`, with their sessions, and with the pauses in which they cannot sign in. A change,
// its audit records and its mails share one transaction, so a command that is killed has made either the whole change or none of it.

import type { Settings } from '#config/settings.ts';
import { enqueueNotice } from '#openid/mail/notices.ts';
import { endPause, pausedUntil } from '#openid/sign-in/throttle.ts';
import type { Snapshot } from '#search-index/index.ts';
import { operator, recordByOperator } from '#server/audit/operator-audit.ts';
import { compareNow } from '#server/linked-accounts/linked-accounts.ts';
import { sendsMail } from '#server/open-mail.ts';
import type { AuditEvent, AuditEventName } from '#shared/audit/events.ts';
import { createEncryption } from '#shared/crypto/encryption.ts';
import { Refusal } from '#shared/operator-messages.ts';
import { type Account, lockAccount } from '#store/accounts/account-row.ts';
import { endAllSessions, openAccounts } from '#store/accounts/accounts.ts';
import { openActionTokens } from '#store/accounts/action-tokens.ts';
import { openAccountDeletion } from '#store/accounts/delete-account.ts';
import { openPasskeys } from '#store/accounts/factors/passkeys.ts';
import { openSecondFactors } from '#store/accounts/factors/second-factors.ts';
import { openSignInLimiters } from '#store/accounts/failed-sign-ins.ts';
import { openAccountLinks } from '#store/accounts/links/account-links.ts';
import type { Database } from '#store/database/connection.ts';
import { openConsents, revokeConsent } from '#store/oidc/consents.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { type NewMail, openMailQueue } from '#store/outbox/mail-queue.ts';
import { readSnapshot } from '#store/snapshots/folder.ts';
import { findCurrentSnapshot } from '#store/snapshots/registry.ts';

/** Sentence that follows the printed result if the change also ended a pause of sign-ins. */
export const UNLOCKED = ' The pause after failed sign-ins has ended.';

type PeopleSettings = Pick<Settings, 'limits' | 'dataFolder' | 'keys' | 'secondFactor' | 'lifetimes' | 'mail' | 'mode'>;

/**
 * The people of a migrated database: their accounts, sessions, consents and second factors, and the pauses in which they cannot sign in.
 */
export type People = ReturnType<typeof openPeople>;

export function openPeople(database: Database, settings: PeopleSettings) {
  const signInLimiters = openSignInLimiters(database, settings.limits);
  const { find, findByEmail, list, endSessions } = openAccounts(database);
  return {
    find,
    findByEmail,
    list,
    /**
     * Runs `work`, which changes the account `id` or creates accounts, in one transaction. The audit records that `work` adds are written
     * when it has ended. If `work` throws, nothing is changed. Throws a `Refusal` if there is no account `id` any more.
     */
    change: <Result>(id: string | undefined, work: (changes: Changes) => Promise<Result>): Promise<Result> =>
      database.transaction(async (transaction) => {
        // The lock is taken even if no account is given, because taking it makes the transaction begin with a write. In SQLite, a
        // transaction that began with a read cannot write any more once another process has written.
        const locked = await lockAccount(transaction, id ?? '');
        if (id !== undefined && !locked) throw new Refusal(`The account ${id} is gone. Nothing was changed.`);
        const events: AuditEvent[] = [];
        const result = await work(openChanges(transaction, settings, events));
        await recordByOperator(transaction, settings.keys, events);
        return result;
      }),
    /**
     * Ends the sessions of everybody, a few accounts at a time. If the command is stopped before all sessions have ended, it can be run
     * again.
     */
    endAllSessions: () => endAllSessions({ list, endSessions }),
    /** True if mails are sent, or kept in the outbox in development. */
    sendsMail: sendsMail(settings),
    /** Ids of the accounts with an invitation that is still valid or waits in the mail queue. */
    invited: async () => {
      const held = await openActionTokens(database, settings.lifetimes).held('invitation');
      return new Set([...held, ...(await openMailQueue(database).waitingFor('invitation'))]);
    },
    consentsOf: openConsents(database).list,
    sessionsOf: openOidcRecords(database).liveSessionsOf,
    lifetimes: settings.lifetimes,
    secondFactorOf: openSecondFactors(database, createEncryption(settings.keys.secrets)).find,
    passkeysOf: openPasskeys(database).list,
    /** True if everybody must have a second factor. */
    secondFactorRequired: settings.secondFactor === 'required',
    /** The time at which an account may try again after wrong passwords or codes, in seconds since 1970. Undefined if it need not wait. */
    pausedUntil: (account: Pick<Account, 'id' | 'email'>) => pausedUntil(signInLimiters, account),
    /**
     * Accounts that may sign in, with at least one link that some edition has made invalid. Such a link may be valid in the current
     * edition, for example after a rollback to an earlier edition.
     */
    changedLinks: openAccountLinks(database).changed,
    editionInForce: () => findCurrentSnapshot(database),
    /**
     * Calls `work` with the current directory. Resolves with undefined before the first import, or if the file of the directory cannot be
     * read on this machine.
     */
    readDirectory: async <Result>(work: (directory: Snapshot) => Promise<Result>): Promise<Result | undefined> =>
      readSnapshot(await findCurrentSnapshot(database), settings.dataFolder, work),
    /** Compares the links of some accounts with the current edition. `ids` are the ids of these accounts. */
    compareNow: (ids: readonly string[]) => compareNow(database, settings, operator(), ids),
  };
}

/** Operations that `work` can use within one transaction of `change`. */
export type Changes = ReturnType<typeof openChanges>;

function openChanges(transaction: Database, settings: PeopleSettings, events: AuditEvent[]) {
  const { create, find, update, setPassword, endSessions } = openAccounts(transaction);
  const mails = openMailQueue(transaction);
  const signInLimiters = openSignInLimiters(transaction, settings.limits);
  // If the service sends no mails, no mail is queued, and `enqueue` returns false.
  const enqueue = async (mail: NewMail) => sendsMail(settings) && (await mails.enqueue(mail));
  const record = async (
    event: AuditEventName,
    account?: string,
    details?: AuditEvent['details'],
    gone?: Pick<Account, 'email' | 'language'>,
  ) => {
    events.push({ event, account, details });
    const addressOf = async (id: string) => (gone ?? (await find(id)))?.email;
    const about = { account, details, language: gone?.language };
    await enqueueNotice({ event, ...about, actor: operator() }, { enqueue, addressOf });
  };
  return {
    create,
    find,
    update,
    setPassword,
    endSessions,
    /**
     * Records the change in the audit trail. A critical change also sends a mail to the person. `gone` is needed if the account has been
     * deleted: it has the address and language for this mail.
     */
    record,
    /**
     * Queues an invitation mail, and records this in the audit trail. Returns false if the account has already got too many invitations
     * today.
     */
    invite: async ({ id }: Pick<Account, 'id'>): Promise<boolean> => {
      const invited = await enqueue({ kind: 'invitation', accountId: id });
      if (invited) await record('account.invited', id);
      return invited;
    },
    /** Invites the people of the accounts that this change has created. There may be thousands, so their mails are queued in one batch. */
    inviteNew: async (people: readonly Pick<Account, 'id'>[]): Promise<void> => {
      await mails.enqueueFirst(people.map(({ id }) => ({ kind: 'invitation', accountId: id })));
      for (const { id } of people) events.push({ event: 'account.invited', account: id });
    },
    /** Revokes the consent to an application with all its tokens, and records the revocation. Returns false if there was no consent. */
    revokeConsent: async (account: string, client: string): Promise<boolean> => {
      const records = openOidcRecords(transaction);
      if (!(await revokeConsent(openConsents(transaction), records, account, client))) return false;
      events.push({ event: 'consent.withdrawn', account, client });
      return true;
    },
    deleteAccount: openAccountDeletion(transaction).remove,
    removeSecondFactor: openSecondFactors(transaction, createEncryption(settings.keys.secrets)).remove,
    removePasskeys: openPasskeys(transaction).removeLost,
    /**
     * Ends the pause after failed sign-ins, and records its end. Returns false if there was no pause. Failed sign-ins that were too few for
     * a pause are forgotten too.
     */
    unlock: async (account: Pick<Account, 'id' | 'email'>): Promise<boolean> => {
      const paused = (await pausedUntil(signInLimiters, account)) !== undefined;
      await endPause(signInLimiters, account);
      if (paused) await record('account.unlocked', account.id);
      return paused;
    },
    relink: openAccountLinks(transaction).relink,
  };
}
