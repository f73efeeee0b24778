// Decides whether an access token may be used right now. The directory calls it in process, and so does the introspection endpoint (RFC
// 7662). What a client sees of it: `introspection-policy.ts`. That an answer may be a JWT (RFC 9701): `provider/configuration.ts`.

import type { ClientSettings } from '#config/settings.ts';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { epochSeconds } from '#store/database/connection.ts';
import type { OidcPayload } from '#store/oidc/oidc-payload.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import type { TokenContext } from '#store/oidc/token-lookup.ts';
import { hasValidSignIn } from './sign-in-of-token.ts';

export interface UsableToken {
  active: true;
  /** Undefined for a client's own token. */
  accountId?: string;
  /** The token's grant, if everybody shares the account: each visitor has a grant of their own. */
  visitor?: string;
  clientId: string;
  scopes: ReadonlySet<string>;
  /** Thumbprint of the key that must be proved to use it (`presented-token.ts`). */
  boundTo?: string;
}

export type TokenState =
  | UsableToken
  | {
      active: false;
      reason: 'unknown' | 'expired' | 'signed-out' | 'revoked' | 'account' | 'client' | 'no-person';
    };

/**
 * Tells the state of an access token. It is stricter than the library's own look-up, which tolerates 15 s after the
 * expiry and knows nothing of a deleted grant, a disabled account or a token bound to a key (RFC 7662 section 2.2, RFC 9449).
 */
export function createIntrospection(
  records: Pick<OidcRecords, 'findTokenContext'>,
  clients: ClientRegistry,
  isShared: (accountId: string) => boolean = () => false,
): (token: string) => Promise<TokenState> {
  return async (token) => {
    const context = await records.findTokenContext(token);
    if (context?.model === 'AccessToken') {
      const state = accessTokenState(context, clients);
      if (!state.active || !isShared(state.accountId ?? '')) return state;
      return { ...state, visitor: String(context.token['grantId']) };
    }
    if (context?.model === 'ClientCredentials') return ownTokenState(context, clients);
    return { active: false, reason: 'unknown' };
  };
}

/** Does the same for a client's own token, whose use ends when the operator withdraws `directoryAccess`. */
function ownTokenState(context: TokenContext, clients: ClientRegistry): TokenState {
  const { token, expiresAt } = context;
  if (isExpired(token, expiresAt)) return { active: false, reason: 'expired' };
  const client = clients.find(String(token['clientId']));
  if (!client?.serviceAccount) return { active: false, reason: 'client' };
  if (!client.directoryAccess) return { active: false, reason: 'no-person' };
  return stateFor(context, client);
}

/** Does the same for an access token that was read already. */
function accessTokenState(context: TokenContext, clients: ClientRegistry): TokenState {
  const { token, expiresAt, grant, account } = context;
  const now = epochSeconds();
  if (isExpired(token, expiresAt)) return { active: false, reason: 'expired' };
  if (!grant || grant.expiresAt <= now || !isOf(grant, token)) return { active: false, reason: 'revoked' };
  if (!hasValidSignIn(context)) return { active: false, reason: 'signed-out' };
  if (token['expiresWithSession'] && !sessionHolds(context, now)) return { active: false, reason: 'signed-out' };
  if (account?.status !== 'active') return { active: false, reason: 'account' };
  const client = clients.find(String(token['clientId']));
  if (!client) return { active: false, reason: 'client' };
  return stateFor(context, client);
}

/** The state of a token that is valid in itself, by the settings of the client that holds it. */
function stateFor(context: TokenContext, client: ClientSettings): TokenState {
  const { accountId, jkt } = context.token;
  // The token was issued before the operator demanded DPoP of the client.
  if (client.dpop === 'required' && jkt === undefined) return { active: false, reason: 'revoked' };
  return {
    active: true,
    ...(accountId !== undefined && { accountId: String(accountId) }),
    clientId: client.id,
    scopes: scopesOf(context, client),
    ...(jkt !== undefined && { boundTo: String(jkt) }),
  };
}

function isExpired(token: TokenContext['token'], expiresAt: number): boolean {
  return Math.min(expiresAt, Number(token['exp'] ?? expiresAt)) <= epochSeconds();
}

function isOf({ content }: { content: OidcPayload }, token: OidcPayload): boolean {
  return content['clientId'] === token['clientId'] && content.accountId === token.accountId;
}

/** The scopes of a context that the records remember, and the client that they were worked out for. */
const permitted = new WeakMap<TokenContext, { client: ClientSettings; scopes: ReadonlySet<string> }>();

/** The scopes that count. An operator that takes a permission from a client means the tokens in use as well. */
function scopesOf(context: TokenContext, client: ClientSettings): ReadonlySet<string> {
  const known = permitted.get(context);
  if (known?.client === client) return known.scopes;
  const given = String(context.token['scope'] ?? '').split(' ');
  const scopes = new Set(given.filter((scope) => client.scopes.includes(scope)));
  permitted.set(context, { client, scopes });
  return scopes;
}

interface SessionAuthorizations {
  [clientId: string]: { grantId?: string } | undefined;
}

function sessionHolds({ token, session }: TokenContext, now: number): boolean {
  if (!session || session.expiresAt <= now || session.content.accountId !== token.accountId) return false;
  const authorizations = session.content['authorizations'] as SessionAuthorizations | undefined;
  return authorizations?.[String(token['clientId'])]?.grantId === token.grantId;
}
