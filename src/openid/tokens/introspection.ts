// Decides whether an access token may be used at this moment. The directory calls these functions in the same process, and also checks the
// request that presents the token. The introspection endpoint uses them too (RFC 7662): `introspection-policy.ts` decides what a client
// learns about the result, and `provider/configuration.ts` allows a JWT as the response (RFC 9701). This file also tells whether the
// sign-in behind a token is still valid.

import type { IncomingMessage } from 'node:http';
import type { ClientSettings } from '#config/settings.ts';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { algorithmsOf } from '#openid/clients/fapi2-algorithms.ts';
import { digest } from '#shared/crypto/digest.ts';
import { isSignInValid } from '#store/accounts/end-sessions.ts';
import { epochSeconds } from '#store/database/connection.ts';
import type { OidcPayload } from '#store/oidc/oidc-payload.ts';
import { isInserted, type OidcRecords } from '#store/oidc/oidc-records.ts';
import type { TokenContext, TokenLookup } from '#store/oidc/token-lookup.ts';
import { checkProof, InvalidProof, PROOF_REMEMBERED } from './dpop-proof.ts';

interface UsableToken {
  active: true;
  /** Undefined for a token that a client got for itself (client credentials). */
  accountId?: string;
  /** The token's grant, if everybody shares the account. It identifies the visitor, because each visitor has a grant of their own. */
  visitor?: string;
  clientId: string;
  scopes: ReadonlySet<string>;
  /**
   * Thumbprint of the key to which the token is bound. A request with this token must prove that it has the key
   * (`createPresentedTokenCheck`).
   */
  boundTo?: string;
}

type TokenState =
  | UsableToken
  | {
      active: false;
      reason: 'unknown' | 'expired' | 'signed-out' | 'revoked' | 'account' | 'client' | 'no-person';
    };

/**
 * Makes the function that returns the state of an access token. It is stricter than the library's own look-up, which accepts a token for 15
 * s after its expiry and does not check the grant, the account or the key of a token (RFC 7662 section 2.2, RFC 9449). `findTokenContext`
 * (in `store/oidc/token-lookup.ts`) finds the token with its session, grant and account in one query.
 */
export function createIntrospection(
  records: Pick<TokenLookup, 'findTokenContext'>,
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

/** Returns the state of a token that a client got for itself. The token becomes invalid when the operator withdraws `directoryAccess`. */
function ownTokenState(context: TokenContext, clients: ClientRegistry): TokenState {
  const { token, expiresAt } = context;
  if (isExpired(token, expiresAt)) return { active: false, reason: 'expired' };
  const client = clients.find(String(token['clientId']));
  if (!client?.serviceAccount) return { active: false, reason: 'client' };
  if (!client.directoryAccess) return { active: false, reason: 'no-person' };
  return stateFor(context, client);
}

/** Returns the state of an access token that belongs to a person. */
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

/** Returns the state of a token that is valid unless the settings of its client forbid it. */
function stateFor(context: TokenContext, client: ClientSettings): TokenState {
  const { accountId, jkt } = context.token;
  // A token without a key was issued before the operator demanded DPoP from the client, so it is no longer valid.
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

/**
 * The scopes that were computed for a token context, with the client settings from which they were computed. They are kept, because the
 * look-up returns the same token context again until the token or its session, grant or account changes.
 */
const permitted = new WeakMap<TokenContext, { client: ClientSettings; scopes: ReadonlySet<string> }>();

/** Returns those scopes of a token that its client still has. So a scope that the operator withdraws ends for existing tokens too. */
function scopesOf(context: TokenContext, client: ClientSettings): ReadonlySet<string> {
  const known = permitted.get(context);
  if (known?.client === client) return known.scopes;
  const given = String(context.token['scope'] ?? '').split(' ');
  const scopes = new Set(given.filter((scope) => client.scopes.includes(scope)));
  permitted.set(context, { client, scopes });
  return scopes;
}

function sessionHolds({ token, session }: TokenContext, now: number): boolean {
  if (!session || session.expiresAt <= now || session.content.accountId !== token.accountId) return false;
  const authorizations = session.content['authorizations'] as Record<string, { grantId?: string }> | undefined;
  return authorizations?.[String(token['clientId'])]?.grantId === token.grantId;
}

/**
 * A request in Express. `originalUrl` is the path as it was sent. At the base address, `url` has a slash that the client may not have sent.
 */
type RoutedRequest = IncomingMessage & { originalUrl?: string };

type Refused = { active: false; reason: 'bound' | 'unbound' | 'proof'; detail?: string };

/**
 * Makes the function that checks the token that a request presents to our own directory (RFC 9449 section 7, SEC-46). If the token is bound
 * to a key (DPoP), the request needs a fresh proof of that key. Any other token is accepted as Bearer only. The library does the same
 * checks at userinfo.
 * @param base public base address of the directory; a proof has to name its origin, and the request's Host header is not used
 */
export function createPresentedTokenCheck(
  introspect: (token: string) => Promise<TokenState>,
  records: Pick<OidcRecords, 'insertOnce'>,
  base: string,
  clients: Pick<ClientRegistry, 'find'>,
): (token: string, req: RoutedRequest) => Promise<TokenState | Refused> {
  return async (token, req) => {
    const state = await introspect(token);
    if (!state.active) return state;
    const withProof = /^DPoP /i.test(req.headers.authorization ?? '');
    if (state.boundTo === undefined) return withProof ? { active: false, reason: 'unbound' } : state;
    if (!withProof) return { active: false, reason: 'bound' };
    try {
      await prove(state, token, req);
      return state;
    } catch (error) {
      if (!(error instanceof InvalidProof)) throw error;
      return { active: false, reason: 'proof', detail: error.message };
    }
  };

  async function prove({ boundTo, clientId }: UsableToken, accessToken: string, req: RoutedRequest): Promise<void> {
    const sent = req.headers['dpop'];
    if (typeof sent !== 'string') throw new InvalidProof('the DPoP header is missing');
    const algorithms = algorithmsOf(clients.find(clientId)?.profile);
    const now = epochSeconds();
    const url = `${new URL(base).origin}${req.originalUrl}`;
    const target = { method: req.method ?? '', url, accessToken, algorithms, now };
    const { thumbprint, jti } = await checkProof(sent, target);
    if (thumbprint !== boundTo) throw new InvalidProof('its key is not the one that the token is bound to');
    // The id of this record is the same as that of the library's own record, so that a proof is valid only once across all endpoints.
    const seen = { kind: 'ReplayDetection', iss: clientId, iat: now, exp: now + PROOF_REMEMBERED };
    const insertion = records.insertOnce('ReplayDetection', digest(`${clientId}${jti}`), seen, PROOF_REMEMBERED);
    if (!(await isInserted(insertion))) throw new InvalidProof('it was used before: make a proof for each request');
  }
}

/** Checks whether the sign-in behind a code or token is still valid (SEC-55). Returns true for a token without a person. */
export function hasValidSignIn({ token, account }: Pick<TokenContext, 'token' | 'account'>): boolean {
  if (!account) return true;
  const { auth_time: ofAccessToken } = (token['extra'] ?? {}) as { auth_time?: number };
  // An access token of an earlier release has only the time when it was issued. That time is then compared instead of the time of the
  // sign-in.
  const signedInAt = token['authTime'] ?? ofAccessToken ?? token['iat'];
  return isSignInValid(account, Number(signedInAt), token.sessionUid);
}
