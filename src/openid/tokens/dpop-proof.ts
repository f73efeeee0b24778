// Verifies proofs of possession for the directory (DPoP, RFC 9449 section 4.3). oidc-provider itself verifies the proofs at its own
// endpoints, and this file adds stricter checks of their age, key and algorithm. The setting `dpop: required` becomes client metadata
// (`clients/client-registry.ts`). `introspection.ts` refuses tokens that were issued before the operator chose this setting.

import { hash } from 'node:crypto';
import {
  calculateJwkThumbprint,
  decodeJwt,
  decodeProtectedHeader,
  EmbeddedJWK,
  type JWK,
  jwtVerify,
  type ProtectedHeaderParameters,
} from 'jose';
import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { CLOCK_TOLERANCE } from '#openid/clients/client-assertion.ts';
import { algorithmsOfClient } from '#openid/clients/fapi2-algorithms.ts';
import { hasPrivateMembers, PROOF_ALGORITHMS } from '#shared/crypto/json-web-keys.ts';
import { epochSeconds } from '#store/database/connection.ts';

/** Maximum age of a proof in seconds (SEC-46). */
const MAX_AGE = 60;
/** Seconds for which a used proof is remembered. This is longer than a proof is valid, so that it can be used only once. */
export const PROOF_REMEMBERED = 2 * MAX_AGE + CLOCK_TOLERANCE;

const MAX_LENGTH = 8192;

/** The request for which a proof must have been made. */
interface ProofTarget {
  method: string;
  /** Absolute public address of the request. Its query is ignored. */
  url: string;
  accessToken: string;
  /** Algorithms with which the client may sign proofs. */
  algorithms: readonly string[];
  /** Present time in seconds since 1970. */
  now: number;
}

interface Proof {
  /** Thumbprint of the key (RFC 7638). */
  thumbprint: string;
  jti: string;
}

/** Thrown for an invalid proof. The message tells the developer of the client what is wrong. */
export class InvalidProof extends Error {}

/** Checks everything about a proof except whether it was used before. Throws `InvalidProof`. */
export async function checkProof(proof: string, target: ProofTarget): Promise<Proof> {
  const { method, url, accessToken, algorithms, now } = target;
  const { payload, jwk } = await verify(proof, algorithms);
  checkProofAge(payload.iat, now);
  if (payload['htm'] !== method) throw new InvalidProof(`its htm must be ${method}`);
  if (typeof payload['htu'] !== 'string' || normalized(payload['htu']) !== normalized(url)) {
    throw new InvalidProof('its htu must be the address of the request, without the query');
  }
  if (payload['ath'] !== hash('sha256', accessToken, 'base64url')) {
    throw new InvalidProof('its ath must be the SHA-256 of the access token');
  }
  const { jti } = payload;
  if (typeof jti !== 'string' || jti === '' || jti.length > 512) throw new InvalidProof('its jti is missing');
  return { thumbprint: await calculateJwkThumbprint(jwk), jti };
}

/**
 * Checks that the header contains the public key and no part of the private key. The library jose, which verifies the signature, refuses a
 * whole private key, but not parts of one. It also checks `use`, `key_ops` and the `alg` of the key. Its message about `alg` is unclear, so
 * this function checks `alg` too (RFC 7517 sections 4.2 to 4.4).
 */
function checkKey({ jwk, alg, crit }: ProtectedHeaderParameters): void {
  if (crit !== undefined) throw new InvalidProof('its header must have no crit');
  if (typeof jwk !== 'object' || jwk === null) throw new InvalidProof('its jwk, the public key, is missing');
  const { alg: ofKey } = jwk as JWK;
  if (ofKey !== undefined && ofKey !== alg) {
    throw new InvalidProof(`its alg is ${named(alg)}, and that of its key ${named(ofKey)}`);
  }
  if (hasPrivateMembers(jwk)) throw new InvalidProof('its jwk must not hold the private key');
}

/** Returns the name of an algorithm for a message. The message is also logged, so it contains no unknown name (SEC-17). */
const named = (alg: unknown) => PROOF_ALGORITHMS.find((one) => one === alg) ?? 'another';

/** Our messages for jose's error codes. They replace jose's own messages, which quote the proof. */
const REASONS: Readonly<Record<string, string>> = {
  ERR_JOSE_ALG_NOT_ALLOWED: 'its alg is not taken here',
  ERR_JWT_CLAIM_VALIDATION_FAILED: 'its typ must be dpop+jwt, and its times be numbers that hold',
  ERR_JWT_EXPIRED: 'it has expired',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature is not by the key in it',
};

