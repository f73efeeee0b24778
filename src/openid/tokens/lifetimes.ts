// Lifetimes of codes, tokens, sessions and grants. Their defaults and bounds stand in `config/service/service-schema.ts`.

import type { Configuration } from 'oidc-provider';
import type { Settings } from '#config/settings.ts';
import { isFapi2 } from '#openid/clients/fapi2.ts';
import { epochSeconds } from '#store/database/connection.ts';

type Lifetimes = Settings['lifetimes'];

/** The library's `ttl`, in seconds. */
export function timeToLive(lifetimes: Lifetimes): NonNullable<Configuration['ttl']> {
  return {
    AuthorizationCode: lifetimes.authorizationCode,
    AccessToken: lifetimes.accessToken,
    ClientCredentials: lifetimes.accessToken,
    IdToken: lifetimes.idToken,
    Interaction: lifetimes.interaction,
    // Consent is remembered apart (`provider/prompts/remembered-consent.ts`, for `lifetimes.grant` too): a grant need not outlive what was given by it.
    Grant: (_ctx, grant) =>
      grant.getOIDCScope().split(' ').includes('offline_access')
        ? lifetimes.grant
        : lifetimes.session + lifetimes.accessToken,
    // A token that is not replaced at each use has no idle limit.
    RefreshToken: (_ctx, token, client) =>
      isFapi2(client) ? lifetimes.refreshToken : refreshTokenLifetime(token.iiat, lifetimes),
    Session: (_ctx, session) => sessionLifetime(session.loginTs, lifetimes),
  };
}

/** Idle limit, but never beyond the absolute one (SEC-33). Seconds, at least one. */
function sessionLifetime(signedInAt: number | undefined, limits: Lifetimes): number {
  if (signedInAt === undefined) return limits.sessionIdle;
  const left = signedInAt + limits.session - epochSeconds();
  return Math.max(1, Math.min(limits.sessionIdle, left));
}

/** Idle limit, counted from now, but never beyond the absolute one, counted from the first of the family. Seconds. */
function refreshTokenLifetime(firstIssuedAt: number | undefined, limits: Lifetimes): number {
  const now = epochSeconds();
  const left = (firstIssuedAt ?? now) + limits.refreshToken - now;
  return Math.max(1, Math.min(limits.refreshTokenIdle, left));
}
