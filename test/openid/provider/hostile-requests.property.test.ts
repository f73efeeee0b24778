// SEC-44: hostile requests: any value in any parameter, and JSON nested thousands deep.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClientSettings } from '#config/settings.ts';
import { assertion, newClientKey, proof } from '#support/openid/keys-of-clients.ts';
import { authorizationUrl, CREDENTIALS, obtainCode, redeem, signedInPerson } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import '#support/seed.ts';
import { sign } from 'node:crypto';
import fc from 'fast-check';
import { anyText } from '#support/any-text.ts';
import { CALLBACK, SECRET, SIGNED_OUT, testClients } from '#support/service.ts';

describe('hostile requests', () => {
  withService();

  // SEC-44, fuzzed: whatever stands in whatever parameter of the OpenID endpoints, the answer is no 5xx, no header is split and
  // nothing leads to a stranger. HYGIE_REQUESTS=5000 npm test -- test/openid/provider/hostile sends more.
  const REQUESTS = Number(process.env['HYGIE_REQUESTS'] ?? 150);

  const AUTHORIZATION = { client_id: 'server', redirect_uri: CALLBACK, response_type: 'code', scope: 'openid' };
  const WITH_SECRET = { client_id: 'server', client_secret: SECRET };
  const STATE = 's'.repeat(30);

  /** A good request of each endpoint, of which the fuzz spoils one or two parameters. */
  const GOOD: Record<string, { method: 'GET' | 'POST'; path: string; fields: Record<string, string> }> = {
    authorize: {
      method: 'GET',
      path: '/authorize',
      fields: { ...AUTHORIZATION, state: STATE, version: '2.0.0' },
    },
    'authorize by POST': { method: 'POST', path: '/authorize', fields: { ...AUTHORIZATION, state: STATE } },
    token: {
      method: 'POST',
      path: '/oauth/token',
      fields: { grant_type: 'authorization_code', ...WITH_SECRET, code: 'c', redirect_uri: CALLBACK },
    },
    refresh: {
      method: 'POST',
      path: '/oauth/token',
      fields: { grant_type: 'refresh_token', ...WITH_SECRET, refresh_token: 'r', scope: 'openid' },
    },
    introspect: {
      method: 'POST',
      path: '/oauth/introspect',
      fields: { ...WITH_SECRET, token: 't', token_type_hint: 'access_token' },
    },
    revoke: { method: 'POST', path: '/oauth/revoke', fields: { ...WITH_SECRET, token: 't' } },
    par: { method: 'POST', path: '/oauth/par', fields: { ...WITH_SECRET, ...AUTHORIZATION, state: 's' } },
    logout: {
      method: 'GET',
      path: '/logout',
      fields: { client_id: 'server', post_logout_redirect_uri: SIGNED_OUT, state: 's', id_token_hint: 'x.y.z' },
    },
    userinfo: { method: 'GET', path: '/userinfo', fields: { access_token: 't' } },
  };

  /** Further parameters that the endpoints know. */
  const OTHERS = [
    ...['prompt', 'max_age', 'nonce', 'display', 'ui_locales', 'claims', 'acr_values', 'login_hint', 'response_mode'],
    ...[
      'code_challenge',
      'code_challenge_method',
      'code_verifier',
      'request',
      'request_uri',
      'dpop_jkt',
      'registration',
    ],
    ...[
      'client_assertion',
      'client_assertion_type',
      'resource',
      'authorization_details',
      '__proto__',
      'constructor',
      '',
    ],
  ];

  /** Percent-encoded as they are sent: some are no text at all. */
  const value = fc.oneof(
    fc.constantFrom(
      '%00',
      '%0d%0aset-cookie:%20evil=1',
      '%ff%fe',
      '%c3%28',
      '%ed%a0%80',
      '%',
      '%zz',
      '%u0041',
      '%0a',
      '%09',
    ),
    fc.constantFrom(
      '',
      '%20',
      '-1',
      '0',
      '1e999',
      'null',
      '[]',
      '{}',
      '%7B%22userinfo%22%3A%7B%7D%7D',
      'true',
      '..%2f..%2f',
    ),
    anyText({ maxLength: 40 }).map((text) => encodeURIComponent(text.toWellFormed())),
    fc.string({ maxLength: 20 }).map((text) => encodeURIComponent(text)),
    fc.integer({ min: 1, max: 4000 }).map((length) => 'x'.repeat(length)),
    fc.jsonValue().map((json) => encodeURIComponent(JSON.stringify(json))),
  );

  const request = fc.record({
    endpoint: fc.constantFrom(...Object.keys(GOOD)),
    spoiled: fc.array(fc.tuple(fc.nat({ max: 40 }), value), { minLength: 1, maxLength: 2 }),
    authorization: fc.option(
      fc.oneof(
        fc.string({ maxLength: 30 }).map((text) => `Basic ${Buffer.from(text).toString('base64')}`),
        fc.constantFrom('Basic', 'Basic =', 'Basic %%%', 'Bearer', 'Bearer  ', 'DPoP x', 'Basic Og==', 'Basic //8='),
        fc.base64String({ maxLength: 400 }).map((text) => `Bearer ${text}`),
      ),
      { freq: 3, nil: undefined },
    ),
    html: fc.boolean(),
  });

  it(`SEC-44 any value in any parameter of the OpenID endpoints: no 5xx, no split header, no stranger (${REQUESTS} requests)`, async () => {
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(request, async ({ endpoint, spoiled, authorization, html }) => {
        const { method, path, fields } = GOOD[endpoint] as (typeof GOOD)[string];
        const names = [...Object.keys(fields), ...OTHERS];
        const pairs = new Map(Object.entries(fields).map(([name, text]) => [name, encodeURIComponent(text)]));
        for (const [index, text] of spoiled) pairs.set(names[index % names.length] ?? '', text);
        const form = [...pairs].map(([name, text]) => `${encodeURIComponent(name)}=${text}`).join('&');
        const headers: Record<string, string> = { accept: html ? 'text/html' : 'application/json' };
        if (authorization !== undefined) headers['authorization'] = authorization;
        if (method === 'POST') headers['content-type'] = 'application/x-www-form-urlencoded';
        const address = service.issuer + path + (method === 'GET' ? `?${form}` : '');
        const init: RequestInit = { method, headers, redirect: 'manual', ...(method === 'POST' && { body: form }) };
        const answer = await fetch(address, init);
        await answer.body?.cancel();
        answered += 1;
        expect(answer.status).toBeLessThan(500);
        expect(answer.headers.getSetCookie().filter((line) => /evil/.test(line))).toEqual([]);
        const target = URL.parse(answer.headers.get('location') ?? '', address);
        if (answer.headers.has('location')) {
          expect([service.issuer, new URL(CALLBACK).origin]).toContain(target?.origin);
        }
      }),
      { numRuns: REQUESTS, endOnFailure: true },
    );
    expect(answered).toBeGreaterThanOrEqual(REQUESTS);
    expect(service.logged()).not.toMatch(/"level":"(error|fatal)"/);
  });

  // SEC-44: JSON nested thousands deep, wherever a request may carry JSON: a 4xx that says so, and never a 5xx. What walks through such
  // a value by calling itself runs out of stack.
  describe('SEC-44 nested JSON', () => {
    const key = newClientKey();
    const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown;
    const text = (depth: number) => `{"id_token":{"acr":{"value":${'['.repeat(depth)}${']'.repeat(depth)}}}}`;

    /** Base64url of JSON that `JSON.stringify` could not write. */
    const jwtWith = (depth: number, header: object, claims: object): string => {
      const [head = '', body = ''] = [header, claims].map((part) => JSON.stringify(part));
      const deep = body.replace(/\}$/, `,"x":${'['.repeat(depth)}${']'.repeat(depth)}}`);
      return [head, deep].map((part) => Buffer.from(part).toString('base64url')).join('.');
    };
    beforeAll(async () => {
      const machine = (await testClients()).find(({ id }) => id === 'trusted') as ClientSettings;
      const signing = { ...machine, id: 'signing', secretHashes: [], jwks: { keys: [key.jwk] } };
      service.replaceClients([...(await testClients()), signing]);
      await signedInPerson(service).signIn(authorizationUrl(service), CREDENTIALS);
    });
    afterAll(async () => service.replaceClients(await testClients()));

    const claimsPushed = async (claims: string) => {
      const request = { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', state: 's'.repeat(30) };
      const body = new URLSearchParams({ client_id: 'server', client_secret: SECRET, ...request, claims });
      const answer = await fetch(`${service.issuer}/oauth/par`, { method: 'POST', body });
      return { status: answer.status, text: await answer.text() };
    };

    it.each([20, 2500, 6000, 20_000])('claims of %i levels, pushed', async (depth) => {
      const answer = await claimsPushed(text(depth));
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    });

    it('claims of 1,000 levels in an address', async () => {
      const url = authorizationUrl(service, { scope: 'openid', claims: text(1000) });
      const { left } = await signedInPerson(service).visit(url);
      expect(left?.searchParams.get('error')).toBe('invalid_request');
    });

    // The first of them is as long as an assertion may be.
    it.each([
      [2880, 200],
      [3100, 401],
      [6000, 401],
    ])('a client assertion of %i levels', async (depth, status) => {
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss: 'signing', sub: 'signing', aud: service.issuer, jti: `deep-${depth}`, exp: now + 60 };
      const data = jwtWith(depth, { alg: 'ES256', kid: key.jwk['kid'] }, claims);
      const signature = sign('sha256', Buffer.from(data), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
      const body = new URLSearchParams({
        ...assertion(key, 'signing', service.issuer),
        client_assertion: `${data}.${signature.toString('base64url')}`,
        token: 'x',
      });
      const answer = await fetch(`${service.issuer}/oauth/introspect`, { method: 'POST', body });
      expect(answer.status).toBe(status);
    });

    it('a proof of possession of 2,000 levels, in its key and in its claims', async () => {
      const { kid: _kid, alg: _alg, ...jwk } = key.jwk;
      const url = `${service.issuer}/oauth/token`;
      for (const dpop of [
        proof(key, { method: 'POST', url }, {}, { jwk: { ...jwk, x5c: nested(2000) } }),
        proof(key, { method: 'POST', url }, { deep: nested(2000) }),
      ]) {
        const { status } = await redeem(service, await obtainCode(service), {}, { dpop });
        expect(status).toBeLessThan(500);
      }
    });
  });
});
