// SEC-61, SEC-65: which keys a proof of possession may have where tokens are given, and what becomes of tokens without one when the
// operator demands it.

import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { calculateJwkThumbprint, type JWK, SignJWT } from 'jose';
import * as oidc from 'openid-client';
import type { ClientSettings } from '#config/settings.ts';
import { checkProof, InvalidProof } from '#openid/tokens/dpop-proof.ts';
import { PROOF_ALGORITHMS } from '#shared/crypto/json-web-keys.ts';
import { newClientKey, proof } from '#support/openid/keys-of-clients.ts';
import { discover, obtainCode, redeem } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { CALLBACK, SECRET, testClients } from '#support/service.ts';

describe('keys of possession', () => {
  let clients: ClientSettings[];
  withService(async () => {
    clients = await testClients();
    return { clients };
  });

  it.each(['/oauth/token', '/oauth/par'])(
    'SEC-61 a proof by a key for something else is refused at %s',
    async (path) => {
      const rsa = newClientKey('RS256');
      const { kid: _kid, alg: _alg, ...jwk } = rsa.jwk;
      for (const wrong of [{ alg: 'PS256' }, { use: 'enc' }, { key_ops: ['encrypt'] }, { p: 'AQAB' }]) {
        const dpop = proof(rsa, { method: 'POST', url: service.issuer + path }, {}, { jwk: { ...jwk, ...wrong } });
        const request = { response_type: 'code', scope: 'openid', state: oidc.randomState(), redirect_uri: CALLBACK };
        const code =
          path === '/oauth/token' ? { grant_type: 'authorization_code', code: await obtainCode(service) } : {};
        const body = new URLSearchParams({ client_id: 'server', client_secret: SECRET, ...request, ...code });
        const answer = await fetch(service.issuer + path, { method: 'POST', headers: { dpop }, body });
        expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_dpop_proof' }]);
      }
    },
  );

  it.each([
    ['PS256', 'RS256'],
    ['RS256', 'PS256'],
  ])('SEC-61 RFC 7517 4.4: a key for %s with a proof by %s: one refusal everywhere', async (ofKey, by) => {
    const rsa = newClientKey('RS256');
    const { kid: _kid, ...jwk } = rsa.jwk;
    const at = (path: string) => service.issuer + path;
    const dpop = (path: string, alg: string, token?: string) =>
      proof(
        rsa,
        { method: token ? 'GET' : 'POST', url: at(path), ...(token && { token }) },
        {},
        { alg, jwk: { ...jwk, alg: ofKey } },
      );
    const reason = `its alg is ${by}, and that of its key ${ofKey}`;
    const good = await redeem(service, await obtainCode(service), {}, { dpop: dpop('/oauth/token', ofKey) });
    const { access_token: token } = (await good.json()) as { access_token: string };
    for (const path of ['/userinfo', '/directory/v2/Practitioner?name=martin']) {
      const ask = (alg: string) =>
        fetch(at(path), { headers: { authorization: `DPoP ${token}`, dpop: dpop(path, alg, token) } });
      const refused = await ask(by);
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringMatching(new RegExp(`error="invalid_dpop_proof".*${reason}`)),
      ]);
      expect((await ask(ofKey)).status).toBe(200);
    }
    const request = { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', state: oidc.randomState() };
    const body = new URLSearchParams({ ...request, client_id: 'server', client_secret: SECRET });
    for (const refused of [
      await redeem(service, await obtainCode(service), {}, { dpop: dpop('/oauth/token', by) }),
      await fetch(at('/oauth/par'), { method: 'POST', body, headers: { dpop: dpop('/oauth/par', by) } }),
    ]) {
      expect(await refused.json()).toMatchObject({
        error: 'invalid_dpop_proof',
        error_description: expect.stringContaining(reason),
      });
    }
  });

  it('SEC-65 tokens that are bound to no key are worth nothing once the operator demands one of the client', async () => {
    const parameters = { client_id: 'trusted', scope: 'openid PRACTITIONER_READ' };
    const answer = await redeem(service, await obtainCode(service, parameters), { client_id: 'trusted' });
    const { access_token } = (await answer.json()) as { access_token: string };
    const statuses = async () => {
      const configuration = await discover(service, 'trusted');
      const { active } = await oidc.tokenIntrospection(configuration, access_token);
      const headers = { authorization: `Bearer ${access_token}` };
      const places = ['/userinfo', '/directory/v2/Practitioner?name=martin'];
      const answers = await Promise.all(places.map((path) => fetch(service.issuer + path, { headers })));
      return [...answers.map(({ status }) => status), active];
    };
    expect(await statuses()).toEqual([200, 200, true]);
    service.replaceClients(
      clients.map((client) => (client.id === 'trusted' ? { ...client, dpop: 'required' as const } : client)),
    );
    expect(await statuses()).toEqual([401, 401, false]);
    service.replaceClients(clients);
    expect(await statuses()).toEqual([200, 200, true]);
  });
});

// SEC-46: proofs of possession at the directory (RFC 9449 section 4.3), by kinds of keys that an attacker may choose.
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
    ['with a part of a private key', () => prove(RSA, 'RS256', publicJwk(RSA, { p: 'AQAB' }))],
    ['with a symmetric key', () => prove(ES256, 'ES256', { kty: 'oct', k: 'AAAA' })],
    ['without signature', async () => (await prove(ES256, 'ES256')).replace(/[^.]+$/, '')],
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
