// What the directory publishes about the authorization server, by the names of RFC 8414. A test compares it with the discovery
// document, which the library makes.

import { ROUTES } from '#openid/routes.ts';
import { SCOPES } from '#shared/scopes.ts';

/** Metadata of the authorization server, as far as an application needs it that begins at the directory. */
export function authorizationServer(issuer: string) {
  return {
    issuer,
    authorization_endpoint: issuer + ROUTES.authorization,
    token_endpoint: issuer + ROUTES.token,
    introspection_endpoint: issuer + ROUTES.introspection,
    revocation_endpoint: issuer + ROUTES.revocation,
    jwks_uri: issuer + ROUTES.jwks,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    code_challenge_methods_supported: ['S256'],
  };
}
