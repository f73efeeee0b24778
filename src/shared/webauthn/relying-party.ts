// The service as WebAuthn's relying party, and whether it can be one: browsers make no passkeys for a network address.

import { isIP } from 'node:net';

/** The relying party has the host of the issuer as its id, and responses must come from the issuer's origin. */
export interface RelyingParty {
  /** The "RP ID" of WebAuthn section 4. It must never change, because passkeys stay bound to it. */
  id: string;
  origin: string;
  name: string;
}

/** Returns undefined if the issuer's host is a network address, for which browsers make no passkeys. */
export function relyingPartyOf(issuer: string, name: string): RelyingParty | undefined {
  const { hostname, origin } = new URL(issuer);
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { id: hostname, origin, name } : undefined;
}
