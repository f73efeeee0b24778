// Limits the scopes and the number of tokens that a client gets for itself (client credentials, RFC 6749 section 4.4).

import { type AccessToken, type ClientCredentials, errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { ClientSettings } from '#config/settings.ts';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { limitReached } from '#shared/limits-reached.ts';
import { consume, memoryLimiter, serviceAccountRule } from '#shared/rate-limits.ts';
import { DIRECTORY_SCOPES } from '#shared/scopes.ts';

/**
 * Scopes that a client cannot get for itself, because only the sign-in of a person gives ID tokens and refresh tokens (OpenID Connect Core
 * section 3; RFC 6749 section 4.4.3).
 */
const OF_PEOPLE = ['openid', 'offline_access'];

const OF_DIRECTORY: readonly string[] = DIRECTORY_SCOPES;

/**
 * Returns the scopes that a client may get for itself. The scopes of the directory are only for signed-in people, unless the operator sets
 * `directoryAccess`.
 */
export function ownScopes({ scopes, directoryAccess }: Pick<ClientSettings, 'scopes' | 'directoryAccess'>): string[] {
  return scopes.filter((scope) => directoryAccess || !OF_DIRECTORY.includes(scope));
}

/**
 * Makes the function that checks a token before it is stored. It throws `invalid_scope` for scopes that the client cannot get for itself or
 * does not have, and `temporarily_unavailable` (429) for a client that has obtained too many tokens.
 * @param perMinute `limits.serviceAccountTokens`
 */
export function serviceAccountTokens(clients: Pick<ClientRegistry, 'find'>, perMinute: number) {
  const rule = serviceAccountRule(perMinute);
  const limiter = memoryLimiter(rule);
  return async (ctx: KoaContextWithOIDC, token: AccessToken | ClientCredentials): Promise<void> => {
    if (token.kind !== 'ClientCredentials') return;
    const { clientId = '' } = ctx.oidc.client ?? {};
    const requested = token.scope?.split(' ') ?? [];
    const ofPeople = OF_PEOPLE.filter((scope) => requested.includes(scope)).join(' ');
    if (ofPeople !== '') refuse(`leave ${ofPeople} out of scope, which is for the sign-in of people`, ofPeople);
    const client = clients.find(clientId);
    const sent: unknown = ctx.oidc.body?.['scope'];
    // The library removes unknown scopes. If it has removed all requested scopes, the request is refused. A client that requested no scope
    // gets a token without a scope.
    if (requested.length === 0 && client && typeof sent === 'string' && sent !== '') {
      const known = ownScopes(client).filter((scope) => !OF_PEOPLE.includes(scope));
      const remedy = `name ${known.join(', ') || 'none: the operator gave this client none'}`;
      throw new errors.InvalidScope(`none of the scopes is known here: ${remedy}`, sent.slice(0, 60));
    }
    const ofDirectory = client?.directoryAccess ? [] : OF_DIRECTORY.filter((scope) => requested.includes(scope));
    if (ofDirectory.length > 0) {
      const remedy =
        'let a person sign in, or have the operator write directoryAccess: true beside serviceAccount: true';
      refuse(`the directory needs one for ${ofDirectory.join(' ')}: ${remedy} in clients.yaml`, ofDirectory.join(' '));
    }
    const wait = await consume(limiter, clientId);
    if (wait === 0) return;
    limitReached('service-account-tokens');
    ctx.set('retry-after', String(wait));
    const description = `this client obtained ${rule.points} tokens in ${rule.duration} s: use each until it expires`;
    throw Object.assign(new errors.TemporarilyUnavailable(description), { statusCode: 429 });
  };
}

function refuse(reason: string, scope: string): never {
  throw new errors.InvalidScope(`client_credentials gives a token without a person: ${reason}`, scope);
}
