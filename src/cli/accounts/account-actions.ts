// What the command `accounts` does to people's accounts, sessions and pauses; each action is recorded in the audit trail.

import type { Settings } from '../../config/settings.ts';
import { enqueueNotice } from '../../mail/notices.ts';
import { describeSession } from '../../oidc/sessions/sessions-of-account.ts';
import { operator, recordByOperator } from '../../server/audit/operator-audit.ts';
import { compareNow } from '../../server/linked-accounts/linked-accounts.ts';
import { sendsMail } from '../../server/open-mail.ts';
import type { AuditEvent, AuditEventName } from '../../shared/audit/events.ts';
import { createEncryption } from '../../shared/crypto/encryption.ts';
import { endPause, pausedUntil } from '../../signin/throttle.ts';
import type { Account } from '../../store/accounts/account-row.ts';
import { openAccounts } from '../../store/accounts/accounts.ts';
import { openActionTokens } from '../../store/accounts/action-tokens.ts';
import { openAccountDeletion } from '../../store/accounts/delete-account.ts';
import { openPasskeys } from '../../store/accounts/factors/passkeys.ts';
import { openSecondFactors } from '../../store/accounts/factors/second-factors.ts';
import { openAccountLinks } from '../../store/accounts/links/account-links.ts';
import type { Reference } from '../../store/accounts/links/link-changes.ts';
import { openSignInLimiters } from '../../store/accounts/sign-in-limiters.ts';
import type { Database } from '../../store/database/connection.ts';
import { type NewMail, openMailQueue } from '../../store/mail/mail-queue.ts';
import { openConsents } from '../../store/oidc/consents.ts';
import { openOidcRecords } from '../../store/oidc/oidc-records.ts';
import { revokeConsent } from '../../store/oidc/revoke-consent.ts';
import { editionInForce, missingInDirectory, type References, recordTexts } from './directory-references.ts';

/** Printed beside the result where a pause has ended with it. */
export const UNLOCKED = ' The pause after failed sign-ins has ended.';

/** The people of a migrated database: their accounts, sessions, consents, second factors and pauses. */
export type People = ReturnType<typeof openPeople>;

export function openPeople(
  database: Database,
  settings: Pick<Settings, 'limits' | 'dataFolder' | 'keys' | 'secondFactor' | 'lifetimes' | 'mail' | 'mode'>,
) {
  const secondFactors = openSecondFactors(database, createEncryption(settings.keys.secrets));
  const signInLimiters = openSignInLimiters(database, settings.limits);
  const passkeys = openPasskeys(database);
  const consents = openConsents(database);
  const links = openAccountLinks(database);
  const accounts = openAccounts(database);
  const mails = openMailQueue(database);
  const actionTokens = openActionTokens(database, settings.lifetimes);
  // The service sends what is put into the queue; where nothing would, nothing is.
  const enqueue = async (mail: NewMail) => sendsMail(settings) && (await mails.enqueue(mail));
  const record = async (event: AuditEventName, account?: string, details?: AuditEvent['details'], to?: string) => {
    await recordByOperator(database, settings.keys, [{ event, account, details }]);
    await enqueueNotice(
      { event, account, details, actor: operator() },
      {
        enqueue,
        addressOf: async (id) => to ?? (await accounts.find(id))?.email,
      },
    );
  };
  return {
    ...accounts,
    /** Records in the audit trail what was done; of critical changes the person is told by mail, at `to` where the account is gone. */
    record,
    /** Whether mails are sent, or in development kept in the outbox. */
    sendsMail: sendsMail(settings),
    /** Puts an invitation into the queue of mails, and records it; false where there were too many today. */
    invite: async ({ id }: Pick<Account, 'id'>): Promise<boolean> => {
      const invited = await enqueue({ kind: 'invitation', accountId: id });
      if (invited) await record('account.invited', id);
      return invited;
    },
    /** Ids of those who have been sent an invitation that is still good, or will be. */
    invited: async () =>
      new Set([...(await actionTokens.held('invitation')), ...(await mails.waitingFor('invitation'))]),
    consentsOf: consents.list,
    /** Revokes what a person allowed an application, with all it holds; records it and returns whether there was anything. */
    revokeConsent: async (accountId: string, clientId: string): Promise<boolean> => {
      if (!(await revokeConsent(consents, openOidcRecords(database), accountId, clientId))) return false;
      await recordByOperator(database, settings.keys, [
        { event: 'consent.withdrawn', account: accountId, client: clientId },
      ]);
      return true;
    },
    deleteAccount: openAccountDeletion(database).remove,
    /** The sessions in which the person is signed in, the last sign-in first. */
    sessionsOf: async (accountId: string) => {
      const sessions = await openOidcRecords(database).liveSessionsOf(accountId);
      return sessions.map((session) => describeSession(session, settings.lifetimes)).reverse();
    },
    secondFactorOf: secondFactors.find,
    removeSecondFactor: secondFactors.remove,
    passkeysOf: passkeys.list,
    removePasskeys: passkeys.removeLost,
    /** Whether everybody has to have one. */
    secondFactorRequired: settings.secondFactor === 'required',
    /** Second until which an account has to wait after wrong passwords or codes. */
    pausedUntil: (account: Pick<Account, 'id' | 'email'>) => pausedUntil(signInLimiters, account),
    /** Ends that pause, and records it; returns whether there was one. Failures that were too few for one are forgotten, too. */
    unlock: async (account: Pick<Account, 'id' | 'email'>): Promise<boolean> => {
      const paused = (await pausedUntil(signInLimiters, account)) !== undefined;
      await endPause(signInLimiters, account);
      if (paused) await record('account.unlocked', account.id);
      return paused;
    },
    /** Which of these the directory does not hold: as `Practitioner/999`. None while no directory is loaded. */
    missingInDirectory: (references: References) => missingInDirectory(database, settings, references),
    /** Who stands under these ids, in words. None while no directory is loaded. */
    recordTexts: (references: readonly Reference[]) => recordTexts(database, settings, references),
    relink: links.relink,
    /** Accounts that may sign in and of which a link does not hold, in some edition. */
    changedLinks: links.changed,
    editionInForce: () => editionInForce(database),
    /** Compares what these accounts are linked to with the edition in force. */
    compareNow: (ids: readonly string[]) => compareNow(database, settings, operator(), ids),
  };
}
