// Verifies a signed token as any relying party would: with the key that its header names, out of the public key set.

import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';

export interface KeySet {
  keys: (JsonWebKey & { kid: string; alg: string })[];
}

const DIGEST: Readonly<Record<string, string | null>> = { RS256: 'sha256', ES256: 'sha256', EdDSA: null };

/** Header and payload; throws when the key is not there or the signature is not its own. */
export function verified(
  token: string,
  set: KeySet,
): { header: { alg: string; kid: string; typ?: string }; payload: Record<string, unknown> } {
  const [head = '', body = '', signature = ''] = token.split('.');
  const header = JSON.parse(Buffer.from(head, 'base64url').toString());
  const jwk = set.keys.find(({ kid, alg }) => kid === header.kid && alg === header.alg);
  if (!jwk) throw new Error(`the key set has no ${header.alg} key ${header.kid}`);
  const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const };
  const holds = verify(DIGEST[header.alg], Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'));
  if (!holds) throw new Error('the signature does not verify');
  return { header, payload: JSON.parse(Buffer.from(body, 'base64url').toString()) };
}
