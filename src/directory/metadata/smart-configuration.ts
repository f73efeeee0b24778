// Configuration documents at the directory's own address, from which an application learns how to sign in: SMART's and OpenID's.

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
 * SMART App Launch 2.1, Conformance: the server accepts secrets from some clients and PKCE from others. Its ID tokens name the person's own
 * record if a client requests the scope `fhirUser`. SMART's other scopes and launches are not claimed, since scopes are those of the
 * specification (4.1).
 */
const CAPABILITIES = ['client-public', 'client-confidential-symmetric', 'sso-openid-connect'];

/** Caches may keep the configuration: everybody gets the same bytes while the service runs with these settings. */
const CACHED = { 'Cache-Control': 'public, max-age=300', Vary: 'Accept-Encoding' };

/** Handler of `.well-known/smart-configuration`. */
export function smartConfiguration(server: AuthorizationServer): RequestHandler {
  const body = JSON.stringify({ ...server, capabilities: CAPABILITIES });
  // The tag is weak because the compressed document has it, too.
  const headers = { ...CACHED, ETag: `W/"${digest(body)}"` };
  return async (req, res) => {
    res.set(headers);
    if (isFresh(req)) res.status(304).end();
    else await sendText(req, res, 'application/json', body);
  };
}

/**
 * Handler of `.well-known/openid-configuration`. It redirects instead of answering, since clients reject a document at another
 * address than that of its issuer (OpenID Connect Discovery 4.3).
 */
export function openidConfiguration({ issuer }: AuthorizationServer): RequestHandler {
  return (_req, res) => {
    res.status(302).set('Location', `${issuer}/.well-known/openid-configuration`).end();
  };
}
