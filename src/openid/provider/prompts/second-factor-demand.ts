// Decides whether a request demands a second factor: by the operator's settings, by an essential `acr` or by `acr_values` (OpenID Connect
// Core section 5.5.1.1, RFC 9470). `prompts.ts` then demands the second factor, and `sign-in/second-factor/` has the pages.

import type { Settings } from '#config/settings.ts';
import { SECOND_FACTOR } from '#openid/clients/client-registry.ts';
import {
  ACR_VALUES,
  PASSWORD_ACR,
  reportedAcr,
  SECOND_FACTOR_ACR,
  wantedAcr,
} from '#openid/tokens/authentication-context.ts';

interface Demand {
  /** Parameters of the authorization request, with `claims` as JSON. */
  params: Readonly<Record<string, unknown>>;
  client: Readonly<Record<string, unknown>> | undefined;
  settings: Pick<Settings, 'secondFactor'>;
}

/**
 * Returns whether a request demands a second factor; undefined if it does not. `required` comes from the operator (`secondFactor` of the
 * settings or of the client) or from an essential `acr`. `wanted` comes from `acr_values`, which express only a wish, so it applies only to
 * people who have a second factor.
 */
export function secondFactorDemand({ params, client, settings }: Demand): 'required' | 'wanted' | undefined {
  if (settings.secondFactor === 'required' || client?.[SECOND_FACTOR] === 'required') return 'required';
  const wanted = wantedAcr(params['claims']);
  if (wanted.essential && reportedAcr(PASSWORD_ACR, wanted) === undefined) return 'required';
  const wishes = String(params['acr_values'] ?? '').split(' ');
  return wishes.find((acr) => ACR_VALUES.includes(acr)) === SECOND_FACTOR_ACR ? 'wanted' : undefined;
}
