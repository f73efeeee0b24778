// The published metadata of the authorization server: our additions to the discovery document, the second address of that document, the
// copy that the FHIR directory shows, and the cache of these documents and of the key set.

import type { OutgoingHttpHeader } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { Configuration } from 'oidc-provider';
import type { Settings } from '#config/settings.ts';
import { ID_TOKEN_ALGORITHMS } from '#openid/keys/key-plan.ts';
import { DISCOVERY, ROUTES } from '#openid/routes.ts';
import { digest } from '#shared/crypto/digest.ts';
import { PROOF_ALGORITHMS } from '#shared/crypto/json-web-keys.ts';
import { SCOPES } from '#shared/scopes.ts';
import { SANDBOX_PATH } from '#web/site.ts';

export const CONFIDENTIAL_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;

/**
 * The library's option `enabledJWA`. HMAC algorithms are missing, because they need the secrets of the clients, and the service has only
 * hashes of these secrets.
 */
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
    // RFC 8414 section 2: without the next four members, a client must assume that `client_secret_basic` is the only method.
    introspection_endpoint_auth_methods_supported: CONFIDENTIAL_METHODS,
    introspection_endpoint_auth_signing_alg_values_supported: PROOF_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: [...CONFIDENTIAL_METHODS, 'none'],
    revocation_endpoint_auth_signing_alg_values_supported: PROOF_ALGORITHMS,
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    ui_locales_supported: ['fr', 'en'],
    // RFC 8414 section 2 defines `service_documentation`.
    ...(sandbox && { service_documentation: issuer + SANDBOX_PATH }),
  };
}

/**
 * Returns the metadata, with the names of RFC 8414, for an application that knows only the address of the FHIR directory. The library makes
 * the discovery document itself, so a test checks that this copy agrees with that document.
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
 * Serves the discovery document at a second address, in which the issuer's path comes after the well-known name (RFC 8414 section 3.1). The
 * library itself answers only at the address of OpenID Connect Discovery. `base` is the issuer's path, and is usually empty.
 */
export function discoveryAlias(base: string): RequestHandler {
  const alias = `/.well-known/oauth-authorization-server${base}`;
  return (req, _res, next) => {
    if (req.path === alias) req.url = `${base}/.well-known/openid-configuration`;
    next();
  };
}

// The discovery documents and the key set are the same for everybody until the provider is replaced. So the library makes each of them only
// once. The response is kept and sent to everybody, with caching headers (RFC 9111, RFC 9110 section 8.8.3).

/** Seconds for which others may cache a discovery document. During this time, they may work with old settings. */
const DISCOVERY_CACHED_FOR = 300;

interface PublicDocument {
  headers: readonly (readonly [name: string, value: OutgoingHttpHeader])[];
  body: string;
}

/**
 * Returns the callback of a provider, extended so that it makes each public document only once and keeps it. When the keys change, a new
 * provider gets a callback of its own, so that no old key set is sent. `keysCachedFor` is the time in seconds for which relying parties may
 * cache the key set. Before a new key is used, it is normally published for at least that time.
 */
export function keepPublicDocuments(callback: RequestHandler, keysCachedFor: number): RequestHandler {
  const maxAges = new Map<string, number>([
    ...DISCOVERY.map((path) => [path, DISCOVERY_CACHED_FOR] as const),
    [ROUTES.jwks, keysCachedFor],
  ]);
  const documents = new Map<string, PublicDocument>();
  return (req, res, next) => {
    const { method, path } = req;
    const maxAge = maxAges.get(path);
    if (maxAge === undefined || (method !== 'GET' && method !== 'HEAD')) return callback(req, res, next);
    const found = documents.get(path);
    if (found) return send(req, res, found);
    // The response is also sent to requests with another origin and to HEAD, so it must not depend on the origin or the method of this
    // request. Node itself leaves out the body of a response to HEAD.
    delete req.headers.origin;
    req.method = 'GET';
    takeAnswer(res, (document) => {
      const headers = [
        ...document.headers.filter(([name]) => name !== 'cache-control'),
        ['cache-control', `public, max-age=${maxAge}`] as const,
        ['etag', `"${digest(document.body)}"`] as const,
      ];
      const kept = { headers, body: document.body };
      documents.set(path, kept);
      send(req, res, kept);
    });
    callback(req, res, next);
  };
}

/** Passes a response with status 200 to `take` instead of sending it. Sends any other response unchanged. */
function takeAnswer(res: Response, take: (answer: PublicDocument) => void): void {
  const before = new Map(Object.entries(res.getHeaders()));
  const { end } = res;
  res.end = ((...body: Parameters<typeof end>) => {
    res.end = end;
    const [text] = body as readonly unknown[];
    if (res.statusCode !== 200 || typeof text !== 'string') return res.end(...body);
    // Headers that earlier middleware has set, such as the request id, are not kept, because they belong to one response only.
    const headers = Object.entries(res.getHeaders()).flatMap(([name, value]) =>
      value === undefined || value === before.get(name) ? [] : [[name, value] as const],
    );
    take({ headers, body: text });
    return res;
  }) as typeof end;
}

/**
 * Sends the document. If the client's copy is still valid, sends 304 instead, with the headers that caches need (RFC 9110 section 15.4.5).
 */
function send(req: Request, res: Response, { headers, body }: PublicDocument): void {
  for (const [name, value] of headers) res.setHeader(name, value as string);
  // Express would always send the whole document to a request with `cache-control: no-cache`. `fetch` adds this header to each conditional
  // request, so it is removed.
  delete req.headers['cache-control'];
  if (!req.fresh) {
    res.end(body);
    return;
  }
  for (const name of ['content-type', 'content-length']) res.removeHeader(name);
  res.status(304).end();
}
