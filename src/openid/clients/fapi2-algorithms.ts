// Rules for the requests of a client with `profile: fapi2` or `fapi2-message-signing`. The settings that the profile implies are in
// `src/config/clients/fapi2.ts`.

import type { Client } from 'oidc-provider';
import type { ClientSettings } from '#config/settings.ts';
import { PROOF_ALGORITHMS } from '#shared/crypto/json-web-keys.ts';

/** Name of our own client metadata that holds the profile. A client without a profile does not have it. */
export const PROFILE = 'hygie_profile';

export function isFapi2(client: Client | undefined): boolean {
  return client?.[PROFILE] !== undefined;
}

/** All algorithms that FAPI 2.0 Security Profile section 5.4.1 allows. */
const FAPI2_ALGORITHMS: readonly string[] = ['ES256', 'EdDSA', 'Ed25519', 'PS256'];

/**
 * Returns the algorithms with which a client of this profile may sign assertions, proofs and requests. `undefined` stands for a client
 * without a profile.
 */
export function algorithmsOf(profile: ClientSettings['profile']): readonly string[] {
  return profile === undefined ? PROOF_ALGORITHMS : FAPI2_ALGORITHMS;
}

/**
 * Works like `algorithmsOf`, but takes the client as an object of oidc-provider. If the client is not known yet, the algorithms are those
 * for a client without a profile.
 */
export function algorithmsOfClient(client: Client | undefined): readonly string[] {
  return isFapi2(client) ? FAPI2_ALGORITHMS : PROOF_ALGORITHMS;
}
