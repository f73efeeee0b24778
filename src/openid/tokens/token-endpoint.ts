// The token endpoint, step by step. oidc-provider executes each grant (its lib/actions/token.js and lib/actions/grants); this file says
// what we add before, in and after it, in the order in which it happens.

import { type Adapter, type Configuration, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Settings } from '#config/settings.ts';
import { acceptEmptySecrets, refuseManyFields } from '#openid/clients/client-forms.ts';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { isFapi2 } from '#openid/clients/fapi2.ts';
import { neverReplacedGrants } from '#openid/sessions/grants.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { reportingAcr } from './authentication-context.ts';
import { usableOnce } from './code-reuse.ts';
import { refuseUnfitProofs } from './dpop-proof.ts';
import { type FindAccountOptions, findAccount } from './find-account.ts';
import { replayDetection } from './jti-replay.ts';
import { timeToLive } from './lifetimes.ts';
import { completeRotation, rotatingRefreshTokens } from './refresh-rotation.ts';
import { serviceAccountTokens } from './service-account-tokens.ts';
import { signInClaims } from './sign-in-of-token.ts';
import { prefetchTokens } from './token-prefetch.ts';
import { withoutWithdrawnScopes } from './withdrawn-scopes.ts';

interface TokenEndpointOptions extends FindAccountOptions {
  records: OidcRecords;
  clients: ClientRegistry;
  settings: FindAccountOptions['settings'] & Pick<Settings, 'lifetimes' | 'limits'>;
}

export type TokenEndpoint = ReturnType<typeof tokenEndpoint>;

type Wrap = (adapter: Adapter) => Adapter;

/** What we add, by the ways that oidc-provider documents: middleware, adapters, configuration. */
export function tokenEndpoint(options: TokenEndpointOptions) {
  const { clients, settings } = options;
  const { lifetimes, limits } = settings;
  // What belongs to a token that a request presents is fetched in one query.
  const { records, accounts } = prefetchTokens(options.records, options.accounts);

  // Before each grant: the form, and the client. `clients/client-assertion.ts` and the patch `hashed-client-secrets` authenticate it.
  const before = [refuseManyFields, acceptEmptySecrets(clients)];

  // In each grant: a DPoP proof is fresh and by a key that fits, and good once.
  const requireNonce = refuseUnfitProofs;
  const ReplayDetection: Wrap = (adapter) => replayDetection(adapter, records);

  // authorization_code: the code is found, and spent once. What it says of the sign-in was settled when it was stored.
  const AuthorizationCode: Wrap = (adapter) => notingPerson(usableOnce(reportingAcr(adapter), records));

  // refresh_token: the token is found, and spent for a successor, which is the same for a repetition within the grace window.
  const RefreshToken: Wrap = (adapter) =>
    notingPerson(rotatingRefreshTokens(adapter, records, lifetimes.refreshTokenGrace));
  // FAPI 2.0 Security Profile section 5.3.2.1: tokens of such clients are bound to a key, and a lost answer must not lose them.
  const rotateRefreshToken = ({ oidc }: KoaContextWithOIDC) => !isFapi2(oidc.client);

  // Both: the grant covers what the client may still ask for; the person is active, with the claims of the ID token.
  const Grant: Wrap = (adapter) => withoutWithdrawnScopes(neverReplacedGrants(adapter, records), clients);
  const findPerson = findAccount({ ...options, accounts });

  // client_credentials: scopes and number of the tokens. The others: the time of the sign-in goes into the access token.
  const checkOwnToken = serviceAccountTokens(clients, limits.serviceAccountTokens);
  const extraTokenClaims: Configuration['extraTokenClaims'] = async (ctx, token) => {
    await checkOwnToken(ctx, token);
    return signInClaims(ctx, token);
  };

  // After a grant: the answer names the successor that stands, and a stolen refresh token ends its family.
  const after = [completeRotation(options.records)];

  return {
    before,
    requireNonce,
    adapters: { ReplayDetection, AuthorizationCode, RefreshToken, Grant } as Partial<Record<string, Wrap>>,
    configuration: { rotateRefreshToken, findAccount: findPerson, extraTokenClaims, ttl: timeToLive(lifetimes) },
    after,
    /** Records and accounts with that query, for whatever else answers such a request. */
    prefetched: { records, accounts },
  };
}

/** The state of a request has the account of the presented code or refresh token under this name. */
export const PRESENTED_BY = 'presentedBy';

// A refusal names the person only in passing, and what was used twice is gone by then.
function notingPerson(adapter: Adapter): Adapter {
  return {
    ...adapter,
    find: async (id) => {
      const payload = await adapter.find(id);
      if (payload?.accountId && Provider.ctx) Provider.ctx.state[PRESENTED_BY] = payload.accountId;
      return payload;
    },
  };
}
