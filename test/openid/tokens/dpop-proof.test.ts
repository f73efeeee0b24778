// SEC-46: proofs of possession at the directory (RFC 9449 section 4.3), by kinds of keys that an attacker may choose.

import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { calculateJwkThumbprint, type JWK, SignJWT } from 'jose';
import { checkProof, InvalidProof } from '#openid/tokens/dpop-proof.ts';
import { PROOF_ALGORITHMS } from '#shared/crypto/proof-algorithms.ts';

const url = 'https://service.example/directory/v2/Practitioner';
const accessToken = 'token';
const ath = createHash('sha256').update(accessToken).digest('base64url');
const now = Math.floor(Date.now() / 1000);

interface Pair {
  publicKey: KeyObject;
  privateKey: KeyObject;
}
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength });
const publicJwk = ({ publicKey }: Pair, members: object = {}) =>
  ({ ...publicKey.export({ format: 'jwk' }), ...members }) as JWK;

const prove = (pair: Pair, alg: string, jwk: JWK = publicJwk(pair), claims: object = {}) =>
  new SignJWT({ jti: 'x', htm: 'GET', htu: url, iat: now, ath, ...claims })
    .setProtectedHeader({ typ: 'dpop+jwt', alg, jwk })
    .sign(pair.privateKey);
const check = (proof: string, algorithms: readonly string[] = PROOF_ALGORITHMS) =>
  checkProof(proof, { method: 'GET', url, accessToken, algorithms, now });

const ES256 = ec('P-256');
const RSA = rsa(2048);

describe('SEC-46 a proof', () => {
  it.each<[alg: string, pair: Pair]>([
    ['ES256', ES256],
    ['EdDSA', generateKeyPairSync('ed25519')],
    ['Ed25519', generateKeyPairSync('ed25519')],
    ['RS256', RSA],
    ['PS256', RSA],
    ['RS384', RSA],
    ['ES384', ec('P-384')],
  ])('by %s is good, and names its key', async (alg, pair) => {
    const { jti, thumbprint } = await check(await prove(pair, alg, publicJwk(pair, { alg })));
    expect([jti, thumbprint]).toEqual(['x', await calculateJwkThumbprint(publicJwk(pair))]);
  });

  it.each<[what: string, proof: () => Promise<string>]>([
    ['by RS256 with a key for PS256', () => prove(RSA, 'RS256', publicJwk(RSA, { alg: 'PS256' }))],
    ['by PS256 with a key for RS256', () => prove(RSA, 'PS256', publicJwk(RSA, { alg: 'RS256' }))],
    ['with a key for encryption', () => prove(RSA, 'RS256', publicJwk(RSA, { use: 'enc' }))],
    ['with a key for other operations', () => prove(RSA, 'RS256', publicJwk(RSA, { key_ops: ['encrypt'] }))],
    ['by an algorithm that is not allowed', () => prove(ec('P-521'), 'ES512')],
    ['with a key of another curve', () => prove(ES256, 'ES256', publicJwk(ec('P-384')))],
    ['with a key of another kind', () => prove(ES256, 'ES256', publicJwk(RSA))],
    ['with its private key', () => prove(ES256, 'ES256', ES256.privateKey.export({ format: 'jwk' }) as JWK)],
    ['with a part of a private key', () => prove(RSA, 'RS256', publicJwk(RSA, { p: 'AQAB' }))],
    ['with a symmetric key', () => prove(ES256, 'ES256', { kty: 'oct', k: 'AAAA' })],
    ['longer than 8 kB', () => prove(ES256, 'ES256', publicJwk(ES256), { more: 'x'.repeat(9000) })],
    ['without signature', async () => (await prove(ES256, 'ES256')).replace(/[^.]+$/, '')],
    ['that is none', async () => 'none'],
  ])('%s is refused', async (_what, proof) => {
    await expect(check(await proof())).rejects.toThrow(InvalidProof);
  });

  it('by an RSA key of fewer than 2048 bits is refused', async () => {
    const short = rsa(1024);
    const [header, payload] = (await prove(RSA, 'RS256', publicJwk(short))).split('.');
    const { sign } = await import('node:crypto');
    const signature = sign('sha256', Buffer.from(`${header}.${payload}`), short.privateKey).toString('base64url');
    await expect(check(`${header}.${payload}.${signature}`)).rejects.toThrow(InvalidProof);
  });
});
