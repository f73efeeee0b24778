// The token endpoint, step by step. oidc-provider executes each grant (its lib/actions/token.js and lib/actions/grants). This file lists
// our additions before, in and after it, in the order in which they run. The library makes and signs the ID token (its
// lib/models/id_token.js) with the account of `find-account.ts` and the claims of `claims.ts`.

import { type Adapter, type Configuration, Provider } from 'oidc-provider';
import type { Settings } from '#config/settings.ts';
import { acceptEmptySecrets, refuseManyFields } from '#openid/clients/client-forms.ts';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { neverReplacedGrants } from '#openid/sessions/grants.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { reportingAcr } from './authentication-context.ts';
import { refuseUnfitProofs } from './dpop-proof.ts';
import { type FindAccountOptions, findAccount } from './find-account.ts';
import { timeToLive } from './lifetimes.ts';
import { completeRotation, rotateRefreshToken, rotatingRefreshTokens } from './refresh-rotation.ts';
import { prefetchRecords } from './request-prefetch.ts';
import { serviceAccountTokens } from './service-account-tokens.ts';
import { signInClaims } from './sign-in-of-token.ts';
import { replayDetection, storedBySpending, usableOnce } from './single-use.ts';
import { withoutWithdrawnScopes } from './withdrawn-scopes.ts';

interface TokenEndpointOptions extends FindAccountOptions {
  records: OidcRecords;
  clients: ClientRegistry;
  settings: FindAccountOptions['settings'] & Pick<Settings, 'lifetimes' | 'limits'>;
}

export type TokenEndpoint = ReturnType<typeof tokenEndpoint>;

type Wrap = (adapter: Adapter) => Adapter;

/** Our additions, in the ways that oidc-provider documents: middleware, adapters, configuration. */
export function tokenEndpoint(options: TokenEndpointOptions) {
  const { clients, settings } = options;
  const { lifetimes, limits } = settings;
  // The records behind a presented token are fetched in one query.
  const { records, accounts } = prefetchRecords(options.records, options.accounts);

  // Before each grant: the form and the client. `clients/client-assertion.ts` and the patch `hashed-client-secrets` authenticate it.
  const before = [refuseManyFields, acceptEmptySecrets(clients)];

  // In each grant: a DPoP proof must be fresh, unused and signed by a key that fits.
  const requireNonce = refuseUnfitProofs;
  const ReplayDetection: Wrap = (adapter) => replayDetection(adapter, records);

  // authorization_code and refresh_token: the access token is stored by the statement that spends the code or the refresh token.
  const AccessToken = storedBySpending;

  // authorization_code: finds the code and spends it once. Its facts about the sign-in were settled when it was stored.
  const AuthorizationCode: Wrap = (adapter) => notingPerson(usableOnce(reportingAcr(adapter), records));

  // refresh_token: finds the token and spends it for a successor. A repetition within the grace window gets the same successor.
  const RefreshToken: Wrap = (adapter) =>
    notingPerson(rotatingRefreshTokens(adapter, records, lifetimes.refreshTokenGrace));

  // authorization_code and refresh_token: the grant covers only what the client may still request. The person must be active, and has the
  // claims of the ID token.
  const Grant: Wrap = (adapter) => withoutWithdrawnScopes(neverReplacedGrants(adapter, records), clients);
  const findPerson = findAccount({ ...options, accounts });

  // client_credentials: checks scopes and number of the tokens. The other grants: the access token gets the time of the sign-in.
  const checkOwnToken = serviceAccountTokens(clients, limits.serviceAccountTokens);
  const extraTokenClaims: Configuration['extraTokenClaims'] = async (ctx, token) => {
    await checkOwnToken(ctx, token);
    return signInClaims(ctx, token);
  };

  // After a grant: the response names the stored successor, and a stolen refresh token ends its family.
  const after = [completeRotation(options.records)];

  return {
    before,
    requireNonce,
    adapters: { ReplayDetection, AccessToken, AuthorizationCode, RefreshToken, Grant } as Partial<Record<string, Wrap>>,
    rotateRefreshToken,
    findAccount: findPerson,
    extraTokenClaims,
    ttl: timeToLive(lifetimes),
    after,
    /** Records and accounts with that query, for everything else that answers such a request. */
    prefetched: { records, accounts },
  };
}

/** The state of a request has the account of the presented code or refresh token under this name. */
export const PRESENTED_BY = 'presentedBy';

// A refusal names the person only in passing, and a code or token that was used twice is gone by then.
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
