// When an authorization request must use PKCE (RFC 7636, SEC-07, SEC-65). The library accepts S256 alone, and checks every verifier.

import type { Client, KoaContextWithOIDC } from 'oidc-provider';
import type { Settings } from '#config/settings.ts';
import { PKCE } from '#openid/clients/client-registry.ts';

/** The library's `pkce.required`: of clients that cannot authenticate themselves, and wherever the operator demands it. */
export function pkceRequirement({ pkce }: Pick<Settings, 'pkce'>) {
  return (_ctx: KoaContextWithOIDC, client: Client): boolean =>
    pkce === 'required' || client.clientAuthMethod === 'none' || client[PKCE] === 'required';
}
