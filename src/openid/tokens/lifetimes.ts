// Lifetimes of codes, tokens, sessions and grants. `config/service/service-schema.ts` has their defaults and limits. The library itself
// limits the lifetime of a pushed request (`request_uri`): see `provider/requests/pushed-requests.ts`.

import type { Configuration } from 'oidc-provider';
import type { Settings } from '#config/settings.ts';
import { isFapi2 } from '#openid/clients/fapi2-algorithms.ts';
import { epochSeconds } from '#store/database/connection.ts';

/** The library's `ttl` option, in seconds. */
export function timeToLive(lifetimes: Settings['lifetimes']): NonNullable<Configuration['ttl']> {
  return {
    AuthorizationCode: lifetimes.authorizationCode,
    AccessToken: lifetimes.accessToken,
    ClientCredentials: lifetimes.accessToken,
    IdToken: lifetimes.idToken,
    Interaction: lifetimes.interaction,
    // A grant need not outlive the tokens that it allows. The person's consent is remembered apart from the grant, for `lifetimes.grant`
    // (`provider/prompts/remembered-consent.ts`).
    Grant: (_ctx, grant) =>
      grant.getOIDCScope().split(' ').includes('offline_access')
        ? lifetimes.grant
        : lifetimes.session + lifetimes.accessToken,
    // A refresh token that is not rotated (FAPI profile) has no idle limit. For rotated tokens, the absolute limit begins with the first
    // token of the family.
    RefreshToken: (_ctx, token, client) =>
      isFapi2(client)
        ? lifetimes.refreshToken
        : secondsLeft(token.iiat, lifetimes.refreshToken, lifetimes.refreshTokenIdle),
    Session: (_ctx, session) => secondsLeft(session.loginTs, lifetimes.session, lifetimes.sessionIdle),
  };
}

/**
 * Returns the seconds until the idle limit, or until the absolute limit if that comes first. The absolute limit is counted from `since`
 * (SEC-33). Returns at least one second.
 */
function secondsLeft(since: number | undefined, absolute: number, idle: number): number {
  const now = epochSeconds();
  return Math.max(1, Math.min(idle, (since ?? now) + absolute - now));
}
