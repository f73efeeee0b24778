// When an authorization request must use PKCE (RFC 7636, SEC-07). The library accepts S256 alone, and checks every verifier.

import type { Client, KoaContextWithOIDC } from 'oidc-provider';

/** Clients that cannot authenticate themselves. */
export function isPkceRequired(_ctx: KoaContextWithOIDC, client: Client): boolean {
  return client.clientAuthMethod === 'none';
}
