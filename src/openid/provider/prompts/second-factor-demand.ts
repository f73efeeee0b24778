// Decides whether a request demands a second factor: by the operator's settings, by an essential `acr` or by `acr_values` (OpenID Connect
// Core section 5.5.1.1, RFC 9470). If the session has no second factor, `secondFactorCheck` then demands a sign-in with one; `prompts.ts`
// adds this check to the prompts. If the password of the session is still recent enough, `progressOf` in `sign-in/finish-login.ts` asks
// only for the second step. The pages are in `sign-in/second-factor/`.

import { interactionPolicy } from 'oidc-provider';
import type { Settings } from '#config/settings.ts';
import { SECOND_FACTOR } from '#openid/clients/client-registry.ts';
import {
  ACR_VALUES,
  PASSWORD_ACR,
  reportedAcr,
  SECOND_FACTOR_ACR,
  wantedAcr,
} from '#openid/tokens/authentication-context.ts';
import type { SecondFactors } from '#store/accounts/factors/second-factors.ts';

interface Demand {
  /** Parameters of the authorization request, with `claims` as JSON. */
  params: Readonly<Record<string, unknown>>;
  client: Readonly<Record<string, unknown>> | undefined;
  settings: Pick<Settings, 'secondFactor'>;
}

/**
 * Returns whether a request demands a second factor; undefined if it does not. `required` comes from the operator (`secondFactor` of the
 * settings or of the client) or from an essential `acr`. `wanted` comes from `acr_values`, which express only a wish, so it applies only to
 * people with a second factor.
 */
export function secondFactorDemand({ params, client, settings }: Demand): 'required' | 'wanted' | undefined {
  if (settings.secondFactor === 'required' || client?.[SECOND_FACTOR] === 'required') return 'required';
  const wanted = wantedAcr(params['claims']);
  if (wanted.essential && reportedAcr(PASSWORD_ACR, wanted) === undefined) return 'required';
  const wishes = String(params['acr_values'] ?? '').split(' ');
  return wishes.find((acr) => ACR_VALUES.includes(acr)) === SECOND_FACTOR_ACR ? 'wanted' : undefined;
}

/** Name of the check for a second factor. The library gives it as the reason of an interaction that this check causes. */
export const SECOND_FACTOR_NEEDED = 'second_factor';

/**
 * Demands a sign-in with a second factor if the request demands a second factor and the session has none. This check replaces two checks of
 * the library, which do not know that one `acr` may imply another.
 */
export function secondFactorCheck(
  settings: Pick<Settings, 'secondFactor'>,
  secondFactors: Pick<SecondFactors, 'kinds'>,
): interactionPolicy.Check {
  return new interactionPolicy.Check(
    SECOND_FACTOR_NEEDED,
    'the sign-in of the session has no second factor',
    'login_required',
    async ({ oidc }) => {
      const { acr, accountId } = oidc.session ?? {};
      if (accountId === undefined || acr === SECOND_FACTOR_ACR) return false;
      const demand = secondFactorDemand({ params: oidc.params ?? {}, client: oidc.client, settings });
      return demand === 'required' || (demand === 'wanted' && (await secondFactors.kinds(accountId)).length > 0);
    },
  );
}
