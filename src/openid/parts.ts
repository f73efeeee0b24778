// The parts of the OpenID half. `server/` opens them, and provider, sign-in pages and account pages share them.

import type { Settings } from '#config/settings.ts';
import type { AuditTrail } from '#shared/audit/events.ts';
import type { SecretHashing } from '#shared/crypto/secret-hash.ts';
import type { Logger } from '#shared/log/log.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import type { ActionTokens } from '#store/accounts/action-tokens.ts';
import type { AccountDeletion } from '#store/accounts/delete-account.ts';
import type { Passkeys } from '#store/accounts/factors/passkeys.ts';
import type { SecondFactors } from '#store/accounts/factors/second-factors.ts';
import type { SignInLimiters } from '#store/accounts/failed-sign-ins.ts';
import type { AccountLinks } from '#store/accounts/links/account-links.ts';
import type { ServedEdition } from '#store/accounts/links/links-in-force.ts';
import type { Pictures } from '#store/accounts/pictures.ts';
import type { SeenDevices } from '#store/accounts/seen-devices.ts';
import type { AccountActivity } from '#store/audit/account-activity.ts';
import type { AuditEvents } from '#store/audit/audit-events.ts';
import type { Consents } from '#store/oidc/consents.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import type { EndedSession } from '#store/outbox/logout-deliveries.ts';
import type { NewMail, ResetRequest } from '#store/outbox/mail-queue.ts';
import type { LabelInDirectory } from '#web/forms/workspace-list.ts';
import type { Site } from '#web/site.ts';
import type { ClientRegistry } from './clients/client-registry.ts';
import type { NamesInDirectory } from './tokens/claims.ts';

export interface Parts {
  site: Site;
  settings: Settings;
  log: Logger;
  audit: AuditTrail;
  clients: ClientRegistry;
  hashing: SecretHashing;

  records: OidcRecords;
  consents: Consents;
  accounts: Accounts;
  secondFactors: SecondFactors;
  passkeys: Passkeys;
  links: Pick<AccountLinks, 'relink'>;
  pictures: Pictures;
  accountDeletion: Pick<AccountDeletion, 'request'>;
  actionTokens: ActionTokens;
  signInLimiters: SignInLimiters;
  seenDevices: SeenDevices;
  activity: AccountActivity;
  auditEvents: Pick<AuditEvents, 'search'>;

  /** The edition of the directory that is served now. The next call may return another edition. */
  edition(): ServedEdition;
  namesInDirectory: NamesInDirectory;
  labelInDirectory: LabelInDirectory;

  mails: {
    /** Queues a mail. If no mail can be sent (`Site.mailAvailable`), pages offer no action that needs one. */
    enqueue(mail: NewMail): Promise<boolean>;
    /** Queues a request for a new password, whether or not an account has that login. Returns false if too many requests wait. */
    requestReset(request: Omit<ResetRequest, 'sealed'> & { address: string }): Promise<boolean>;
  };
  /** Queues the notification of a client about an ended session. It is sent later. */
  loggedOut(ended: EndedSession): Promise<void>;
  /** Checks whether everybody shares the account with this id or login. A visitor who changed it would lock out all others. */
  isShared(idOrLogin: string): boolean;
}
