// Reads and changes people's accounts, sessions and pauses for the command `accounts`. A change, its audit records and its mails share one
// transaction: a command that is killed has made all of its change or none of it.

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

/** Printed after the result if the change also ended a pause. */
export const UNLOCKED = ' The pause after failed sign-ins has ended.';

type PeopleSettings = Pick<Settings, 'limits' | 'dataFolder' | 'keys' | 'secondFactor' | 'lifetimes' | 'mail' | 'mode'>;

/** The people of a migrated database: their accounts, sessions, consents, second factors and pauses. */
export type People = ReturnType<typeof openPeople>;

export function openPeople(database: Database, settings: PeopleSettings) {
  const signInLimiters = openSignInLimiters(database, settings.limits);
  const { find, findByEmail, list, endSessions } = openAccounts(database);
  return {
    find,
    findByEmail,
    list,
    /**
     * Changes the account `id`, or creates accounts, in one transaction. The audit records that `work` adds are written at its end. Throws
     * a `Refusal` if the account is gone. If `work` throws, nothing is changed.
     */
    change: <Result>(id: string | undefined, work: (changes: Changes) => Promise<Result>): Promise<Result> =>
      database.transaction(async (transaction) => {
        // The lock is taken even if there is no account, so that the transaction begins by writing. In SQLite, a transaction that began by
        // reading may not write once another process has written.
        const locked = await lockAccount(transaction, id ?? '');
        if (id !== undefined && !locked) throw new Refusal(`The account ${id} is gone. Nothing was changed.`);
        const events: AuditEvent[] = [];
        const result = await work(openChanges(transaction, settings, events));
        await recordByOperator(transaction, settings.keys, events);
        return result;
      }),
    /** Ends the sessions of everybody, a few accounts at a time. A command that was stopped in between can be repeated. */
    endAllSessions: () => endAllSessions({ list, endSessions }),
    /** True if mails are sent, or kept in the outbox in development. */
    sendsMail: sendsMail(settings),
    /** Ids of accounts with an invitation that is still good, or that waits to be sent. */
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
    /** Accounts that may sign in and have a link that does not hold in some edition. */
    changedLinks: openAccountLinks(database).changed,
    editionInForce: () => findCurrentSnapshot(database),
    /** Reads the current directory. Returns undefined before the first import, or if the directory cannot be read here. */
    readDirectory: async <Result>(work: (directory: Snapshot) => Promise<Result>): Promise<Result | undefined> =>
      readSnapshot(await findCurrentSnapshot(database), settings.dataFolder, work),
    /** Compares the links of these accounts with the current edition. */
    compareNow: (ids: readonly string[]) => compareNow(database, settings, operator(), ids),
  };
}

/** Operations that are available within a change. */
export type Changes = ReturnType<typeof openChanges>;

function openChanges(transaction: Database, settings: PeopleSettings, events: AuditEvent[]) {
  const { create, find, update, setPassword, endSessions } = openAccounts(transaction);
  const mails = openMailQueue(transaction);
  const signInLimiters = openSignInLimiters(transaction, settings.limits);
  // If the service sends no mails, none is put into its queue.
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
     * Records the change in the audit trail. Critical changes also send a mail to the person. If the account is deleted, `gone` has its
     * address and language for this mail.
     */
    record,
    /** Queues an invitation mail and records it. Returns false if the account has already got too many invitations today. */
    invite: async ({ id }: Pick<Account, 'id'>): Promise<boolean> => {
      const invited = await enqueue({ kind: 'invitation', accountId: id });
      if (invited) await record('account.invited', id);
      return invited;
    },
    /** Invites the people that this change added, in one batch: there may be thousands. */
    inviteNew: async (people: readonly Pick<Account, 'id'>[]): Promise<void> => {
      await mails.enqueueFirst(people.map(({ id }) => ({ kind: 'invitation', accountId: id })));
      for (const { id } of people) events.push({ event: 'account.invited', account: id });
    },
    /** Revokes the consent to an application with all its tokens, and records that. Returns false if there was no consent. */
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
     * Ends the pause after failed sign-ins and records that. Returns false if there was no pause. Failures that were too few for a pause
     * are forgotten as well.
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
