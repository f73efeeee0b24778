// What an application finds out about signing in from the directory's own address: SMART's configuration, and OpenID's.

import type { RequestHandler } from 'express';
import { isFresh, sendText } from '#directory/middleware/send-response.ts';
import { digest } from '#shared/crypto/digest.ts';

/** Metadata of the authorization server (RFC 8414 section 2). */
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
 * SMART App Launch 2.1, Conformance: the server takes secrets from some clients and PKCE from others, and its ID tokens name the person's own
 * record when a client asks for the scope `fhirUser`. SMART's other scopes and launches are not claimed: scopes are those of the
 * specification (4.1).
 */
const CAPABILITIES = ['client-public', 'client-confidential-symmetric', 'sso-openid-connect'];

/** Caches may keep the configuration: everybody gets the same bytes as long as the service runs with these settings. */
const CACHED = { 'Cache-Control': 'public, max-age=300', Vary: 'Accept-Encoding' };

/** Handler of `.well-known/smart-configuration`. */
export function smartConfiguration(server: AuthorizationServer): RequestHandler {
  const body = JSON.stringify({ ...server, capabilities: CAPABILITIES });
  // Weak, because the compressed document has it, too.
  const headers = { ...CACHED, ETag: `W/"${digest(body)}"` };
  return async (req, res) => {
    res.set(headers);
    if (isFresh(req)) res.status(304).end();
    else await sendText(req, res, 'application/json', body);
  };
}

/**
 * Handler of `.well-known/openid-configuration`. Not a document of our own: one with another issuer than its address would be
 * refused (OpenID Connect Discovery 4.3).
 */
export function openidConfiguration({ issuer }: AuthorizationServer): RequestHandler {
  return (_req, res) => {
    res.status(302).set('Location', `${issuer}/.well-known/openid-configuration`).end();
  };
}
