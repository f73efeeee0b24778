// The token endpoint, step by step. oidc-provider executes each grant type (its lib/actions/token.js and lib/actions/grants). This file
// lists what we add before, during and after that, in the order in which it runs; only the replay check of a proof runs later than its
// place here. `provider/middleware.ts` runs `before` and `after`, `provider/storage/adapter.ts` applies `adapters`, and
// `provider/configuration.ts` passes the rest to the library. The library puts the claims of the ID token together in its
// lib/helpers/grant_common.js (`issueIdToken`, which `issueTokens` calls for a code), with the account of `find-account.ts` and the claims
// of `claims.ts`. Its lib/models/id_token.js selects the claims that the client gets, and signs the token.

import { type Adapter, type Configuration, Provider } from 'oidc-provider';
import type { Settings } from '#config/settings.ts';
import { acceptEmptySecrets, refuseManyFields } from '#openid/clients/client-forms.ts';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { neverReplacedGrants } from '#openid/sessions/grants.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { reportingAcr, signInClaims } from './authentication-context.ts';
import { refuseUnfitProofs } from './dpop-proof.ts';
import { type FindAccountOptions, findAccount, withoutWithdrawnScopes } from './find-account.ts';
import { timeToLive } from './lifetimes.ts';
import { completeRotation, rotateRefreshToken, rotatingRefreshTokens } from './refresh-rotation.ts';
import { prefetchRecords } from './request-prefetch.ts';
import { serviceAccountTokens } from './service-account-tokens.ts';
import { replayDetection, storedBySpending, usableOnce } from './single-use.ts';

interface TokenEndpointOptions extends FindAccountOptions {
  records: OidcRecords;
  clients: ClientRegistry;
  settings: FindAccountOptions['settings'] & Pick<Settings, 'lifetimes' | 'limits'>;
}

export type TokenEndpoint = ReturnType<typeof tokenEndpoint>;

type Wrap = (adapter: Adapter) => Adapter;

/** Makes our additions to the token endpoint by documented means of oidc-provider: middleware, adapters and configuration. */
export function tokenEndpoint(options: TokenEndpointOptions) {
  const { clients, settings } = options;
  const { lifetimes, limits } = settings;
  // With these records and accounts, one query fetches everything about a presented token.
  const { records, accounts } = prefetchRecords(options.records, options.accounts);

  // Before the library executes a grant type: refuses forms with too many fields, and accepts a client that sends an empty secret because
  // it has none. The library then authenticates the client: by an assertion (`clients/client-assertion.ts`), or by a secret (the patch
  // `provider/patches/hashed-client-secrets.ts`, with `clients/client-secret-check.ts`).
  const before = [refuseManyFields, acceptEmptySecrets(clients)];

  // Every grant type: a DPoP proof must be fresh, unused, and signed by a key and an algorithm that the client may use. Whether it is
  // unused is checked later: with a code, once the code, its grant and the account are found; with a refresh token, once the token and its
  // grant are found, and before the account is looked up.
  const requireNonce = refuseUnfitProofs;
  const ReplayDetection: Wrap = (adapter) => replayDetection(adapter, records);

  // authorization_code: finds the code and spends it once. How and when the person signed in is already in the code. If the request has an
  // essential `acr`, `reportingAcr` replaces the `acr` of the sign-in when `/authorize` stores the code.
  const AuthorizationCode: Wrap = (adapter) => notingPerson(usableOnce(reportingAcr(adapter), records));

  // refresh_token: finds the token and replaces it by a successor. If the refresh is repeated within the grace window, the client gets the
  // same successor.
  const RefreshToken: Wrap = (adapter) =>
    notingPerson(rotatingRefreshTokens(adapter, records, lifetimes.refreshTokenGrace));

  // authorization_code and refresh_token: the stored grant covers only scopes that the client may still request. The account must be
  // active, and its data become the claims of the ID token.
  const Grant: Wrap = (adapter) => withoutWithdrawnScopes(neverReplacedGrants(adapter, records), clients);
  const findPerson = findAccount({ ...options, accounts });

  // client_credentials: checks the scopes and the number of the tokens. Other grant types: adds the sign-in time to the access token.
  const checkOwnToken = serviceAccountTokens(clients, limits.serviceAccountTokens);
  const extraTokenClaims: Configuration['extraTokenClaims'] = async (ctx, token) => {
    await checkOwnToken(ctx, token);
    return signInClaims(ctx, token);
  };

  // authorization_code and refresh_token: spends the code or the refresh token and stores the access token in one step (`consume` in
  // `store/oidc/oidc-records.ts`: one statement on PostgreSQL, one transaction on SQLite). For a refresh token, this step also stores the
  // successor. For a code, the library then stores a refresh token, if the client gets one. At the end, it signs the ID token.
  const AccessToken = storedBySpending;

  // After the library executed a grant type: puts the stored successor into the response, and ends the family of a stolen refresh token.
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
    /**
     * Records and accounts that return what the one query has found. All other code that the provider runs for a request must use them, so
     * that nothing is fetched twice.
     */
    prefetched: { records, accounts },
  };
}

/** Name in `ctx.state` for the account of the presented code or refresh token. */
export const PRESENTED_BY = 'presentedBy';

// Notes the account of a presented code or token for the audit trail. When a request is refused, the library does not name the account, and
// a code or token that is used twice has been deleted by then.
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
