// The dependencies of the OpenID provider on the rest of the service.

import type { KoaContextWithOIDC } from 'oidc-provider';
import type { CheckSecret } from '#openid/clients/client-secret-check.ts';
import type { ProviderKeys } from '#openid/keys/service-keys.ts';
import type { Parts } from '#openid/parts.ts';
import type { CallbackForm } from './authorization-response.ts';
import type { Explanation } from './errors/explanations.ts';

/** Pages of the provider. Each function returns a whole HTML document. */
interface ProviderPages {
  error(ctx: KoaContextWithOIDC, explanation: Explanation): string;
  /** `form` is the library's own form, id `op.logoutForm`. */
  logout(ctx: KoaContextWithOIDC, form: string): string;
  signedOut(ctx: KoaContextWithOIDC): string;
  /** Answers a sign-out where nobody is signed in. */
  notSignedIn(ctx: KoaContextWithOIDC): string;
  /** A form that posts an authorization response to the client's callback by itself. */
  formPost(ctx: KoaContextWithOIDC, form: CallbackForm): string;
}

export interface ProviderOptions
  extends Pick<
    Parts,
    | ('settings' | 'log' | 'audit' | 'clients' | 'records' | 'consents' | 'accounts' | 'secondFactors' | 'pictures')
    | ('edition' | 'namesInDirectory' | 'loggedOut' | 'isShared')
  > {
  keys: ProviderKeys;
  checkSecret: CheckSecret;
  pages: ProviderPages;
}
