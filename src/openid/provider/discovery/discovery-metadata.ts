// The published metadata of the authorization server: our additions to the discovery document, the second address of that document, and the
// copy that the directory shows.

import type { RequestHandler } from 'express';
import type { Configuration } from 'oidc-provider';
import type { Settings } from '#config/settings.ts';
import { ID_TOKEN_ALGORITHMS } from '#openid/keys/key-plan.ts';
import { ROUTES } from '#openid/routes.ts';
import { PROOF_ALGORITHMS } from '#shared/crypto/json-web-keys.ts';
import { SCOPES } from '#shared/scopes.ts';
import { SANDBOX_PATH } from '#web/site.ts';

export const CONFIDENTIAL_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;

/** The library's `enabledJWA`. There are no HMAC algorithms, because the service has only hashes of the clients' secrets. */
export const ALGORITHMS: NonNullable<Configuration['enabledJWA']> = {
  idTokenSigningAlgValues: [...ID_TOKEN_ALGORITHMS],
  clientAuthSigningAlgValues: [...PROOF_ALGORITHMS],
  dPoPSigningAlgValues: [...PROOF_ALGORITHMS],
  requestObjectSigningAlgValues: [...PROOF_ALGORITHMS],
  authorizationSigningAlgValues: [...ID_TOKEN_ALGORITHMS],
  introspectionSigningAlgValues: [...ID_TOKEN_ALGORITHMS],
};

/** The library's `discovery` option: our additions to the discovery document. */
export function discoveryMetadata({ issuer, sandbox }: Pick<Settings, 'issuer' | 'sandbox'>) {
  return {
    // RFC 8414 section 2: without these, a client must assume that `client_secret_basic` is the only method.
    introspection_endpoint_auth_methods_supported: CONFIDENTIAL_METHODS,
    introspection_endpoint_auth_signing_alg_values_supported: PROOF_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: [...CONFIDENTIAL_METHODS, 'none'],
    revocation_endpoint_auth_signing_alg_values_supported: PROOF_ALGORITHMS,
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    ui_locales_supported: ['fr', 'en'],
    // RFC 8414 section 2 defines this member.
    ...(sandbox && { service_documentation: issuer + SANDBOX_PATH }),
  };
}

/**
 * The metadata for an application that knows only the directory, with the names of RFC 8414. The library makes the discovery document
 * itself, so a test checks that this copy agrees with it.
 */
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

/**
 * Serves the discovery document at a second address: RFC 8414 section 3.1 puts the issuer's path after the well-known name. The library
 * answers only at the path of OpenID Connect Discovery. `base` is the issuer's path, and usually empty.
 */
export function discoveryAlias(base: string): RequestHandler {
  const alias = `/.well-known/oauth-authorization-server${base}`;
  return (req, _res, next) => {
    if (req.path === alias) req.url = `${base}/.well-known/openid-configuration`;
    next();
  };
}
