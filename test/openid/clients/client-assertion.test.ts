// SEC-61: whom a client assertion is for, at every endpoint that authenticates clients: the issuer alone, as one string
// (CVE-2025-27370, FAPI 2.0 Security Profile section 5.3.2.1); the token endpoint too with `assertionAudience: token-endpoint`.

import { describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import type { ClientSettings } from '#config/settings.ts';
import { openedForAll } from '#support/opened.ts';
import { assertion, newClientKey } from '#support/openid/keys-of-clients.ts';
import { authorizationUrl, CREDENTIALS, redeem, signedInPerson } from '#support/openid/relying-party.ts';
import { CALLBACK, type RunningService, SECRET, startService, testClients } from '#support/service.ts';

describe('client assertion', () => {
  const key = newClientKey();
  const ENDPOINTS = {
    '/oauth/token': { grant_type: 'client_credentials', scope: 'email' },
    '/oauth/par': { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', state: 's'.repeat(30) },
    '/oauth/introspect': { token: 'x' },
    '/oauth/revoke': { token: 'x' },
  };
  type Endpoint = keyof typeof ENDPOINTS;

  let clients: ClientSettings[];
  const service = openedForAll(async () => {
    const known = await testClients();
    const machine = known.find(({ id }) => id === 'trusted') as ClientSettings;
    const signing = { ...machine, secretHashes: [], jwks: { keys: [key.jwk] } };
    clients = [
      ...known,
      { ...signing, id: 'signing' },
      { ...signing, id: 'other' },
      { ...signing, id: 'lenient', assertionAudience: 'token-endpoint' },
    ];
    return startService({ clients });
  });

  const send = async (endpoint: Endpoint, claims: object, header: object = {}, client = 'signing') => {
    const fields = assertion(key, client, service.issuer, claims, header);
    const body = new URLSearchParams({ ...ENDPOINTS[endpoint], ...fields });
    const answer = await fetch(service.issuer + endpoint, { method: 'POST', body });
    return { status: answer.status, text: await answer.text() };
  };

  const AUDIENCES: Readonly<Record<string, (issuer: string, endpoint: string) => unknown>> = {
    'the token endpoint': (issuer) => `${issuer}/oauth/token`,
    'the endpoint itself': (issuer, endpoint) => issuer + endpoint,
    'the issuer in a list of one': (issuer) => [issuer],
    'the issuer in a list': (issuer) => ['https://elsewhere.example', issuer],
    'the token endpoint in a list': (issuer) => [`${issuer}/oauth/token`],
    'the issuer with a slash': (issuer) => `${issuer}/`,
    'the issuer in capitals': (issuer) => issuer.toUpperCase(),
    'the discovery document': (issuer) => `${issuer}/.well-known/openid-configuration`,
    'another server': () => 'https://elsewhere.example',
    nobody: () => undefined,
    'an empty text': () => '',
    'an object': (issuer) => ({ [issuer]: true }),
  };

  describe.each(Object.keys(ENDPOINTS) as Endpoint[])('SEC-61 a client assertion at %s', (endpoint) => {
    it('for the issuer is taken', async () => {
      const { status } = await send(endpoint, {});
      expect([200, 201]).toContain(status);
    });

    it.each(Object.entries(AUDIENCES))(
      'for %s is refused, and the answer names the issuer',
      async (_name, audience) => {
        const { status, text } = await send(endpoint, { aud: audience(service.issuer, endpoint) });
        expect(status).toBe(401);
        expect(JSON.parse(text)).toEqual({
          error: 'invalid_client',
          error_description: expect.stringContaining(`has to be the issuer, ${service.issuer}, as one string`),
        });
      },
    );

    it('the refusal names the setting that permits the token endpoint', async () => {
      const { text } = await send(endpoint, { aud: `${service.issuer}/oauth/token` });
      expect(JSON.parse(text).error_description).toMatch(/assertionAudience: token-endpoint .*clients\.yaml/);
    });

    it.each(Object.entries(AUDIENCES))(
      'with assertionAudience: token-endpoint, for %s, is taken if that is the address of the token endpoint',
      async (name, audience) => {
        const { status, text } = await send(endpoint, { aud: audience(service.issuer, endpoint) }, {}, 'lenient');
        if (name === 'the token endpoint' || (name === 'the endpoint itself' && endpoint === '/oauth/token')) {
          expect([200, 201]).toContain(status);
          return;
        }
        expect([status, JSON.parse(text)]).toEqual([
          401,
          {
            error: 'invalid_client',
            error_description: expect.stringContaining(`${service.issuer}, or ${service.issuer}/oauth/token, as one`),
          },
        ]);
      },
    );

    it('with assertionAudience: token-endpoint, for the issuer, is taken as ever', async () => {
      expect([200, 201]).toContain((await send(endpoint, {}, {}, 'lenient')).status);
    });

    it.each<[name: string, claims: object, header: object, reason: RegExp]>([
      ['without iss', { iss: undefined }, {}, /iss .*must be provided/],
      ['of another client', { iss: 'other' }, {}, /iss .*must be the client_id/],
      ['without exp', { exp: undefined }, {}, /expiration must be/],
      ['that lives for a day', { exp: 4_000_000_000 }, {}, /may live for 3600 seconds at most/],
      ['that has expired', { exp: 1_600_000_000 }, {}, /is expired/],
      ['of tomorrow', { nbf: Math.floor(Date.now() / 1000) + 86_400 }, {}, /is of a time to come/],
      ['without jti', { jti: undefined }, {}, /jti .*must be provided/],
      ['signed by an algorithm that is not taken', {}, { alg: 'HS256' }, /algorithm/],
    ])('%s is refused with the reason', async (_name, claims, header, reason) => {
      const { status, text } = await send(endpoint, claims, header);
      expect([status, JSON.parse(text).error]).toEqual([401, 'invalid_client']);
      expect(JSON.parse(text).error_description).toMatch(reason);
    });

    it('for another client than client_id names is refused', async () => {
      expect((await send(endpoint, { sub: 'other' })).status).toBe(400);
    });

    it('whose signature is of another key is refused without a word about it', async () => {
      const fields = assertion(newClientKey(), 'signing', service.issuer);
      const body = new URLSearchParams({ ...ENDPOINTS[endpoint], ...fields });
      const answer = await fetch(service.issuer + endpoint, { method: 'POST', body });
      expect([answer.status, await answer.json()]).toEqual([
        401,
        {
          error: 'invalid_client',
          error_description: 'this client_id is not known here, or not with this secret or key',
        },
      ]);
    });
  });

  // SEC-65: PKCE wherever the operator demands it of servers: of one, or of all.
  describe('SEC-65 pkce: required', () => {
    const visit = async (service: RunningService, client_id: string, more: Record<string, string> = {}) => {
      const person = signedInPerson(service);
      const url = authorizationUrl(service, { client_id, scope: 'openid', ...more });
      return (await person.signIn(url, CREDENTIALS)).searchParams;
    };
    const withChallenge = async () => ({
      code_challenge: await oidc.calculatePKCECodeChallenge('v'.repeat(43)),
      code_challenge_method: 'S256',
    });

    it('of one server: only its requests need a challenge, pushed ones too', async () => {
      service.replaceClients(
        clients.map((client) => (client.id === 'trusted' ? { ...client, pkce: 'required' } : client)),
      );
      try {
        expect((await visit(service, 'server')).get('code')).toBeTruthy();
        const refused = await visit(service, 'trusted');
        expect([refused.get('error'), refused.get('error_description')]).toEqual([
          'invalid_request',
          expect.stringContaining('code_challenge is missing'),
        ]);
        const code = (await visit(service, 'trusted', await withChallenge())).get('code') ?? '';
        expect((await redeem(service, code, { client_id: 'trusted' })).status).toBe(400);
        const again = (await visit(service, 'trusted', await withChallenge())).get('code') ?? '';
        const fields = { client_id: 'trusted', code_verifier: 'v'.repeat(43) };
        expect((await redeem(service, again, fields)).status).toBe(200);
        const body = new URLSearchParams({
          client_id: 'trusted',
          client_secret: SECRET,
          response_type: 'code',
          redirect_uri: CALLBACK,
          scope: 'openid',
          state: oidc.randomState(),
        });
        expect((await fetch(`${service.issuer}/oauth/par`, { method: 'POST', body })).status).toBe(400);
      } finally {
        service.replaceClients(clients);
      }
    });

    it('of all: no server is served without, and the service itself goes on', async () => {
      const service = await startService({ adjust: (settings) => ({ ...settings, pkce: 'required' }) });
      try {
        const person = signedInPerson(service);
        const { left } = await person.visit(authorizationUrl(service, { scope: 'openid' }));
        expect(left?.searchParams.get('error_description')).toContain('code_challenge is missing');
        const served = await visit(service, 'server', await withChallenge());
        expect(served.get('code')).toBeTruthy();
        const account = await person.visit(`${service.issuer}/account`);
        expect([account.status, account.url]).toEqual([200, `${service.issuer}/account`]);
      } finally {
        await service.stop();
      }
    });
  });
});
