// The service as a relying party of WebAuthn. Its id is the host of the issuer, and responses must come from the issuer's origin.

import { isIP } from 'node:net';

export interface RelyingParty {
  /** WebAuthn section 4, "RP ID": passkeys stay bound to it for ever. */
  id: string;
  origin: string;
  name: string;
}

/** Returns undefined if the issuer's host is a network address, for which browsers make no passkeys. */
export function relyingPartyOf(issuer: string, name: string): RelyingParty | undefined {
  const { hostname, origin } = new URL(issuer);
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { id: hostname, origin, name } : undefined;
}
