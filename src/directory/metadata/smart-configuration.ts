// The configuration documents of SMART and OpenID at the address of the directory. An application learns from them how its users sign in.

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
 * The capabilities of SMART App Launch 2.1 (section Conformance) that the server has. Confidential clients authenticate with a secret, and
 * public clients use PKCE. The server claims no capability for SMART's scopes or for launches, because its scopes are those of the
 * specification (4.1), and `launch` is not one of them. SMART's scope `fhirUser` is an exception: with it, an ID token names the person's
 * own record.
 */
const CAPABILITIES = ['client-public', 'client-confidential-symmetric', 'sso-openid-connect'];

/** Lets caches store the configuration: while the service runs, everybody gets the same bytes. */
const CACHED = { 'Cache-Control': 'public, max-age=300', Vary: 'Accept-Encoding' };

/** Makes the handler of `.well-known/smart-configuration`. */
export function smartConfiguration(server: AuthorizationServer): RequestHandler {
  const body = JSON.stringify({ ...server, capabilities: CAPABILITIES });
  // The tag is weak because the compressed and the uncompressed document have the same tag.
  const headers = { ...CACHED, ETag: `W/"${digest(body)}"` };
  return async (req, res) => {
    res.set(headers);
    if (isFresh(req)) res.status(304).end();
    else await sendText(req, res, 'application/json', body);
  };
}

/**
 * Makes the handler of `.well-known/openid-configuration`. It redirects to the document of the issuer, because clients reject a document
 * that is not at the address of its issuer (OpenID Connect Discovery 4.3).
 */
export function openidConfiguration({ issuer }: AuthorizationServer): RequestHandler {
  return (_req, res) => {
    res.status(302).set('Location', `${issuer}/.well-known/openid-configuration`).end();
  };
}
