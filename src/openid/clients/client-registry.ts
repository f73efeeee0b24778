// Holds the registered clients while the service runs, with their metadata for oidc-provider. `server/open-clients.ts` reads `clients.yaml`
// and calls `replace` whenever the file changes.

import type { ClientMetadata } from 'oidc-provider';
import type { ClientSettings } from '#config/settings.ts';
import { KEY_SET_READING } from './client-key-sets.ts';
import { PROFILE } from './fapi2-algorithms.ts';

/** Metadata that Hygie adds to the standard ones: `ask` if people see the consent page of the client, otherwise `trusted`. */
export const CONSENT = 'hygie_consent';
/**
 * Metadata that Hygie adds: `required` if a client of the type `server` must use PKCE. Like the metadata below, it is absent in all other
 * cases.
 */
export const PKCE = 'hygie_pkce';
/** Metadata that Hygie adds: `required` if a password alone is not enough for a sign-in to the client. */
export const SECOND_FACTOR = 'hygie_second_factor';
/** Metadata that Hygie adds: `ask` if people choose a place of work at each sign-in to the client. */
export const WORKSPACE = 'hygie_workspace';
/** Metadata that Hygie adds: `always` if the scope offline_access gives a refresh token without `prompt=consent` in the request. */
export const REFRESH_TOKENS = 'hygie_refresh_tokens';
/** Metadata that Hygie adds: true if every ID token tells how and when the person signed in. */
export const AUTHENTICATION_CLAIMS = 'hygie_authentication_claims';
/** Metadata that Hygie adds: `token-endpoint` if the audience of client assertions may also be the address of the token endpoint. */
export const ASSERTION_AUDIENCE = 'hygie_assertion_audience';

/** The names of all metadata that Hygie adds, for the library's option `extraClientMetadata`. */
export const OWN_METADATA = [
  ASSERTION_AUDIENCE,
  AUTHENTICATION_CLAIMS,
  CONSENT,
  PKCE,
  PROFILE,
  REFRESH_TOKENS,
  SECOND_FACTOR,
  WORKSPACE,
  KEY_SET_READING,
];

export type ClientRegistry = ReturnType<typeof createClientRegistry>;

/** Makes the registry with the clients in `initial`. */
export function createClientRegistry(initial: readonly ClientSettings[]) {
  let clients = new Map<string, { settings: ClientSettings; metadata: ClientMetadata }>();
  const notified = new Set<string>();
  const replace = (list: readonly ClientSettings[]): void => {
    for (const { id, backchannelLogoutUrl } of list) if (backchannelLogoutUrl) notified.add(id);
    clients = new Map(list.map((settings) => [settings.id, { settings, metadata: clientMetadata(settings) }]));
  };
  replace(initial);
  return {
    find: (id: string) => clients.get(id)?.settings,
    metadata: (id: string) => clients.get(id)?.metadata,
    all: () => [...clients.values()].map(({ settings }) => settings),
    /** Tells whether the client has a `backchannelLogoutUrl`, or had one at any time since this process started. */
    hadLogoutAddress: (id: string) => notified.has(id),
    /** Replaces all clients. Each request that begins afterwards uses the new clients. */
    replace,
  };
}

/**
 * Returns the metadata of a client for oidc-provider (OpenID Connect Dynamic Client Registration 1.0, section 2). A confidential client may
 * send its secret in the header or in the body, because the library accepts both for either authentication method.
 */
export function clientMetadata(client: ClientSettings): ClientMetadata {
  return {
    client_id: client.id,
    client_name: client.name,
    application_type: client.type === 'native' ? 'native' : 'web',
    ...authenticationMetadata(client),
    ...(client.par === 'required' && { require_pushed_authorization_requests: true }),
    ...(client.dpop === 'required' && { dpop_bound_access_tokens: true }),
    ...(client.homeUrl && { client_uri: client.homeUrl }),
    redirect_uris: [...client.callbackUrls],
    post_logout_redirect_uris: [...client.logoutUrls],
    ...(client.backchannelLogoutUrl && {
      backchannel_logout_uri: client.backchannelLogoutUrl,
      backchannel_logout_session_required: client.backchannelLogoutSession !== false,
    }),
    response_types: signsPeopleIn(client) ? ['code'] : [],
    grant_types: grantTypes(client),
    ...(client.signedRequests === 'required' && { require_signed_request_object: true }),
    ...(client.idTokenAlgorithm && {
      id_token_signed_response_alg: client.idTokenAlgorithm,
      authorization_signed_response_alg: client.idTokenAlgorithm,
      introspection_signed_response_alg: client.idTokenAlgorithm,
    }),
    scope: client.scopes.join(' '),
    ...ownMetadata(client),
  };
}

/** Returns how the client authenticates: with its keys, with a secret, or not at all. */
function authenticationMetadata(client: ClientSettings) {
  if (client.jwks) {
    const jwks = { keys: client.jwks.keys.map((key) => ({ ...key })) };
    return { token_endpoint_auth_method: 'private_key_jwt', jwks } as const;
  }
  if (client.jwksUrl) return { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: client.jwksUrl } as const;
  if (!isConfidential(client)) return { token_endpoint_auth_method: 'none' } as const;
  // The library requires a secret here. This text is never compared with anything, because `patches/hashed-client-secrets.ts` compares the
  // hash of the secret.
  return { token_endpoint_auth_method: 'client_secret_basic', client_secret: 'kept as a hash' } as const;
}

function grantTypes(client: ClientSettings): string[] {
  const grants = signsPeopleIn(client) ? ['authorization_code'] : [];
  if (signsPeopleIn(client) && client.scopes.includes('offline_access')) grants.push('refresh_token');
  if (isConfidential(client) && client.serviceAccount) grants.push('client_credentials');
  return grants;
}

function signsPeopleIn({ callbackUrls }: ClientSettings): boolean {
  return callbackUrls.length > 0;
}

function isConfidential({ type }: ClientSettings): boolean {
  return type === 'server' || type === 'api';
}

function ownMetadata(client: ClientSettings) {
  return {
    [CONSENT]: client.consent,
    ...(client.refreshTokens === 'always' && { [REFRESH_TOKENS]: client.refreshTokens }),
    ...(client.authenticationClaims && { [AUTHENTICATION_CLAIMS]: true }),
    ...(client.assertionAudience === 'token-endpoint' && { [ASSERTION_AUDIENCE]: client.assertionAudience }),
    ...(client.pkce === 'required' && { [PKCE]: client.pkce }),
    ...(client.profile && { [PROFILE]: client.profile }),
    ...(client.workspace && { [WORKSPACE]: client.workspace }),
    ...(client.secondFactor && { [SECOND_FACTOR]: client.secondFactor }),
  };
}
