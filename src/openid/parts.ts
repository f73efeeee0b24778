// The parts that the provider, the sign-in pages and the account pages share. `server/` opens them.

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
import type { AccountActivity } from '#store/audit/account-records.ts';
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

  /** Returns the edition of the directory that is served now. A later call may return another edition. */
  edition(): ServedEdition;
  namesInDirectory: NamesInDirectory;
  labelInDirectory: LabelInDirectory;

  mails: {
    /**
     * Queues a mail. Returns false if the account has had as many mails of this kind as it may have. Pages offer an action that needs a
     * mail only if mails can be sent (`Site.mailAvailable`).
     */
    enqueue(mail: NewMail): Promise<boolean>;
    /** Queues a request for a new password, whether or not an account has the requested login. Returns false if too many requests wait. */
    requestReset(request: Omit<ResetRequest, 'sealed'> & { address: string }): Promise<boolean>;
  };
  /** Queues the notification of a client about an ended session. The notification is sent later. */
  loggedOut(ended: EndedSession): Promise<void>;
  /**
   * Checks whether the account with this id or login is shared by all visitors. A shared account must not be changed, because the change
   * would lock out the other visitors.
   */
  isShared(idOrLogin: string): boolean;
}
