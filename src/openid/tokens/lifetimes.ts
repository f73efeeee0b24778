// Lifetimes of codes, tokens, sessions and grants. `config/service/service-schema.ts` has their defaults and limits.

import type { Configuration } from 'oidc-provider';
import type { Settings } from '#config/settings.ts';
import { isFapi2 } from '#openid/clients/fapi2.ts';
import { epochSeconds } from '#store/database/connection.ts';

type Lifetimes = Settings['lifetimes'];

/** The library's `ttl` option, in seconds. */
export function timeToLive(lifetimes: Lifetimes): NonNullable<Configuration['ttl']> {
  return {
    AuthorizationCode: lifetimes.authorizationCode,
    AccessToken: lifetimes.accessToken,
    ClientCredentials: lifetimes.accessToken,
    IdToken: lifetimes.idToken,
    Interaction: lifetimes.interaction,
    // A grant need not outlive the tokens that it allows. The consent itself is always remembered for `lifetimes.grant`
    // (`provider/prompts/remembered-consent.ts`).
    Grant: (_ctx, grant) =>
      grant.getOIDCScope().split(' ').includes('offline_access')
        ? lifetimes.grant
        : lifetimes.session + lifetimes.accessToken,
    // A refresh token that is not rotated has no idle limit.
    RefreshToken: (_ctx, token, client) =>
      isFapi2(client) ? lifetimes.refreshToken : refreshTokenLifetime(token.iiat, lifetimes),
    Session: (_ctx, session) => sessionLifetime(session.loginTs, lifetimes),
  };
}

/** Seconds until the session ends: at its idle limit, but never after its absolute limit (SEC-33). At least one second. */
function sessionLifetime(signedInAt: number | undefined, limits: Lifetimes): number {
  if (signedInAt === undefined) return limits.sessionIdle;
  const left = signedInAt + limits.session - epochSeconds();
  return Math.max(1, Math.min(limits.sessionIdle, left));
}

/** Seconds until the token ends: at its idle limit, but never after the absolute limit, which begins with the first token of the family. */
function refreshTokenLifetime(firstIssuedAt: number | undefined, limits: Lifetimes): number {
  const now = epochSeconds();
  const left = (firstIssuedAt ?? now) + limits.refreshToken - now;
  return Math.max(1, Math.min(limits.refreshTokenIdle, left));
}
