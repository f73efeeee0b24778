// SEC-44, fuzzed: whatever stands in whatever parameter of the OpenID endpoints, the answer is no 5xx, no header is split and
// nothing leads to a stranger. HYGIE_REQUESTS=5000 npm test -- test/oidc/hostile sends more.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CALLBACK, type RunningService, SECRET, SIGNED_OUT, startService } from '#support/service.ts';
import '#support/seed.ts';

const REQUESTS = Number(process.env['HYGIE_REQUESTS'] ?? 300);

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

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
  ...['code_challenge', 'code_challenge_method', 'code_verifier', 'request', 'request_uri', 'dpop_jkt', 'registration'],
  ...['client_assertion', 'client_assertion_type', 'resource', 'authorization_details', '__proto__', 'constructor', ''],
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
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => encodeURIComponent(text.toWellFormed())),
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