async function verify(proof: string, algorithms: readonly string[]) {
  if (proof.length > MAX_LENGTH) throw new InvalidProof('the DPoP header must hold one signed JWT');
  checkKey(unverified(proof).header);
  try {
    const options = { algorithms: [...algorithms], typ: 'dpop+jwt' };
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, options);
    return { payload, jwk: protectedHeader.jwk as JWK };
  } catch (error) {
    throw new InvalidProof(REASONS[(error as { code?: string }).code ?? ''] ?? 'its jwk or its form cannot be used');
  }
}

/** Throws `InvalidProof` if a proof is older than a minute or from the future. `now` is in seconds since 1970. */
function checkProofAge(iat: unknown, now: number): void {
  if (typeof iat !== 'number' || !Number.isFinite(iat)) throw new InvalidProof('its iat must be a number');
  if (now - iat >= MAX_AGE) throw new InvalidProof('its iat is too long ago: make a proof for each request');
  if (iat - now > CLOCK_TOLERANCE) throw new InvalidProof('its iat is in the future: set the clock of the client');
}

/**
 * Takes the place of the library's option `requireNonce`, which the library calls before it verifies a proof. Returns false, because no
 * nonce is required. Throws for proofs that the library would accept but this service refuses: those with an unfit key (`checkKey`) or
 * algorithm, and those that are older than a minute or from the future. The library would accept a proof for five minutes, but remembers
 * used proofs for a shorter time (SEC-46, SEC-50).
 */
export function refuseUnfitProofs(ctx: KoaContextWithOIDC): boolean {
  try {
    const { header, iat } = unverified(ctx.get('DPoP'));
    checkKey(header);
    checkAlgorithm(header, ctx.oidc.client);
    checkProofAge(iat, epochSeconds());
  } catch (error) {
    throw refusalOf(error);
  }
  return false;
}

function checkAlgorithm({ alg }: ProtectedHeaderParameters, client: Client | undefined): void {
  const algorithms = algorithmsOfClient(client);
  if (!algorithms.includes(String(alg))) throw new InvalidProof(`its alg has to be one of ${algorithms.join(', ')}`);
}

/**
 * Checks at userinfo what the settings of a client demand of its proofs. `refuseUnfitProofs` cannot check this, because at userinfo the
 * library knows the client only after it has verified the proof. Throws `invalid_token` if the token is bound to no key and the client now
 * needs a bound one. Throws `invalid_dpop_proof` if the client may not use the algorithm of the proof.
 */
export function refuseWeakPresentation(ctx: KoaContextWithOIDC): void {
  const proof = ctx.get('DPoP');
  if (!proof) {
    if (ctx.oidc.client?.dpopBoundAccessTokens) throw new errors.InvalidToken('the access token is bound to no key');
    return;
  }
  try {
    checkAlgorithm(unverified(proof).header, ctx.oidc.client);
  } catch (error) {
    throw refusalOf(error);
  }
}

function refusalOf(error: unknown): unknown {
  return error instanceof InvalidProof
    ? new errors.InvalidDpopProof(`the DPoP proof does not hold: ${error.message}`)
    : error;
}

/** Reads the header and time of a proof without verifying it. */
function unverified(proof: string): { header: ProtectedHeaderParameters; iat: unknown } {
  try {
    return { header: decodeProtectedHeader(proof), iat: decodeJwt(proof).iat };
  } catch {
    throw new InvalidProof('the DPoP header must hold one signed JWT');
  }
}

/** Returns the thumbprint of the key in a verified proof; undefined if there is no proof. */
export async function proofThumbprint(proof: string): Promise<string | undefined> {
  try {
    return await calculateJwkThumbprint(decodeProtectedHeader(proof).jwk as JWK);
  } catch {
    return undefined;
  }
}

// Normalizes an address for a comparison, and removes its query and fragment (RFC 9449 section 4.3, check 9). `URL` does everything except
// normalizing the percent-encoding (RFC 3986 sections 6.2.2.1 and 6.2.2.2).
function normalized(address: string): string | undefined {
  const url = URL.parse(address);
  return url ? `${url.origin}${url.pathname.replace(/%[0-9a-f]{2}/gi, normalEncoding)}` : undefined;
}

function normalEncoding(encoded: string): string {
  const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
  return /[\w.~-]/.test(character) ? character : encoded.toUpperCase();
}
