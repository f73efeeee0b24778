// Introspection (RFC 7662) and revocation (RFC 7009) for resource servers beside the directory: clients of type api.

import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it, jest } from '@jest/globals';
import * as oidc from 'openid-client';
import type { ClientSettings } from '#config/settings.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { clientsWithApis } from '#support/openid/api-clients.ts';
import { assertion, newClientKey } from '#support/openid/keys-of-clients.ts';
import { discover, discoverPublic, signIn } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson } from '#support/person.ts';
import { CALLBACK, DEMO_ACCOUNTS, DEMO_PASSWORD, SECRET } from '#support/service.ts';

describe('introspection', () => {
  const key = newClientKey();
  let clients: ClientSettings[];
  withService(async () => {
    clients = await clientsWithApis(key);
    return { clients };
  });

  const post = async (path: string, fields: Record<string, string>) => {
    const answer = await fetch(`${service.issuer}${path}`, { method: 'POST', body: new URLSearchParams(fields) });
    return { status: answer.status, body: await answer.text(), headers: answer.headers };
  };
  const introspect = async (token: string, client_id = 'api') => {
    const answer = await post('/oauth/introspect', { token, client_id, client_secret: SECRET });
    return JSON.parse(answer.body) as Record<string, unknown>;
  };

  describe('an api', () => {
    it('is told of tokens of other clients that hold one of its scopes, and of these scopes only', async () => {
      const { tokens } = await signIn(service);
      const now = Date.now() / 1000;
      const state = await introspect(tokens.access_token);
      expect(state).toMatchObject({
        active: true,
        client_id: 'server',
        sub: tokens.claims()?.sub,
        iss: service.issuer,
        token_type: 'Bearer',
      });
      // A scope is a set: its order is that of the person's earlier consents.
      expect(String(state['scope']).split(' ').sort()).toEqual(['PRACTITIONER_READ', 'email']);
      expect(Math.abs(Number(state['iat']) - now)).toBeLessThan(60);
      // RFC 9470 section 6.2: when the person signed in.
      expect(Math.abs(Number(state['auth_time']) - now)).toBeLessThan(60);
      expect(Number(state['exp'])).toBe(Number(state['iat']) + service.settings.lifetimes.accessToken);
      expect(state).not.toHaveProperty('cnf');
    });

    it('has its form read once: the library does not wait for the events of the request again', async () => {
      const iterators = ['iterator', Symbol.asyncIterator] as const;
      const spies = iterators.map((name) => jest.spyOn(Readable.prototype, name as 'iterator'));
      expect(await introspect('unknown')).toEqual({ active: false });
      const read = spies.flatMap(({ mock }) => mock.contexts).filter((stream) => stream instanceof IncomingMessage);
      for (const spy of spies) spy.mockRestore();
      expect(read).toEqual([]);
    });

    it('that serves email is told by username whom the token is about: what the person signs in with', async () => {
      const person = createPerson(service.issuer);
      const { email } = DEMO_ACCOUNTS[2] ?? { email: '' };
      const credentials = { login: email, password: DEMO_PASSWORD };
      const { tokens } = await signIn(service, { person, credentials });
      expect(await introspect(tokens.access_token)).toMatchObject({ username: email, auth_time: expect.any(Number) });
      const signed = await fetch(`${service.issuer}/oauth/introspect`, {
        method: 'POST',
        body: new URLSearchParams({ token: tokens.access_token, client_id: 'api', client_secret: SECRET }),
        headers: { accept: 'application/token-introspection+jwt' },
      });
      const [, claims = ''] = (await signed.text()).split('.');
      expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
        token_introspection: { username: email },
      });
    });

    it('tokensOf: takes tokens of the clients that it names alone, from the next request on', async () => {
      const { tokens } = await signIn(service);
      const machine = await oidc.clientCredentialsGrant(await discover(service, 'trusted'), { scope: 'email' });
      const both = async () =>
        [await introspect(tokens.access_token), await introspect(machine.access_token)].map(({ active }) => active);
      const named = (tokensOf: string[]) =>
        service.replaceClients(clients.map((client) => (client.id === 'api' ? { ...client, tokensOf } : client)));
      try {
        expect(await both()).toEqual([true, true]);
        named(['server']);
        expect(await both()).toEqual([true, false]);
        expect(await introspect(machine.access_token)).toEqual({ active: false });
        named(['trusted', 'browser']);
        expect(await both()).toEqual([false, true]);
      } finally {
        service.replaceClients(clients);
      }
    });

    it('proves who it is with a key as well', async () => {
      const { tokens } = await signIn(service);
      const fields = { ...assertion(key, 'signing-api', service.issuer), token: tokens.access_token };
      const answer = await post('/oauth/introspect', fields);
      expect(JSON.parse(answer.body)).toMatchObject({ active: true, scope: 'profile' });
      expect(answer.headers.get('cache-control')).toContain('no-store');
    });

    it('SEC-20 hears at once of sign-outs, disabled people and permissions that a client lost', async () => {
      const person = createPerson(service.issuer);
      const credentials = { login: DEMO_ACCOUNTS[5]?.email ?? '', password: DEMO_PASSWORD };
      const { tokens } = await signIn(service, { person, credentials });
      expect(await introspect(tokens.access_token)).toMatchObject({ active: true });
      const scopesOf = (scopes: string[]) =>
        service.replaceClients(clients.map((client) => (client.id === 'server' ? { ...client, scopes } : client)));
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      scopesOf(['openid', 'email']);
      expect(await introspect(tokens.access_token)).toMatchObject({ active: true, scope: 'email' });
      const known = await (await fetch(`${service.issuer}/userinfo`, { headers })).json();
      expect(known).toMatchObject({ sub: expect.any(String), email: credentials.login });
      expect(known).not.toHaveProperty('name');
      scopesOf(['email']);
      const refused = await fetch(`${service.issuer}/userinfo`, { headers });
      expect([refused.status, await refused.json()]).toEqual([
        403,
        expect.objectContaining({ error: 'insufficient_scope' }),
      ]);
      service.replaceClients(clients.filter(({ id }) => id !== 'server'));
      expect(await introspect(tokens.access_token)).toEqual({ active: false });
      service.replaceClients(clients);
      await openAccounts(service.database).update(DEMO_ACCOUNTS[5]?.id ?? '', { status: 'disabled' });
      expect(await introspect(tokens.access_token)).toEqual({ active: false });
    });

    it('takes back no token: that is for the client that owns it', async () => {
      const { tokens } = await signIn(service);
      const asked = { token: tokens.access_token, client_id: 'api', client_secret: SECRET };
      expect((await post('/oauth/revoke', asked)).status).toBe(200);
      expect(await introspect(tokens.access_token)).toMatchObject({ active: true });
      expect((await post('/oauth/revoke', { ...asked, client_id: 'server' })).status).toBe(200);
      expect(await introspect(tokens.access_token)).toEqual({ active: false });
    });

    it('SEC-05 gets no tokens itself, and nobody signs in to it', async () => {
      const asked = { client_id: 'api', client_secret: SECRET };
      for (const grant of ['client_credentials', 'authorization_code', 'refresh_token', 'password']) {
        const fields = { ...asked, grant_type: grant, code: 'x', redirect_uri: CALLBACK, refresh_token: 'x' };
        expect((await post('/oauth/token', fields)).status).toBe(400);
      }
      const authorize = new URL(`${service.issuer}/authorize`);
      const request = { client_id: 'api', response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', state: 's' };
      for (const [name, value] of Object.entries(request)) authorize.searchParams.set(name, value);
      const page = await createPerson(service.issuer).visit(authorize);
      expect(page.left).toBeUndefined();
      expect(page.status).toBe(400);
    });

    it('a client that cannot prove it is told so, of whatever token it asks, and the log too', async () => {
      const configuration = await discoverPublic(service, 'browser');
      const { tokens } = await signIn(service, { clientId: 'browser', configuration });
      for (const token of [tokens.access_token, 'unknown']) {
        const { status, body } = await post('/oauth/introspect', { token, client_id: 'browser' });
        expect([status, JSON.parse(body)]).toEqual([
          401,
          {
            error: 'invalid_client',
            error_description: expect.stringContaining('clients of type browser and native cannot introspect'),
          },
        ]);
      }
      expect(service.logged()).toMatch(/"route":"introspection","client":"browser","error":"invalid_client"/);
    });
  });
});
