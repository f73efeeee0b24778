// How clients prove who they are: two live secrets (SEC-15, SEC-16), or a key of their own (private_key_jwt, RFC 7523).

import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ClientSettings } from '#config/settings.ts';
import { hashSecret } from '#shared/crypto/secret-hash.ts';
import { LOW_COST } from '#support/hash-cost.ts';
import { assertion, type ClientKey, newClientKey } from '#support/openid/keys-of-clients.ts';
import { signingClient } from '#support/openid/request-objects.ts';
import { type SecondInstance, startSecondInstance } from '#support/openid/second-instance.ts';
import type { Send } from '#support/send-to-port.ts';
import { type RunningService, SECRET, startService, testClients } from '#support/service.ts';

const SECOND_SECRET = 'another-secret-of-the-test-run-that-opens-nothing';
const MACHINE = { scope: 'email' };

describe('clients that prove who they are', () => {
  const keys = {
    ES256: newClientKey('ES256'),
    ES384: newClientKey('ES384'),
    EdDSA: newClientKey('EdDSA'),
    RS256: newClientKey('RS256'),
    RS384: newClientKey('RS384'),
  };
  /** What clients publish at their address, and how often it was asked for. */
  const published = { status: 200, keys: [] as ClientKey[], headers: {}, asked: 0 };
  const jwksServer = createServer((_req, res) => {
    published.asked += 1;
    res.writeHead(published.status, { 'content-type': 'application/json', ...published.headers });
    const { status, keys } = published;
    res.end(JSON.stringify(status === 200 ? { keys: keys.map(({ jwk }) => jwk) } : { error: 'server_error' }));
  });
  let service: RunningService;
  let other: SecondInstance;
  let clients: ClientSettings[];
  let second: string;

  beforeAll(async () => {
    await new Promise<void>((resolve) => jwksServer.listen(0, '127.0.0.1', resolve));
    const address = jwksServer.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    second = await hashSecret(SECOND_SECRET, LOW_COST);
    const known = await testClients();
    const machine = known.find(({ id }) => id === 'trusted') as ClientSettings;
    const signing = { ...machine, secretHashes: [], consent: 'trusted' as const };
    const jwks = { keys: Object.values(keys).map(({ jwk }) => jwk) };
    clients = [
      ...known,
      { ...machine, id: 'two-secrets', secretHashes: [...machine.secretHashes, second] },
      { ...machine, id: 'guessed' },
      { ...signing, id: 'signing', jwks },
      { ...signing, id: 'other-signing', jwks: { keys: [newClientKey().jwk] } },
      ...['withdrawing', 'rotating'].map((id) => ({
        ...signing,
        id,
        jwksUrl: `http://127.0.0.1:${port}/${id}/jwks.json`,
      })),
    ];
    service = await startService({
      clients,
      adjust: (settings) => ({ ...settings, limits: { ...settings.limits, addressFailures: 3 } }),
    });
    other = await startSecondInstance(service, clients);
  });
  afterAll(async () => {
    jwksServer.close();
    await other.stop();
    await service.stop();
  });

  const ask = async (fields: Record<string, string>, send: Send = fetch) => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...MACHINE, ...fields });
    const answer = await send(`${service.issuer}/oauth/token`, { method: 'POST', body });
    const { error } = (await answer.json()) as { error?: string };
    return { status: answer.status, error, retryAfter: answer.headers.get('retry-after') };
  };
  const withSecret = (client_secret: string, client_id = 'two-secrets') => ask({ client_id, client_secret });
  const audience = () => service.issuer;

  describe('two live secrets', () => {
    it('both are good, in the header and in the body', async () => {
      for (const secret of [SECRET, SECOND_SECRET]) {
        expect((await withSecret(secret)).status).toBe(200);
        const headers = { authorization: `Basic ${Buffer.from(`two-secrets:${secret}`).toString('base64')}` };
        const body = new URLSearchParams({ grant_type: 'client_credentials', ...MACHINE });
        const answer = await fetch(`${service.issuer}/oauth/token`, { method: 'POST', body, headers });
        expect(answer.status).toBe(200);
      }
    });

    it('one that is taken away is refused at once, and the other goes on', async () => {
      service.replaceClients(
        clients.map((client) => (client.id === 'two-secrets' ? { ...client, secretHashes: [second] } : client)),
      );
      expect(await withSecret(SECRET)).toMatchObject({ status: 401, error: 'invalid_client' });
      expect((await withSecret(SECOND_SECRET)).status).toBe(200);
      service.replaceClients(clients);
    });
  });

  it('SEC-15 guessing is throttled by client and address, and nobody else is held up', async () => {
    for (let times = 0; times < 3; times += 1) {
      expect(await withSecret(`wrong-${times}`, 'guessed')).toMatchObject({ status: 401, error: 'invalid_client' });
    }
    const waiting = await withSecret(SECRET, 'guessed');
    expect(waiting).toMatchObject({ status: 429, error: 'temporarily_unavailable' });
    expect(Number(waiting.retryAfter)).toBeGreaterThan(0);
    expect((await withSecret(SECRET)).status).toBe(200);
  });

  describe('private_key_jwt', () => {
    it.each(Object.entries(keys))('is good with %s', async (_alg, key) => {
      expect(await ask(assertion(key, 'signing', audience()))).toMatchObject({ status: 200 });
    });

    it.each(Object.entries(keys))('signs request objects with %s, too', async (_alg, key) => {
      const signs = signingClient(key, 'signing', 's'.repeat(40));
      expect((await signs.push(service, { request: signs.requestObject(service) })).status).toBe(201);
    });

    it('an assertion is good once, also on another instance and at another endpoint', async () => {
      const fields = assertion(keys.ES256, 'signing', audience());
      expect((await ask(fields)).status).toBe(200);
      expect(await ask(fields)).toMatchObject({ status: 401, error: 'invalid_client' });
      expect((await ask(fields, other.send)).status).toBe(401);
      const body = new URLSearchParams({ ...fields, token: 'x' });
      expect((await fetch(`${service.issuer}/oauth/introspect`, { method: 'POST', body })).status).toBe(401);
    });

    it('of eight at once with one assertion, one is heard', async () => {
      const fields = assertion(keys.ES256, 'signing', audience());
      const sends = Array.from({ length: 8 }, (_, index) => (index % 2 ? other.send : fetch));
      const answers = await Promise.all(sends.map((send) => ask(fields, send)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)]);
    });

    const now = () => Math.floor(Date.now() / 1000);
    // What else may be wrong, at each endpoint: `client-assertion.test.ts`.
    const faulty: [name: string, claims: () => object, header: object][] = [
      ['SEC-50 that expired 60 s ago', () => ({ exp: now() - 60 }), {}],
      ['SEC-50 that begins in 60 s', () => ({ nbf: now() + 60 }), {}],
      ['SEC-50 that is made in 60 s', () => ({ iat: now() + 60, exp: now() + 120 }), {}],
      ['SEC-23 without a signature', () => ({}), { alg: 'none' }],
    ];
    it.each(faulty)('an assertion %s is refused', async (_name, claims, header) => {
      const answer = await ask(assertion(keys.ES256, 'signing', audience(), claims(), header));
      expect(answer).toMatchObject({ status: 401, error: 'invalid_client' });
    });

    it('SEC-50 a clock that is 15 s off is tolerated', async () => {
      // It stands still, however long the requests take.
      const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
      for (const claims of [{ nbf: now() + 14 }, { iat: now() + 14 }, { exp: now() - 14 }]) {
        expect((await ask(assertion(keys.ES256, 'signing', audience(), claims))).status).toBe(200);
      }
      clock.mockRestore();
    });

    it('such a client has no secret, and a client with a secret no key', async () => {
      for (const secret of [SECRET, 'kept as a hash', '']) {
        expect((await withSecret(secret, 'signing')).status).toBeGreaterThanOrEqual(400);
      }
      expect((await ask(assertion(keys.ES256, 'two-secrets', audience()))).status).toBe(401);
    });

    describe('of keys at the address of the client', () => {
      const clock = Date.now;
      let ahead = 0;
      const later = (seconds: number) => {
        ahead += seconds * 1000;
      };
      const [old, fresh] = [newClientKey(), newClientKey()];
      beforeEach(() => {
        ahead = 0;
        jest.spyOn(Date, 'now').mockImplementation(() => clock() + ahead);
        Object.assign(published, { status: 200, keys: [old], headers: {}, asked: 0 });
      });
      afterEach(() => {
        jest.restoreAllMocks();
      });
      const statusOf = async (key: ClientKey, id: string) => (await ask(assertion(key, id, audience()))).status;

      it('one that is taken away is good for a minute', async () => {
        expect(await statusOf(old, 'withdrawing')).toBe(200);
        published.keys = [fresh];
        expect(await statusOf(old, 'withdrawing')).toBe(200);
        later(61);
        expect(await statusOf(old, 'withdrawing')).toBe(401);
        expect(await statusOf(fresh, 'withdrawing')).toBe(200);
        expect(published.asked).toBe(2);
      });

      it('a new one is good at once, once a minute; and none longer, whatever the answer says of its age', async () => {
        published.headers = { 'cache-control': 'max-age=86400' };
        expect(await statusOf(old, 'rotating')).toBe(200);
        later(61);
        published.keys = [old, fresh];
        expect(await statusOf(old, 'rotating')).toBe(200);
        expect(await statusOf(fresh, 'rotating')).toBe(200);
        for (let times = 0; times < 3; times += 1) expect(await statusOf(newClientKey(), 'rotating')).toBe(401);
        // One that says the name of another.
        const forged = { ...newClientKey(), jwk: fresh.jwk };
        expect(await statusOf(forged, 'rotating')).toBe(401);
        expect(published.asked).toBe(2);
        published.keys = [fresh];
        later(601);
        expect(await statusOf(old, 'rotating')).toBe(401);
        expect(published.asked).toBe(3);
      });
    });
  });
});
