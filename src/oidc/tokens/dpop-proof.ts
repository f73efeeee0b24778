// Owns reading and checking a proof of possession (DPoP, RFC 9449 section 4.3) where oidc-provider is not asked: at the
// directory, and for the age of a proof everywhere. Does not own which tokens are bound to a key (`introspection.ts`).

import { createPublicKey, hash, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import { digest } from '../../shared/crypto/digest.ts';
import { PROOF_ALGORITHMS, type ProofAlgorithm } from '../../shared/crypto/proof-algorithms.ts';
import { CLOCK_TOLERANCE } from '../clock.ts';

const VERIFIERS: Record<ProofAlgorithm, (key: KeyObject, data: Buffer, signature: Buffer) => boolean> = {
  ES256: (key, data, signature) =>
    key.asymmetricKeyDetails?.namedCurve === 'prime256v1' &&
    verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature),
  EdDSA: (key, data, signature) => key.asymmetricKeyType === 'ed25519' && verify(null, data, key, signature),
  Ed25519: (key, data, signature) => key.asymmetricKeyType === 'ed25519' && verify(null, data, key, signature),
  RS256: (key, data, signature) => isLongRsa(key) && verify('sha256', data, key, signature),
  PS256: (key, data, signature) =>
    isLongRsa(key) && verify('sha256', data, { key, padding: RSA_PKCS1_PSS_PADDING, saltLength: 32 }, signature),
};
const RSA_PKCS1_PSS_PADDING = 6;
const LEAST_RSA_BITS = 2048;

/** Seconds: how old a proof may be (SEC-46). */
const OLDEST = 60;
/** Seconds for which a proof is remembered, so that it is good once: longer than it could be used. */
export const PROOF_REMEMBERED = 2 * OLDEST + CLOCK_TOLERANCE;

const LONGEST = 8192;

/** What a request must have been proved for. */
export interface ProofTarget {
  method: string;
  /** Absolute public address of the request; its query does not matter. */
  url: string;
  accessToken: string;
  /** Seconds since the epoch. */
  now: number;
}

export interface Proof {
  /** RFC 7638 thumbprint of the key. */
  thumbprint: string;
  jti: string;
}

/** A proof that does not hold; the message says why, for the client's developer. */
export class ProofFault extends Error {}

interface Parts {
  header: { typ?: unknown; alg?: unknown; jwk?: JsonWebKey; crit?: unknown };
  payload: { jti?: unknown; htm?: unknown; htu?: unknown; iat?: unknown; ath?: unknown; nonce?: unknown };
}

/** Checks everything about a proof but whether it was seen before. Throws `ProofFault`. */
export function checkProof(proof: string, { method, url, accessToken, now }: ProofTarget): Proof {
  const { header, payload } = partsOf(proof);
  if (header.typ !== 'dpop+jwt') throw new ProofFault('its typ must be dpop+jwt');
  if (header.crit !== undefined) throw new ProofFault('critical header parameters are not understood');
  const algorithm = PROOF_ALGORITHMS.find((name) => name === header.alg);
  if (!algorithm) throw new ProofFault(`its alg must be one of ${PROOF_ALGORITHMS.join(', ')}`);
  const end = proof.lastIndexOf('.');
  const signature = Buffer.from(proof.slice(end + 1), 'base64url');
  const key = publicKeyOf(header.jwk);
  let signed = false;
  try {
    signed = VERIFIERS[algorithm](key, Buffer.from(proof.slice(0, end)), signature);
  } catch {
    // A signature of a wrong length is a wrong signature.
  }
  if (!signed) throw new ProofFault('its signature does not verify');
  checkProofAge(payload.iat, now);
  if (payload.htm !== method) throw new ProofFault(`its htm must be ${method}`);
  if (typeof payload.htu !== 'string' || placeOf(payload.htu) !== placeOf(url)) {
    throw new ProofFault('its htu must be the address of the request, without the query');
  }
  if (payload.ath !== hash('sha256', accessToken, 'base64url')) {
    throw new ProofFault('its ath must be the SHA-256 of the access token');
  }
  const { jti } = payload;
  if (typeof jti !== 'string' || jti === '' || jti.length > 512) throw new ProofFault('its jti is missing');
  return { thumbprint: thumbprintOf(header.jwk as JsonWebKey), jti };
}

/** Throws `ProofFault` unless a proof was made within the last minute. `now` in seconds since the epoch. */
export function checkProofAge(iat: unknown, now: number): void {
  if (typeof iat !== 'number' || !Number.isFinite(iat)) throw new ProofFault('its iat must be a number');
  if (now - iat >= OLDEST) throw new ProofFault('its iat is too long ago: make a proof for each request');
  if (iat - now > CLOCK_TOLERANCE) throw new ProofFault('its iat is in the future: set the clock of the client');
}

/** `iat` of a proof that nobody has verified; undefined when it cannot be read. */
export function proofTime(proof: string): unknown {
  try {
    return partsOf(proof).payload.iat;
  } catch {
    return undefined;
  }
}

/** Thumbprint of the key in a proof that was verified elsewhere; undefined without a proof. */
export function proofThumbprint(proof: string): string | undefined {
  if (proof === '') return undefined;
  try {
    return thumbprintOf(partsOf(proof).header.jwk as JsonWebKey);
  } catch {
    return undefined;
  }
}

function partsOf(proof: string): Parts {
  const [header, payload, signature, ...more] = proof.split('.');
  if (proof.length > LONGEST || !header || !payload || !signature || more.length > 0) {
    throw new ProofFault('the DPoP header must hold one signed JWT');
  }
  try {
    const parts = { header: decoded(header), payload: decoded(payload) };
    if (isGroup(parts.header) && isGroup(parts.payload)) return parts as Parts;
  } catch {
    // Told below.
  }
  throw new ProofFault('the DPoP header must hold one signed JWT');
}

function publicKeyOf(jwk: JsonWebKey | undefined): KeyObject {
  if (!isGroup(jwk)) throw new ProofFault('its header must hold the public key as jwk');
  if (['d', 'p', 'q', 'k', 'priv'].some((member) => Object.hasOwn(jwk, member))) {
    throw new ProofFault('its jwk must not hold the private key');
  }
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    throw new ProofFault('its jwk is no usable public key');
  }
}

const MEMBERS: Record<string, readonly string[]> = {
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
};

/** RFC 7638 section 3. */
function thumbprintOf(jwk: JsonWebKey): string {
  const members = MEMBERS[String(jwk.kty)] ?? [];
  return digest(JSON.stringify(Object.fromEntries(members.map((name) => [name, jwk[name]]))));
}

// RFC 9449 section 4.3, check 9: compared after normalization, without query and fragment. `URL` does all of it but that of
// percent-encoding (RFC 3986 sections 6.2.2.1 and 6.2.2.2).
function placeOf(address: string): string | undefined {
  const url = URL.parse(address);
  return url ? `${url.origin}${url.pathname.replace(/%[0-9a-f]{2}/gi, normalEncoding)}` : undefined;
}

function normalEncoding(encoded: string): string {
  const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
  return /[\w.~-]/.test(character) ? character : encoded.toUpperCase();
}

function isLongRsa(key: KeyObject): boolean {
  return key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_RSA_BITS;
}

function decoded(part: string): unknown {
  return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
