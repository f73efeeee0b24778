// What the modules of the conformance suite evaluate of each answer that they get, whatever they are about: callbacks,
// token responses, ID tokens, userinfo, errors. At least as strict as the conditions of the suite, whether these fail or
// only warn.

import { createHash } from 'node:crypto';
import { expect } from '@jest/globals';

export type Claims = Record<string, unknown>;

export interface Tokens {
  access_token: string;
  id_token: string;
  refresh_token?: string;
  token_type: string;
  expires_in: number;
}

/** Clocks may differ by so much, in seconds. */
const SKEW = 300;
const YEAR = 31_536_000;
const now = () => Math.floor(Date.now() / 1000);

/** RFC 9207, RFC 6749 section 4.1.2: the callback of the request, its state, the issuer, and a code. */
export function checkResponse(issuer: string, request: URL, callback: URL): void {
  expect(`${callback.origin}${callback.pathname}`).toBe(request.searchParams.get('redirect_uri'));
  expect(callback.searchParams.get('error')).toBeNull();
  expect(callback.searchParams.get('state')).toBe(request.searchParams.get('state'));
  expect(callback.searchParams.get('iss')).toBe(issuer);
  expect(callback.searchParams.get('code')).toEqual(expect.stringMatching(/./));
}

/** An error at the callback: state and issuer right, no code, no parameter that no specification knows. Returns its code. */
export function checkErrorResponse(issuer: string, request: URL, callback: URL | undefined): string {
  const answer = callback?.searchParams ?? new URLSearchParams();
  expect(answer.get('state')).toBe(request.searchParams.get('state'));
  expect(answer.get('iss')).toBe(issuer);
  for (const name of answer.keys()) expect(['error', 'error_description', 'state', 'iss']).toContain(name);
  checkErrorTexts(Object.fromEntries(answer));
  return answer.get('error') ?? '';
}

// RFC 6749 sections 4.1.2.1 and 5.2, without the line breaks and tabs that the suite warns about.
function checkErrorTexts({ error, error_description, error_uri }: Claims): void {
  expect(error).toEqual(expect.stringMatching(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/));
  expect(error_description ?? '').toEqual(expect.stringMatching(/^[\x20\x21\x23-\x5b\x5d-\x7e]*$/));
  if (error_uri !== undefined) expect(URL.canParse(String(error_uri))).toBe(true);
}

/** A code or a refresh token that is worth nothing (OpenID Connect Core section 3.1.3.4). */
export async function checkGrantRefused(response: Response): Promise<void> {
  expect(response.status).toBe(400);
  expect(response.headers.get('content-type')).toMatch(/^application\/json *(;|$)/);
  const answer = (await response.json()) as Claims;
  expect(answer['error']).toBe('invalid_grant');
  checkErrorTexts(answer);
}

/** RFC 6749 section 5.1, with the life and the strength of the access token. */
export async function checkTokenResponse(response: Response): Promise<Tokens> {
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^application\/json *(;|$)/);
  expect(response.headers.get('cache-control')?.split(/ *, */)).toContain('no-store');
  const tokens = (await response.json()) as Tokens;
  expect(tokens.token_type).toBe('Bearer');
  checkStrength(tokens.access_token);
  if (tokens.refresh_token !== undefined) checkStrength(tokens.refresh_token);
  expect(tokens.expires_in).toEqual(expect.any(Number));
  expect(tokens.expires_in).toBeGreaterThan(0);
  // More would be milliseconds in the place of seconds.
  expect(tokens.expires_in).toBeLessThanOrEqual(YEAR);
  return tokens;
}

/** RFC 6749 section 10.10: printable, 128 bits long, and of an entropy (Shannon's) of more than 96 bits, as the suite counts. */
export function checkStrength(value: string): void {
  expect(value).toMatch(/^[\x20-\x7e]{16,}$/);
  const counts = Map.groupBy(value, (character) => character).values();
  const bits = [...counts].map(({ length }) => -length * Math.log2(length / value.length));
  expect(bits.reduce((sum, part) => sum + part, 0)).toBeGreaterThan(96);
}

export interface Expected {
  issuer: string;
  clientId: string;
  nonce: string | undefined;
  tokens: Tokens;
  code: string;
}

/** OpenID Connect Core sections 2, 3.1.3.6, 3.1.3.7 and 5.1: the claims of an ID token, beyond its signature. */
export function checkIdToken(claims: Claims, { issuer, clientId, nonce, tokens, code }: Expected): void {
  expect(claims).toMatchObject({ iss: issuer, aud: clientId, exp: expect.any(Number), iat: expect.any(Number) });
  expect(claims['exp']).toBeGreaterThan(now());
  expect(claims['exp']).toBeLessThan(now() + 50 * YEAR);
  expect(Math.abs(Number(claims['iat']) - now())).toBeLessThan(SKEW);
  expect(claims['nonce']).toBe(nonce);
  expect(claims['sub']).toEqual(expect.stringMatching(/^[\x20-\x7e]{1,255}$/));
  const { auth_time = now(), acr = 'none asked for' } = claims;
  expect(auth_time).toEqual(expect.any(Number));
  expect(Number(auth_time)).toBeGreaterThan(now() - YEAR);
  expect(Number(auth_time)).toBeLessThan(now() + SKEW);
  expect(acr).toEqual(expect.stringMatching(/./));
  expect(claims['at_hash']).toBe(half(tokens.access_token));
  if (claims['c_hash'] !== undefined) expect(claims['c_hash']).toBe(half(code));
  checkStandardClaims(claims);
}

/** The left half of the hash that RS256 uses (section 3.1.3.6). */
function half(value: string): string {
  return createHash('sha256').update(value).digest().subarray(0, 16).toString('base64url');
}

/** OpenID Connect Core section 12.2: the ID token of a refresh beside the first one. */
export function checkRefreshedIdToken(claims: Claims, first: Claims): void {
  for (const name of ['iss', 'sub', 'aud', 'azp', 'auth_time']) {
    expect([name, claims[name]]).toEqual([name, first[name]]);
  }
  expect(Number(claims['iat'])).toBeGreaterThan(Number(first['iat']));
}

const BOOLEANS = ['email_verified', 'phone_number_verified'];
const TEXTS = (
  'sub name given_name family_name middle_name nickname preferred_username profile picture website email gender zoneinfo ' +
  'locale phone_number txn'
).split(' ');

/** Section 5.1, of ID tokens and of userinfo: a standard claim is absent, or has the kind of value that it should. */
export function checkStandardClaims(claims: Claims): void {
  for (const [name, value] of Object.entries(claims)) {
    if (BOOLEANS.includes(name)) expect([name, value]).toEqual([name, expect.any(Boolean)]);
    // With content, and not the word that a forgotten conversion leaves.
    if (TEXTS.includes(name)) {
      expect([name, value]).toEqual([name, expect.stringMatching(/^(?!null$).*\S/i)]);
    }
    // None of these has a source here.
    expect(['birthdate', 'address', '_claim_names', '_claim_sources']).not.toContain(name);
  }
  const { updated_at = now() } = claims;
  expect(updated_at).toEqual(expect.any(Number));
  expect(updated_at).toBeGreaterThan(Date.UTC(1990) / 1000);
  expect(updated_at).toBeLessThan(now() + SKEW);
}

/** Section 5.3.2: JSON, of the person of the ID token, and sound. */
export async function checkUserinfo(answer: Response, { sub }: Claims): Promise<Claims> {
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json *(;|$)/);
  const claims = (await answer.json()) as Claims;
  expect(claims['sub']).toBe(sub);
  checkStandardClaims(claims);
  return claims;
}
