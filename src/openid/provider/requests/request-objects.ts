// Checks authorization requests that are signed JWTs (RFC 9101, OpenID Connect Core section 6.1), in addition to the library's checks.
// Later, the parameters in the JWT are checked like any other parameters. The setting `signedRequests: required` becomes client metadata
// (`clients/client-registry.ts`).

import { decodeJwt, type JWTPayload } from 'jose';
import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { typeOf } from '#openid/clients/client-assertion.ts';
import { algorithmsOfClient, isFapi2 } from '#openid/clients/fapi2-algorithms.ts';
import { isDeeper } from '#shared/request-bounds.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { REQUEST_BYTES, textProblem } from './request-limits.ts';

/** Maximum nesting of the JSON: eight levels for `claims` (`tokens/claims-parameter.ts`), and one for the object itself. */
const MOST_LEVELS = 9;
/**
 * Maximum seconds from `nbf` to `exp` (FAPI 2.0 Message Signing section 5.3.1). A valid request has not expired, so its `nbf` is at most
 * this old.
 */
const MAX_LIFETIME = 3600;
/** Accepted values of `typ`. RFC 9101 section 10.8 defines the first one. Some clients send `jwt` instead, or no `typ` (undefined). */
const TYPES: readonly unknown[] = ['oauth-authz-req+jwt', 'jwt', undefined];

/** Returns the request object of an authorization request; undefined if the request has none or several. */
export function requestObjectOf({ oidc, query, method }: KoaContextWithOIDC): string | undefined {
  if (oidc.route !== 'authorization' && oidc.route !== 'pushed_authorization_request') return undefined;
  const sent = method === 'POST' ? oidc.body?.['request'] : query['request'];
  return typeof sent === 'string' && sent !== '' ? sent : undefined;
}

/**
 * Checks the request object before the library uses it. Call this function when the library looks up the client. Right after that, the
 * library converts the claims to text and may send an error with their `state` to the callback, although it verifies the signature only
 * later. Throws `invalid_request` or `invalid_request_object`. The library never sends these errors to the callback.
 */
export function refuseUnfitRequestObject(ctx: KoaContextWithOIDC | undefined): void {
  const sent = ctx?.oidc && requestObjectOf(ctx);
  if (sent === undefined) return;
  if (sent.length > REQUEST_BYTES) {
    throw here(new errors.InvalidRequest(`request has ${sent.length} characters: ${REQUEST_BYTES} at most`, 413));
  }
  const claims = unverified(sent);
  if (isDeeper(claims, MOST_LEVELS)) {
    throw here(new errors.InvalidRequestObject(`the request object is nested more than ${MOST_LEVELS} levels deep`));
  }
  const odd = Object.keys(claims).find((name) => !isText(claims[name]));
  if (odd !== undefined) {
    throw here(new errors.InvalidRequestObject(`${odd.slice(0, 60)} of the request object has to be a text`));
  }
  const state = textProblem('state', claims['state']);
  if (state !== undefined) throw here(new errors.InvalidRequest(state));
}

// Reads the claims without verifying the signature. Returns no claims for an unreadable object, which the library refuses itself.
function unverified(object: string): JWTPayload {
  try {
    return decodeJwt(object);
  } catch {
    return {};
  }
}

const here = (error: errors.OIDCProviderError) => Object.assign(error, { allow_redirect: false });

// Checks whether a value can be converted to text. This is impossible for an object if its `toString` is not a function.
function isText(value: unknown): boolean {
  try {
    return typeof String(value) === 'string';
  } catch {
    return false;
  }
}

/**
 * The library's option `assertJwtClaimsAndHeader`. Before the call, the library has checked `iss` and `aud`, and also `exp` and `nbf` if
 * they are present, but not yet the signature. Throws `invalid_request_object`.
 */
export async function checkRequestObject(
  ctx: KoaContextWithOIDC,
  { exp, nbf }: { exp?: unknown; nbf?: unknown },
  header: { alg?: unknown; typ?: unknown },
  client: Client,
): Promise<void> {
  // When a pushed request is used, nothing is checked here, because a request object was checked when it was pushed. The library keeps
  // every pushed request as a JWT. If the client sent no request object, this JWT is unsigned, and the checks below would refuse it.
  if (ctx.oidc.entities.PushedAuthorizationRequest) return;
  const refuse = (reason: string) => {
    throw new errors.InvalidRequestObject(reason);
  };
  if (client.clientAuthMethod !== 'private_key_jwt') {
    refuse('this client has no key by which it could sign a request object: send the parameters one by one');
  }
  if (!TYPES.includes(typeOf(header))) refuse('the typ of the request object has to be oauth-authz-req+jwt');
  const algorithms = algorithmsOfClient(client);
  if (!algorithms.includes(String(header.alg))) {
    refuse(`the request object of this client has to be signed by one of ${algorithms.join(', ')}`);
  }
  const now = epochSeconds();
  // The library keeps a pushed request only until its request object expires (RFC 9126 section 2.2). If the object has expired already, the
  // `request_uri` would be invalid from the start, so the object is refused. The library itself would still accept it for some seconds,
  // because clocks differ.
  if (ctx.oidc.route === 'pushed_authorization_request' && Number(exp ?? Number.POSITIVE_INFINITY) <= now) {
    refuse('the request object is expired');
  }
  if (!isFapi2(client)) return;
  if (typeof exp !== 'number' || typeof nbf !== 'number') refuse('the request object needs exp and nbf');
  if (Number(exp) - Number(nbf) > MAX_LIFETIME) {
    refuse(`exp of the request object may be ${MAX_LIFETIME} seconds after its nbf at most`);
  }
}
