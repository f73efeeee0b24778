// SEC-46, SEC-50: DPoP (RFC 9449) at the token endpoint, at userinfo and at our own directory; tokens that are bound to a key
// are worth nothing without it. The store of proofs is shared between instances.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import type { ClientSettings } from '#config/settings.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { type ClientKey, newClientKey, proof } from '#support/openid/keys-of-clients.ts';
import { discover, discoverPublic, obtainCode, redeem, signIn } from '#support/openid/relying-party.ts';
import { type SecondInstance, startSecondInstance } from '#support/openid/second-instance.ts';
import { stoppableClock } from '#support/openid/stopped-clock.ts';
import { rounds } from '#support/rounds.ts';
import type { Send } from '#support/send-to-port.ts';
import { type RunningService, startService, testClients } from '#support/service.ts';

const SEARCH = '/directory/v2/Practitioner?name=martin';

interface Answer {
  status: number;
  challenge: string;
  body: Record<string, unknown>;
}

describe('SEC-46 DPoP', () => {
  const key = newClientKey();
  const otherKey = newClientKey();
  const clock = stoppableClock();
  let service: RunningService;
  let other: SecondInstance;
  let token: string;
  let bearer: string;
  let at: Record<'token' | 'userinfo' | 'directory', string>;

  beforeAll(async () => {
    const clients = (await testClients()).map(
      (client): ClientSettings => ({
        ...client,
        ...(client.id === 'narrow' && { dpop: 'required' }),
      }),
    );
    service = await startService({ clients });
    other = await startSecondInstance(service, clients);
    at = {
      token: `${service.issuer}/oauth/token`,
      userinfo: `${service.issuer}/userinfo`,
      directory: `${service.issuer}${SEARCH}`,
    };
    token = await bound(key);
    bearer = (await signIn(service)).tokens.access_token;
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  const bound = async (by: ClientKey): Promise<string> => {
    const dpop = proof(by, { method: 'POST', url: at.token });
    const answer = await redeem(service, await obtainCode(service), {}, { dpop });
    const tokens = (await answer.json()) as { access_token: string; token_type: string };
    expect(tokens.token_type).toBe('DPoP');
    return tokens.access_token;
  };
  const ask = async (url: string, headers: Record<string, string>, send: Send = fetch): Promise<Answer> => {
    const answer = await send(url, { headers });
    const challenge = answer.headers.get('www-authenticate') ?? '';
    return { status: answer.status, challenge, body: (await answer.json()) as Answer['body'] };
  };
  const withProof = (url: string, dpop: string, value = token) => ask(url, { authorization: `DPoP ${value}`, dpop });

  const places = ['userinfo', 'directory'] as const;

  it.each(places)('a bound token works with a fresh proof at %s', async (place) => {
    for (const by of [key, newClientKey('EdDSA'), newClientKey('RS384'), newClientKey('ES384')]) {
      const value = by === key ? token : await bound(by);
      const { status } = await withProof(at[place], proof(by, { url: at[place], token: value }), value);
      expect(status).toBe(200);
    }
  });

  it.each(places)(
    'a bound token sent as Bearer is refused at %s, and the answer says how to send it',
    async (place) => {
      const answer = await ask(at[place], { authorization: `Bearer ${token}` });
      expect(answer.status).toBe(401);
      expect(answer.challenge).toMatch(/^DPoP realm=.*error="invalid_token".*algs="ES256 /);
    },
  );

  it.each(places)('a token that is not bound is refused with a proof at %s', async (place) => {
    const dpop = proof(key, { url: at[place], token: bearer });
    expect((await ask(at[place], { authorization: `DPoP ${bearer}`, dpop })).status).toBe(401);
    expect((await ask(at[place], { authorization: `Bearer ${bearer}` })).status).toBe(200);
  });

  it.each(places)('a request without a token is told of both schemes at %s', async (place) => {
    const { status, challenge } = await ask(at[place], {});
    expect(status).toBe(401);
    expect(challenge).toMatch(/Bearer realm="[^"]+"/);
    expect(challenge).toMatch(/DPoP realm="[^"]+",.*algs="ES256 /);
  });

  const now = () => Math.floor(Date.now() / 1000);
  // What else may be wrong with a proof: `proof-refusals.test.ts`.
  const faulty: [name: string, claims: () => object, header: object][] = [
    ['another address', () => ({ htu: 'https://elsewhere.example/userinfo' }), {}],
    ['SEC-50 an age of 60 s', () => ({ iat: now() - 60 }), {}],
    ['SEC-50 a clock that is 60 s ahead', () => ({ iat: now() + 60 }), {}],
    ['SEC-23 no signature', () => ({}), { alg: 'none' }],
    ['SEC-23 an HMAC', () => ({}), { alg: 'HS256' }],
    ['another key than it is signed with', () => ({}), { jwk: { ...otherKey.jwk, kid: undefined, alg: undefined } }],
  ];
  describe.each(places)('refused at %s:', (place) => {
    it.each(faulty)('a proof with %s', async (_name, claims, header) => {
      const answer = await withProof(at[place], proof(key, { url: at[place], token }, claims(), header));
      expect(answer.status).toBe(401);
      expect(answer.challenge).toMatch(/^DPoP realm=.*error="invalid_dpop_proof"/);
    });

    it('a good proof of another key', async () => {
      const { status, challenge } = await withProof(at[place], proof(otherKey, { url: at[place], token }));
      expect(status).toBe(401);
      expect(challenge).toMatch(/^DPoP .*key.* is not the one that .*token is bound to/);
    });

    it('no proof at all', async () => {
      const { status, challenge } = await ask(at[place], { authorization: `DPoP ${token}` });
      expect([status, challenge.startsWith('DPoP ')]).toEqual([401, true]);
    });

    it('a proof that was used before, here or on another instance', async () => {
      const dpop = proof(key, { url: at[place], token });
      const headers = { authorization: `DPoP ${token}`, dpop };
      expect((await ask(at[place], headers)).status).toBe(200);
      const { status, challenge } = await ask(at[place], headers);
      expect(status).toBe(401);
      expect(challenge).toContain('was used before: make a proof for each request');
      expect((await ask(at[place], headers, other.send)).status).toBe(401);
    });

    it('a proof that was used before, as long as its time is good, whatever was tidied up meanwhile', async () => {
      clock.stop();
      const dpop = proof(key, { url: at[place], token }, { iat: now() + 15 });
      expect((await withProof(at[place], dpop)).status).toBe(200);
      const unused = proof(key, { url: at[place], token }, { iat: now() + 15 });
      clock.pass(74);
      for (const _round of rounds()) if ((await openOidcRecords(service.database).prune(0)) === 0) break;
      expect((await withProof(at[place], dpop)).status).toBe(401);
      expect((await withProof(at[place], unused)).status).toBe(200);
    });

    it('all but one of the same proof sent eight times at once', async () => {
      const headers = { authorization: `DPoP ${token}`, dpop: proof(key, { url: at[place], token }) };
      const sends = Array.from({ length: 8 }, (_, index) => (index % 2 ? other.send : fetch));
      const answers = await Promise.all(sends.map((send) => ask(at[place], headers, send)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(7);
    });
  });

  it('RFC 9449 4.3: the directory takes its address, and the scheme, in whatever way it is written', async () => {
    const written = (change: (url: string) => string) =>
      withProof(
        at.directory,
        proof(key, { url: at.directory, token }, { htu: change(at.directory.split('?')[0] ?? '') }),
      );
    for (const change of [
      (url: string) => url.replace('Practitioner', '%50ractitione%72'),
      (url: string) => url.replace('http:', 'HTTP:'),
      (url: string) => url.replace('Practitioner', 'x/%2e%2e/Practitioner?a=b#c'),
    ]) {
      expect((await written(change)).status).toBe(200);
    }
    const dpop = proof(key, { url: at.directory, token });
    expect((await ask(at.directory, { authorization: `dpop ${token}`, dpop })).status).toBe(200);
    for (const change of [
      (url: string) => url.replace('/Practitioner', '%2FPractitioner'),
      (url: string) => url.replace('Practitioner', 'practitioner'),
      (url: string) => `${url}/`,
    ]) {
      expect((await written(change)).status).toBe(401);
    }
  });

  it('the directory takes a batch at its base address, with a proof for the address as it was sent', async () => {
    const entry = [{ request: { method: 'GET', url: 'Practitioner?name=martin' } }];
    const body = JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry });
    const base = `${service.issuer}/directory/v2`;
    const post = async (url: string, proven: string) => {
      const dpop = proof(key, { method: 'POST', url: proven, token });
      const headers = { authorization: `DPoP ${token}`, dpop, 'content-type': 'application/fhir+json' };
      return (await fetch(url, { method: 'POST', headers, body })).status;
    };
    expect([await post(base, base), await post(`${base}/`, `${base}/`), await post(base, `${base}/`)]).toEqual([
      200, 200, 401,
    ]);
  });

  it('SEC-42 the proof is for the public address, whatever Host says', async () => {
    const url = at.directory.replace('127.0.0.1', 'localhost');
    expect((await withProof(at.directory, proof(key, { url, token }))).status).toBe(401);
  });

  it('a client with dpop: required gets no token without a proof', async () => {
    const fields = { client_id: 'narrow' };
    const parameters = { client_id: 'narrow', scope: 'openid email' };
    const without = await redeem(service, await obtainCode(service, parameters), fields);
    expect(without.status).toBe(400);
    const dpop = proof(key, { method: 'POST', url: at.token });
    expect((await redeem(service, await obtainCode(service, parameters), fields, { dpop })).status).toBe(200);
  });

  it('a proof for tokens is good once, too, and refused when it is old', async () => {
    const dpop = proof(key, { method: 'POST', url: at.token });
    expect((await redeem(service, await obtainCode(service), {}, { dpop })).status).toBe(200);
    expect((await redeem(service, await obtainCode(service), {}, { dpop })).status).toBe(400);
    const old = proof(key, { method: 'POST', url: at.token }, { iat: now() - 60 });
    const answer = await redeem(service, await obtainCode(service), {}, { dpop: old });
    expect(await answer.json()).toMatchObject({ error: 'invalid_dpop_proof' });
  });

  it('introspection tells the key, and calls the token active', async () => {
    const configuration = await discover(service, 'server');
    const state = await oidc.tokenIntrospection(configuration, token);
    expect(state).toMatchObject({ active: true, token_type: 'DPoP', cnf: { jkt: expect.any(String) } });
  });

  it('SEC-45 a page of the client may send the DPoP header', async () => {
    for (const url of [at.token, at.userinfo, at.directory]) {
      const answer = await fetch(url, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://application.example',
          'access-control-request-method': url === at.token ? 'POST' : 'GET',
          'access-control-request-headers': 'authorization,dpop',
        },
      });
      expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('dpop');
    }
  });

  it('discovery says so', async () => {
    const metadata = (await discoverPublic(service, 'browser')).serverMetadata();
    expect(metadata.dpop_signing_alg_values_supported).toEqual([
      'ES256',
      'EdDSA',
      'Ed25519',
      'RS256',
      'PS256',
      'RS384',
      'ES384',
    ]);
  });
});
