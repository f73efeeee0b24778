// Which public keys may stand under `jwks` of a client. No part of a private key is repeated.

import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { type Problem, shown } from '#config/configuration-error.ts';
import { hasPrivateMembers } from '#shared/crypto/private-key-members.ts';

const REMEDY = 'Copy the whole public key: RSA of 2048 bits or more, P-256, P-384 or Ed25519.';

/** What is wrong with an entry of `jwks.keys`; undefined for a key that can be used. */
export function publicKeyProblem(key: JsonWebKey): Problem | undefined {
  if (hasPrivateMembers(key)) {
    const remedy = 'Put the public key here (without d), and make a new pair: this one has been written down.';
    return { problem: 'Is a private key (its value is not shown).', remedy };
  }
  const kind = key.kty === 'RSA' ? key.kty : key.crv;
  if (!['RSA', 'P-256', 'P-384', 'Ed25519'].includes(kind ?? '')) {
    return { problem: `kty ${shown(key.kty)} with crv ${shown(key.crv)} is not used here.`, remedy: REMEDY };
  }
  try {
    const bits = createPublicKey({ key, format: 'jwk' }).asymmetricKeyDetails?.modulusLength ?? 2048;
    return bits < 2048 ? { problem: `Has ${bits} bits.`, remedy: REMEDY } : undefined;
  } catch {
    return { problem: `Its members make no ${kind} key.`, remedy: REMEDY };
  }
}
