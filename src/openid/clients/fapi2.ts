// Rules for requests of a client with `profile: fapi2` or `fapi2-message-signing`, in addition to the settings that the profile brings
// (`src/config/clients/fapi2.ts`).

import type { Client } from 'oidc-provider';
import type { ClientSettings } from '#config/settings.ts';
import { PROOF_ALGORITHMS } from '#shared/crypto/json-web-keys.ts';

/** Metadata of our own: the profile, if a client has one. */
export const PROFILE = 'hygie_profile';

export function isFapi2(client: Client | undefined): boolean {
  return client?.[PROFILE] !== undefined;
}

/** FAPI 2.0 Security Profile section 5.4.1 names all that it admits. */
const FAPI2_ALGORITHMS: readonly string[] = ['ES256', 'EdDSA', 'Ed25519', 'PS256'];

/** The algorithms by which a client with this profile, or none, may sign assertions, proofs and requests. */
export function algorithmsOf(profile: ClientSettings['profile']): readonly string[] {
  return profile === undefined ? PROOF_ALGORITHMS : FAPI2_ALGORITHMS;
}

/** The algorithms that a client of the library may use. Any one is allowed as long as the client is unknown. */
export function algorithmsOfClient(client: Client | undefined): readonly string[] {
  return isFapi2(client) ? FAPI2_ALGORITHMS : PROOF_ALGORITHMS;
}
