// The token endpoint, step by step. oidc-provider executes each grant (its lib/actions/token.js and lib/actions/grants). This file lists
// our additions before, in and after it, in the order in which they run. `provider/middleware.ts` runs `before` and `after`,
// `provider/storage/adapter.ts` applies `adapters`, and `provider/configuration.ts` passes the rest to the library. The library makes and
// signs the ID token (its lib/models/id_token.js) with the account of `find-account.ts` and the claims of `claims.ts`.

import { type Adapter, type Configuration, Provider } from 'oidc-provider';
import type { Settings } from '#config/settings.ts';
import { acceptEmptySecrets, refuseManyFields } from '#openid/clients/client-forms.ts';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { neverReplacedGrants } from '#openid/sessions/grants.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { reportingAcr } from './authentication-context.ts';
import { refuseUnfitProofs } from './dpop-proof.ts';
import { type FindAccountOptions, findAccount, withoutWithdrawnScopes } from './find-account.ts';
import { signInClaims } from './introspection.ts';
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

/** Lists our additions. They use what oidc-provider documents: middleware, adapters, configuration. */
export function tokenEndpoint(options: TokenEndpointOptions) {
  const { clients, settings } = options;
  const { lifetimes, limits } = settings;
  // One query fetches all records behind a presented token.
  const { records, accounts } = prefetchRecords(options.records, options.accounts);

  // Before each grant: limits the form, and accepts a client without a secret. The library then authenticates the client, with
  // `clients/client-assertion.ts` or with the patch `provider/patches/hashed-client-secrets.ts`. `clients/client-secret-check.ts` compares
  // the secret.
  const before = [refuseManyFields, acceptEmptySecrets(clients)];

  // In each grant: a DPoP proof must be fresh, unused and signed by a key that fits.
  const requireNonce = refuseUnfitProofs;
  const ReplayDetection: Wrap = (adapter) => replayDetection(adapter, records);

  // authorization_code: finds the code and spends it once. The code already says how and when the person signed in (`reportingAcr` works
  // when `/authorize` stores it).
  const AuthorizationCode: Wrap = (adapter) => notingPerson(usableOnce(reportingAcr(adapter), records));

  // refresh_token: finds the token and spends it for a successor. A repetition within the grace window gets the same successor.
  const RefreshToken: Wrap = (adapter) =>
    notingPerson(rotatingRefreshTokens(adapter, records, lifetimes.refreshTokenGrace));

  // authorization_code and refresh_token: the grant covers only scopes that the client may still request. The account must be active. It
  // supplies the claims of the ID token.
  const Grant: Wrap = (adapter) => withoutWithdrawnScopes(neverReplacedGrants(adapter, records), clients);
  const findPerson = findAccount({ ...options, accounts });

  // client_credentials: checks the scopes and the number of the tokens. Other grants: the access token gets the time of the sign-in.
  const checkOwnToken = serviceAccountTokens(clients, limits.serviceAccountTokens);
  const extraTokenClaims: Configuration['extraTokenClaims'] = async (ctx, token) => {
    await checkOwnToken(ctx, token);
    return signInClaims(ctx, token);
  };

  // authorization_code and refresh_token, last: one statement stores the access token and spends the code or the refresh token.
  const AccessToken = storedBySpending;

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
    /** Records and accounts that answer from that query. All other code that serves such a request uses them. */
    prefetched: { records, accounts },
  };
}

/** Name in `ctx.state` for the account of the presented code or refresh token. */
export const PRESENTED_BY = 'presentedBy';

// Notes the account of a presented code or token for the audit trail. The library does not name it in a refusal, and a code or token that
// is used twice has been deleted by then.
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
