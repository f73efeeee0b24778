// Opens the stores of the service, one for each family of tables, and starts the upkeep of SQLite's file.

import type { Settings } from '#config/settings.ts';
import type { Encryption } from '#shared/crypto/encryption.ts';
import type { Logger } from '#shared/log/log.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openActionTokens } from '#store/accounts/action-tokens.ts';
import { openAccountDeletion } from '#store/accounts/delete-account.ts';
import { openPasskeys } from '#store/accounts/factors/passkeys.ts';
import { openSecondFactors } from '#store/accounts/factors/second-factors.ts';
import { openSignInLimiters } from '#store/accounts/failed-sign-ins.ts';
import { openAccountLinks } from '#store/accounts/links/account-links.ts';
import { openPageSessions } from '#store/accounts/page-sessions.ts';
import { openPictures } from '#store/accounts/pictures.ts';
import { openSeenDevices } from '#store/accounts/seen-devices.ts';
import { openAccountActivity } from '#store/audit/account-records.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import type { Database } from '#store/database/connection.ts';
import { watchDataVersion } from '#store/database/data-version.ts';
import { openPageRelease, startCheckpoints } from '#store/database/sqlite-upkeep.ts';
import { openConsents } from '#store/oidc/consents.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { openLogoutDeliveries } from '#store/outbox/logout-deliveries.ts';
import { openMailQueue } from '#store/outbox/mail-queue.ts';
import type { Closers } from './process/closers.ts';
import { keepConsents, keepFactors } from './start/fictional-people.ts';

interface StoresOptions {
  database: Database;
  settings: Pick<Settings, 'database' | 'keys' | 'lifetimes' | 'limits'>;
  log: Pick<Logger, 'warn'>;
  /** Encrypts the secrets of second factors. */
  encryption: Encryption;
  isShared(idOrLogin: string): boolean;
}

export type Stores = Awaited<ReturnType<typeof openStores>>;

export async function openStores(options: StoresOptions, closers: Closers) {
  const { database, settings, encryption, isShared } = options;
  const dataVersion =
    settings.database.engine === 'sqlite'
      ? followFile(database, settings.database.file, options.log, closers)
      : undefined;
  return {
    records: openOidcRecords(database, dataVersion),
    consents: keepConsents(openConsents(database), isShared),
    accounts: openAccounts(database),
    links: openAccountLinks(database),
    pictures: await openPictures(database),
    accountDeletion: openAccountDeletion(database),
    secondFactors: keepFactors(openSecondFactors(database, encryption), isShared),
    passkeys: openPasskeys(database),
    seenDevices: openSeenDevices(database),
    actionTokens: openActionTokens(database, settings.lifetimes),
    signInLimiters: openSignInLimiters(database, settings.limits),
    /** Opens a store for sessions. The sign-in pages and the account pages have a store each. */
    pageSessions: () => openPageSessions(database),
    auditEvents: openAuditEvents(database, settings.keys.secrets),
    activity: openAccountActivity(database),
    mailQueue: openMailQueue(database),
    logoutDeliveries: openLogoutDeliveries(database),
    /** Returns free pages of SQLite's file to the disk, at most as many as the argument says. */
    releasePages: openPageRelease(database),
  };
}

/** Starts the checkpoints of SQLite's file. Returns the watch on the file's data version, a number that changes with each commit. */
function followFile(database: Database, file: string, log: Pick<Logger, 'warn'>, closers: Closers) {
  const checkpoints = startCheckpoints(database, file, (err) =>
    log.warn({ err }, 'the thread of the checkpoints ended: requests wait for the disk now'),
  );
  closers.add(checkpoints.stop);
  const dataVersion = watchDataVersion(file);
  closers.add(dataVersion.close);
  return dataVersion;
}
