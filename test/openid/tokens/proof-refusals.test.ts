// SEC-46, RFC 9449: what is wrong with a proof of possession, in the words that a developer reads.

import { createHash, generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type JWK, SignJWT } from 'jose';
import {
  checkProof,
  PROOF_REMEMBERED,
  proofThumbprint,
  refuseUnfitProofs,
  refuseWeakPresentation,
} from '#openid/tokens/dpop-proof.ts';
import { PROOF_ALGORITHMS } from '#shared/crypto/json-web-keys.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z') / 1000;
const URL_ = 'https://service.example/directory/v2/Practitioner';
const TOKEN = 'token';
const ath = createHash('sha256').update(TOKEN).digest('base64url');
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
const jwk = publicKey.export({ format: 'jwk' }) as JWK;
const signed = (claims: object = {}, header: object = {}) =>
  new SignJWT({ jti: 'x', htm: 'GET', htu: URL_, iat: NOW, ath, ...claims })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk, ...header } as never)
    .sign(privateKey);

describe('SEC-46 a proof', () => {
  beforeEach(
    () => void jest.useFakeTimers({ now: NOW * 1000, doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }),
  );
  afterEach(() => void jest.useRealTimers());

  const target = { method: 'GET', url: URL_, accessToken: TOKEN, algorithms: PROOF_ALGORITHMS, now: NOW };

  const OTHERWISE = 'HTTPS://service.example:443/directory/v2/%50ractitioner?x#y';
  const BY_ADDRESS = 'its htu must be the address of the request, without the query';
  const UNFIT = 'its jwk or its form cannot be used';
  const keyFor = (alg: string) => ({ jwk: { ...jwk, alg } });
  it.each<[what: string, claims: object, header: object, reason: string | undefined]>([
    ['that is good', {}, {}, undefined],
    ['for another method', { htm: 'POST' }, {}, 'its htm must be GET'],
    ['for another address', { htu: `${URL_}/1` }, {}, BY_ADDRESS],
    ['for no address', { htu: 7 }, {}, BY_ADDRESS],
    ['for the address in another spelling', { htu: OTHERWISE }, {}, undefined],
    ['for an address of other characters', { htu: `${URL_}%2f` }, {}, BY_ADDRESS],
    ['for another token', { ath: 'x' }, {}, 'its ath must be the SHA-256 of the access token'],
    ['without an id', { jti: '' }, {}, 'its jti is missing'],
    ['with a number for an id', { jti: 7 }, {}, 'its jti is missing'],
    ['with an id of 512 characters', { jti: 'x'.repeat(512) }, {}, undefined],
    ['with one of 513', { jti: 'x'.repeat(513) }, {}, 'its jti is missing'],
    ['of a minute ago', { iat: NOW - 60 }, {}, 'its iat is too long ago: make a proof for each request'],
    ['of less than a minute ago', { iat: NOW - 59 }, {}, undefined],
    ['of 15 seconds ahead', { iat: NOW + 15 }, {}, undefined],
    ['of 16 seconds ahead', { iat: NOW + 16 }, {}, 'its iat is in the future: set the clock of the client'],
    ['without a time', { iat: undefined }, {}, 'its iat must be a number'],
    ['of another type', {}, { typ: 'JWT' }, 'its typ must be dpop+jwt, and its times be numbers that hold'],
    ['that has expired', { exp: NOW - 1 }, {}, 'it has expired'],
    ['without a key', {}, { jwk: undefined }, 'its jwk, the public key, is missing'],
    ['by another key', {}, { jwk: other.publicKey.export({ format: 'jwk' }) }, 'its signature is not by the key in it'],
    ['with a private key', {}, { jwk: privateKey.export({ format: 'jwk' }) }, 'its jwk must not hold the private key'],
    ['with a key for another algorithm', {}, keyFor('ES384'), 'its alg is ES256, and that of its key ES384'],
    ['with a key for an unknown one', {}, keyFor('x'), 'its alg is ES256, and that of its key another'],
    ['with a key that is none', {}, { jwk: { ...jwk, x: 'x', y: 'y' } }, UNFIT],
    ['SEC-61 with a key for encryption', {}, { jwk: { ...jwk, use: 'enc' } }, UNFIT],
    ['SEC-61 with a key for other operations', {}, { jwk: { ...jwk, key_ops: ['encrypt'] } }, UNFIT],
    ['SEC-61 with a symmetric key', {}, { jwk: { kty: 'oct', k: 'AAAA' } }, 'its jwk must not hold the private key'],
    ['with a key of another curve', {}, { jwk: p384.publicKey.export({ format: 'jwk' }) }, UNFIT],
    ['with a key of another kind', {}, { jwk: rsa.publicKey.export({ format: 'jwk' }) }, UNFIT],
  ])('%s', async (_what, claims, header, reason) => {
    const checked = checkProof(await signed(claims, header), target);
    if (reason === undefined)
      await expect(checked).resolves.toMatchObject({ thumbprint: expect.stringMatching(/^[\w-]{43}$/) });
    else await expect(checked).rejects.toThrow(expect.objectContaining({ message: reason }));
  });

  it('has an algorithm that is taken, no crit, and 8,192 characters at most', async () => {
    const reason = (proof: string, algorithms: readonly string[] = PROOF_ALGORITHMS) =>
      checkProof(proof, { ...target, algorithms }).then(
        () => 'good',
        ({ message }) => message,
      );
    const [, payload = '', signature = ''] = (await signed()).split('.');
    const withHeader = (header: object) =>
      `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}.${signature}`;
    const base = (await signed({ pad: '' })).length;
    const padded = (length: number) => signed({ pad: 'x'.repeat(Math.floor(((length - base) * 3) / 4)) });
    const [fits, long] = [await padded(8192), await padded(8196)];
    expect([fits.length <= 8192, long.length > 8192]).toEqual([true, true]);
    expect([
      await reason(await signed(), ['PS256']),
      await reason(withHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk, crit: ['x'] })),
      await reason(withHeader({ typ: 'dpop+jwt', alg: 'ES512', jwk })),
      await reason(withHeader({ typ: 'dpop+jwt', alg: 'RS256', jwk: short.publicKey.export({ format: 'jwk' }) })),
      await reason((await signed()).replace(/[^.]+$/, '')),
      await reason('none'),
      await reason(fits),
      await reason(long),
    ]).toEqual([
      'its alg is not taken here',
      'its header must have no crit',
      'its alg is not taken here',
      UNFIT,
      'its signature is not by the key in it',
      'the DPoP header must hold one signed JWT',
      'good',
      'the DPoP header must hold one signed JWT',
    ]);
    expect([PROOF_REMEMBERED, await proofThumbprint('none')]).toEqual([135, undefined]);
  });

  const context = (proof: string, metadata: object = {}) => ({ get: () => proof, oidc: { client: metadata } }) as never;
  it('for tokens is refused by the library’s error, with the algorithms of the client', async () => {
    expect(refuseUnfitProofs(context(await signed()))).toBe(false);
    const old = await signed({ iat: NOW - 60 });
    const fapi2 = await signed({}, { alg: 'ES256' });
    const refusal = (reason: string) =>
      expect.objectContaining({
        error: 'invalid_dpop_proof',
        error_description: `the DPoP proof does not hold: ${reason}`,
      });
    expect(() => refuseUnfitProofs(context(old))).toThrow(
      refusal('its iat is too long ago: make a proof for each request'),
    );
    expect(() => refuseUnfitProofs(context('x'))).toThrow(refusal('the DPoP header must hold one signed JWT'));
    expect(refuseUnfitProofs(context(fapi2, { hygie_profile: 'fapi2' }))).toBe(false);
    const [, payload = '', signature = ''] = fapi2.split('.');
    const rs256 = `${Buffer.from(JSON.stringify({ typ: 'dpop+jwt', alg: 'RS256', jwk })).toString('base64url')}.${payload}.${signature}`;
    const one = refusal('its alg has to be one of ES256, EdDSA, Ed25519, PS256');
    expect(() => refuseUnfitProofs(context(rs256, { hygie_profile: 'fapi2' }))).toThrow(one);
    expect(() => refuseWeakPresentation(context(rs256, { hygie_profile: 'fapi2' }))).toThrow(one);
    refuseWeakPresentation(context(rs256));
    refuseWeakPresentation(context(''));
    expect(() => refuseWeakPresentation(context('', { dpopBoundAccessTokens: true }))).toThrow(
      expect.objectContaining({ error: 'invalid_token' }),
    );
  });
});
