// What the application needs: everything is open already.

import type { Store } from 'express-session';
import type { Settings } from '#config/settings.ts';
import type { DemoOptions } from '#demo/router.ts';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import type { KeyRing } from '#openid/keys/key-ring.ts';
import type { AuditTrail } from '#shared/audit/events.ts';
import type { Logger } from '#shared/log/log.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import type { ActionTokens } from '#store/accounts/action-tokens.ts';
import type { AccountDeletion } from '#store/accounts/delete-account.ts';
import type { Passkeys } from '#store/accounts/factors/passkeys.ts';
import type { SecondFactors } from '#store/accounts/factors/second-factors.ts';
import type { AccountLinks } from '#store/accounts/links/account-links.ts';
import type { Pictures } from '#store/accounts/pictures.ts';
import type { SeenDevices } from '#store/accounts/seen-devices.ts';
import type { SignInLimiters } from '#store/accounts/sign-in-limiters.ts';
import type { AccountActivity } from '#store/audit/account-activity.ts';
import type { AuditEvents } from '#store/audit/audit-events.ts';
import type { Consents } from '#store/oidc/consents.ts';
import type { EndedSession } from '#store/oidc/logout-deliveries.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import type { CurrentSnapshot } from '#store/snapshots/current-snapshot.ts';
import type { DirectoryUse } from './audit/directory-use.ts';
import type { ReadinessCheck } from './health.ts';
import type { OpenMetrics } from './metrics/open-metrics.ts';
import type { Mails } from './open-mail.ts';
import type { LifeCycle } from './process/life-cycle.ts';
import type { Tracing } from './tracing/tracing.ts';

export interface AppOptions {
  settings: Settings;
  log: Logger;
  clients: ClientRegistry;
  keys: Pick<KeyRing, 'current' | 'onChange'>;
  records: OidcRecords;
  accounts: Accounts;
  links: Pick<AccountLinks, 'relink'>;
  pictures: Pictures;
  accountDeletion: Pick<AccountDeletion, 'request'>;
  auditEvents: Pick<AuditEvents, 'search'>;
  /** Whether an account, by id or login, is everybody's: of a sandbox. */
  isShared(idOrLogin: string): boolean;
  consents: Consents;
  secondFactors: SecondFactors;
  passkeys: Passkeys;
  signInLimiters: SignInLimiters;
  seenDevices: SeenDevices;
  /** What the audit trail holds of an account, for the person. */
  activity: AccountActivity;
  /** A store for the sessions of the sign-in pages and one for those of the account pages, on the same table. */
  pageSessions: () => Store;
  actionTokens: ActionTokens;
  audit: AuditTrail;
  /** Takes mails; where none can be sent (`Site.mailAvailable`), pages offer nothing that would need one. */
  mails: Pick<Mails, 'enqueue' | 'requestReset' | 'outbox'>;
  /** Takes the end of a session at a client, which is notified later. */
  loggedOut(ended: EndedSession): Promise<void>;
  snapshots: CurrentSnapshot;
  /** Counts the requests that clients make to the directory with tokens of their own. */
  directoryUse: Pick<DirectoryUse, 'count'>;
  /** What readiness depends on. */
  checks: readonly ReadinessCheck[];
  lifeCycle: Readonly<LifeCycle>;
  /** Absent where the settings want none. */
  metrics?: Pick<OpenMetrics, 'metrics' | 'scrape'> | undefined;
  /** Where requests are traced. */
  tracing?: Tracing | undefined;
  /** Present in a demonstration only. */
  demo?: Omit<DemoOptions, 'issuer' | 'failed'>;
}
