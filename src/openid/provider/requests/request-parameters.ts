// Checks parameters of an authorization request, in addition to the library's checks: state, version and scope (specification sections 4.1
// and 5), `response_mode` (SEC-06), and the length of parameters (SEC-58). Also changes two parameters: `scope` may get back
// `offline_access` (`offline-access.ts`), and `claims` may get claims about the sign-in (`addAuthenticationClaims`). The library itself
// refuses repeated parameters (its `lib/shared/reject_dupes.js`, SEC-43).

import { decodeJwt } from 'jose';
import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { isFapi2 } from '#openid/clients/fapi2-algorithms.ts';
import { addAuthenticationClaims } from '#openid/tokens/authentication-context.ts';
import { SCOPES } from '#shared/scopes.ts';
import { offlineAccess, type Reports } from './offline-access.ts';
import { LIMITED_PARAMETERS, type LimitedParameter, refuseTextProblem, tooLarge } from './request-limits.ts';
import { requestObjectOf } from './request-objects.ts';
import { responseModeCheck } from './response-mode.ts';

/** Recommended minimum length of a `state` (specification section 8). A shorter `state` is accepted, but logged. */
const RECOMMENDED_STATE_LENGTH = 30;

/**
 * Maximum number of unknown scopes in one line of the log, and maximum characters of each. Anybody can send invented scopes, and they must
 * not fill the log.
 */
const MAX_NAMES = 5;
const MAX_NAME_LENGTH = 60;

const SUPPORTED_VERSION = /^2(\.\d{1,4}){0,2}$/;

type Validator = (ctx: KoaContextWithOIDC, value: string | undefined) => void;

/**
 * Makes validators for the parameters of an authorization request. oidc-provider runs each validator even if the parameter is absent. A
 * violation is an `invalid_request` at the client's callback, or an `invalid_scope` if no scope is left (RFC 6749 section 4.1.2.1).
 */
export function requestParameters(
  options: Reports & { clients: Pick<ClientRegistry, 'find'> },
): Record<LimitedParameter | 'version' | 'scope' | 'response_mode', Validator> {
  const { log } = options;
  const noted = new Set<string>();
  const withOfflineAccess = offlineAccess(options);
  const withUnknown = new Set<string>();
  const lengths = LIMITED_PARAMETERS.map(
    (name) => [name, (_ctx, value) => refuseTextProblem(name, value)] as [string, Validator],
  );
  return {
    // The library calls these in order. A client learns of a wrong `response_mode` first.
    response_mode: responseModeCheck(options.clients),
    ...(Object.fromEntries(lengths) as Record<LimitedParameter, Validator>),
    claims: (ctx, value) => {
      refuseTextProblem('claims', value);
      addAuthenticationClaims(ctx);
    },
    state: (ctx, value) => {
      refusePushedTooLarge(ctx);
      refuseTextProblem('state', value);
      // A request by a FAPI 2.0 client may lack `state`, because PKCE protects the request (FAPI 2.0 Security Profile section 5.3.2.2).
      if (!value && isFapi2(ctx.oidc.client)) return;
      if (!value) {
        throw new errors.InvalidRequest(
          'missing required parameter state: send a random text, best of 30 characters or more',
        );
      }
      const client = ctx.oidc.client?.clientId ?? '';
      if (value.length >= RECOMMENDED_STATE_LENGTH || noted.has(client)) return;
      noted.add(client);
      log.warn({ client, length: value.length, recommended: RECOMMENDED_STATE_LENGTH }, 'client sends a short state');
    },
    version: (_ctx, value) => {
      if (value !== undefined && !SUPPORTED_VERSION.test(value)) {
        throw new errors.InvalidRequest('unsupported version: this service speaks version 2.0.0');
      }
    },
    scope: (ctx, left) => {
      const client = ctx.oidc.client?.clientId ?? '';
      const sent = scopeAsSent(ctx);
      const value = withOfflineAccess(ctx, sent, left);
      if (ctx.oidc.params) ctx.oidc.params['scope'] = value;
      if (!value) {
        if (!sent) throw new errors.InvalidRequest('missing required parameter scope: name the permissions you need');
        throw new errors.InvalidScope(
          `no scope is left of those that were sent: this service knows ${SCOPES.join(' ')}; offline_access needs prompt=consent, or an operator who permits it without`,
          sent.slice(0, MAX_NAME_LENGTH),
        );
      }
      const unknown = sent.split(' ').filter((scope) => scope && !(SCOPES as readonly string[]).includes(scope));
      if (unknown.length === 0 || withUnknown.has(client)) return;
      withUnknown.add(client);
      const scopes = unknown.slice(0, MAX_NAMES).map((scope) => scope.slice(0, MAX_NAME_LENGTH));
      log.warn({ client, scopes }, 'scopes that this service does not know are left out');
    },
  };
}

/**
 * Returns the scopes of a request as the client sent them, including those that the library has removed meanwhile. For a pushed or signed
 * request, they come from its request object. The library has already verified the signature of this object.
 */
function scopeAsSent(ctx: KoaContextWithOIDC): string {
  const { oidc, query } = ctx;
  const pushed = oidc.entities.PushedAuthorizationRequest as { request?: string } | undefined;
  const object = pushed?.request ?? requestObjectOf(ctx);
  const sent = object === undefined ? (query['scope'] ?? oidc.body?.['scope']) : decodeJwt(object)['scope'];
  return typeof sent === 'string' ? sent : '';
}

/**
 * Refuses a request whose callback or scope an operator took away from the client while the person was signing in. The library checks both
 * only when a request arrives. It would send the code to the old callback, and ask for consent again and again, because no grant holds a
 * scope that the client may not ask for.
 */
export function refuseWithdrawn({ oidc }: KoaContextWithOIDC): void {
  const { client, params = {} } = oidc;
  if (!client?.redirectUriAllowed(String(params['redirect_uri']))) throw new errors.InvalidRedirectUri();
  const allowed = client.scope?.split(' ') ?? [];
  const lost = SCOPES.filter((scope) => oidc.requestParamScopes.has(scope) && !allowed.includes(scope));
  if (lost.length > 0) throw new errors.InvalidScope('requested scope is not allowed', lost.join(' '));
}

// Refuses a pushed request that is longer than a query may be. The credentials of the client are not part of this length.
function refusePushedTooLarge({ oidc }: KoaContextWithOIDC): void {
  if (oidc.route !== 'pushed_authorization_request') return;
  const sent = Object.entries(oidc.params ?? {}).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string',
  );
  const large = tooLarge(new URLSearchParams(sent).toString());
  if (large) throw new errors.InvalidRequest(large.description, 413);
}
