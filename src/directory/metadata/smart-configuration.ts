// Owns what an application finds out about signing in from the directory's own address: SMART's configuration, and the way
// to OpenID's. Does not own the sign-in itself: its addresses and abilities are given.

import type { Place } from '../middleware/directory-request.ts';

/** What the authorization server says of itself (RFC 8414 section 2). */
export interface AuthorizationServer {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  introspection_endpoint?: string;
  revocation_endpoint?: string;
  jwks_uri?: string;
  scopes_supported: readonly string[];
  response_types_supported: readonly string[];
  grant_types_supported: readonly string[];
  token_endpoint_auth_methods_supported: readonly string[];
  code_challenge_methods_supported: readonly string[];
}

/**
 * SMART App Launch 2.1, Conformance: a server with secrets for some clients and PKCE for others. Nothing is claimed of
 * SMART's own scopes and launches: scopes are those of the specification (4.1), and the ID token has its own claims.
 */
const CAPABILITIES = ['client-public', 'client-confidential-symmetric'];

/** The addresses below `.well-known` of the directory. Read without a token. */
export function discoveryPlaces(server: AuthorizationServer): readonly (readonly [path: string, place: Place])[] {
  // SMART leaves the issuer out where its own profile of OpenID Connect is not claimed.
  const { issuer, ...said } = server;
  const body = JSON.stringify({ ...said, capabilities: CAPABILITIES });
  const smart: Place = { GET: async () => ({ status: 200, body, mediaType: 'application/json' }) };
  // Not a document of our own: one with another issuer than its address would be refused (OpenID Connect Discovery 4.3).
  const openid: Place = {
    GET: async () => ({ status: 302, headers: { Location: `${issuer}/.well-known/openid-configuration` } }),
  };
  return [
    ['/.well-known/smart-configuration', smart],
    ['/.well-known/openid-configuration', openid],
  ];
}
