// What the OpenID provider needs of the rest of the service.

import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Settings } from '#config/settings.ts';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import type { CheckSecret } from '#openid/clients/client-secret-check.ts';
import type { ProviderKeys } from '#openid/keys/service-keys.ts';
import type { FindAccountOptions } from '#openid/tokens/find-account.ts';
import type { AuditTrail } from '#shared/audit/events.ts';
import type { Logger } from '#shared/log/log.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import type { SecondFactors } from '#store/accounts/factors/second-factors.ts';
import type { Consents } from '#store/oidc/consents.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import type { EndedSession } from '#store/outbox/logout-deliveries.ts';
import type { Explanation } from './errors/explanations.ts';
import type { CallbackForm } from './responses/form-post-page.ts';

/** Pages of the provider, rendered elsewhere. Each returns a whole HTML document. */
interface ProviderPages {
  error(ctx: KoaContextWithOIDC, explanation: Explanation): string;
  /** `form` is the library's own form, id `op.logoutForm`. */
  logout(ctx: KoaContextWithOIDC, form: string): string;
  signedOut(ctx: KoaContextWithOIDC): string;
  /** For a sign-out of somebody who is not signed in. */
  notSignedIn(ctx: KoaContextWithOIDC): string;
  /** Posts an authorization response to the client's callback by itself. */
  formPost(ctx: KoaContextWithOIDC, form: CallbackForm): string;
}

export interface ProviderOptions extends Pick<FindAccountOptions, 'pictures' | 'namesInDirectory' | 'edition'> {
  audit: AuditTrail;
  /** Whether everybody signs in with an account: no visitor ends the sessions of others. */
  isShared(accountId: string): boolean;
  settings: Settings;
  clients: ClientRegistry;
  keys: ProviderKeys;
  records: OidcRecords;
  accounts: Accounts;
  consents: Consents;
  secondFactors: Pick<SecondFactors, 'kinds'>;
  checkSecret: CheckSecret;
  pages: ProviderPages;
  /** Takes the end of a session at a client, which is notified later. */
  loggedOut(ended: EndedSession): Promise<void>;
  log: Logger;
}
