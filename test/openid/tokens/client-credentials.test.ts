// Tokens that a client has for itself (client credentials, RFC 6749 section 4.4): which scopes they may have, that no person stands
// behind them, and what `directoryAccess` changes.

import { describe, expect, it } from '@jest/globals';
import type { ClientSettings, Settings } from '#config/settings.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { openedForAll } from '#support/opened.ts';
import { basic } from '#support/openid/api-clients.ts';
import { redeem } from '#support/openid/relying-party.ts';
import { SECRET, startService, testClients } from '#support/service.ts';
import { until } from '#support/until.ts';

describe('client credentials', () => {
  /** Less than the default, and more than other tests obtain. */
  const TOKENS = 50;
  const DIRECTORY = 'PRACTITIONER_READ ORGANIZATION_READ';

  let clients: ClientSettings[];
  const service = openedForAll(async () => {
    const server = (await testClients()).find(({ id }) => id === 'server') as ClientSettings;
    const machine: ClientSettings = {
      ...server,
      callbackUrls: [],
      logoutUrls: [],
      id: 'machine',
      serviceAccount: true,
    };
    const reader: ClientSettings = { ...machine, id: 'reader', directoryAccess: true };
    clients = [
      { ...machine, scopes: ['openid', 'email', 'offline_access'] },
      { ...machine, id: 'plain' },
      reader,
      { ...reader, id: 'greedy' },
      { ...reader, id: 'removed' },
      { ...reader, id: 'slow', rate: { perSecond: 1, burst: 1 } },
      { ...server, id: 'api', type: 'api', callbackUrls: [], logoutUrls: [], scopes: ['PRACTITIONER_READ'] },
    ];
    return startService({ clients, adjust });
  });

  const adjust = (settings: Settings) => ({
    ...settings,
    limits: { ...settings.limits, serviceAccountTokens: TOKENS },
  });

  const request = (scope?: string, client_id = 'machine', at = service) =>
    redeem(at, '', { grant_type: 'client_credentials', client_id, scope, code: undefined, redirect_uri: undefined });
  const ask = async (scope?: string, client_id?: string, at = service) => {
    const answer = await request(scope, client_id, at);
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  };
  const search = async (token: string | undefined, path = 'Practitioner?name=mart', at = service) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${at.issuer}/directory/v2/${path}`, { headers });
    return { status: answer.status, text: await answer.text() };
  };
  const introspect = async (token = '', client_id = 'reader') => {
    const body = new URLSearchParams({ token });
    const asked = { method: 'POST', body, headers: basic(client_id, SECRET) };
    return (await fetch(`${service.issuer}/oauth/introspect`, asked)).json();
  };

  describe('a client on its own', () => {
    it('gets what it asks for, or nothing in particular', async () => {
      expect(await ask('email')).toMatchObject({ status: 200, body: { scope: 'email' } });
      expect((await ask('')).status).toBe(200);
      const { status, body } = await ask();
      expect([status, Object.keys(body).sort()]).toEqual([200, ['access_token', 'expires_in', 'token_type']]);
    });

    it('RFC 6749 5.1: is told what it gets of more, and of what nothing is left it gets no token', async () => {
      expect(await ask('patient/*.read email')).toMatchObject({ status: 200, body: { scope: 'email' } });
      expect(await ask('system/*.read launch')).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
    });

    it('is refused at userinfo', async () => {
      const { body } = await ask('email');
      const authorization = `Bearer ${body['access_token']}`;
      const answer = await fetch(`${service.issuer}/userinfo`, { headers: { authorization } });
      const { error_description: text } = (await answer.json()) as { error_description: string };
      expect([answer.status, text]).toEqual([401, expect.any(String)]);
      expect(answer.headers.get('www-authenticate')).toContain(`error_description="${text}"`);
    });
  });

  describe('SEC-21 the scopes of the directory, without directoryAccess', () => {
    it('are an invalid_scope, with the remedy', async () => {
      const { status, body } = await ask(`email ${DIRECTORY}`, 'plain');
      expect([status, body['error'], body['access_token']]).toEqual([400, 'invalid_scope', undefined]);
      expect(body['error_description']).toContain(`the directory needs one for ${DIRECTORY}: let a person sign in, or`);
      expect(body['error_description']).toContain('directoryAccess: true');
    });

    it('a token without them is refused at the directory, and the answer names the remedy', async () => {
      const { body } = await ask('email', 'plain');
      const { status, text } = await search(body['access_token']);
      expect([status, text]).toEqual([403, expect.stringContaining('directoryAccess: true')]);
    });
  });

  describe('directoryAccess: true', () => {
    it('reads the directory within its scopes, and no farther', async () => {
      const { status, body } = await ask('PRACTITIONER_READ', 'reader');
      expect([status, body['scope']]).toEqual([200, 'PRACTITIONER_READ']);
      expect(await search(body['access_token'])).toMatchObject({ status: 200 });
      expect(await search(body['access_token'], 'Organization?name=mart')).toMatchObject({ status: 403 });
      const { body: email } = await ask('email', 'reader');
      expect(await search(email['access_token'])).toMatchObject({ status: 403 });
    });

    it('RFC 7662 section 2.2: introspection has the client and no sub, for it and for an api of the scope', async () => {
      const { body } = await ask(DIRECTORY, 'reader');
      const token = body['access_token'];
      const own = { active: true, client_id: 'reader', scope: DIRECTORY, token_type: 'Bearer' };
      const seen = await introspect(token);
      expect(seen).toMatchObject(own);
      expect(Object.keys(seen as object)).not.toContain('sub');
      expect(await introspect(token, 'api')).toMatchObject({ ...own, scope: 'PRACTITIONER_READ' });
      expect(await introspect(token, 'plain')).toEqual({ active: false });
    });

    it.each([
      ['withdrawn', { directoryAccess: false }, 403],
      ['withdrawn with the service account', { serviceAccount: false }, 401],
      ['withdrawn with the scope', { scopes: ['ORGANIZATION_READ'] }, 403],
      ['narrowed to tokens that are bound to a key', { dpop: 'required' as const }, 401],
      ['of a client that is gone', undefined, 401],
    ])('%s, a token in use loses it at once', async (_what, edit, refused) => {
      const token = (await ask('PRACTITIONER_READ', 'removed')).body['access_token'];
      expect(await search(token)).toMatchObject({ status: 200 });
      const edited = clients.map((client) => (client.id === 'removed' ? edit && { ...client, ...edit } : client));
      service.replaceClients(edited.filter((client) => client !== undefined));
      expect(await search(token)).toMatchObject({ status: refused });
      if (edit === undefined || !('dpop' in edit)) expect(await introspect(token, 'api')).toEqual({ active: false });
      service.replaceClients(clients);
    });

    it('has a rate of its own, and limits.serviceAccountTokens for tokens: 429 with Retry-After', async () => {
      const { body } = await ask('PRACTITIONER_READ', 'slow');
      expect(await search(body['access_token'])).toMatchObject({ status: 200 });
      expect(await search(body['access_token'])).toMatchObject({ status: 429 });

      const answers = await Promise.all(Array.from({ length: TOKENS + 1 }, () => request('email', 'greedy')));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(TOKENS);
      const refused = answers.find(({ status }) => status === 429);
      expect(await refused?.json()).toMatchObject({ error: 'temporarily_unavailable' });
      expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
      // Another client is not concerned.
      expect(await ask('email')).toMatchObject({ status: 200 });
    });

    it('SEC-48 each token is recorded; requests are counted, not recorded one by one', async () => {
      const own = await startService({ clients, adjust });
      await ask('PRACTITIONER_READ', 'slow', own);
      const { body } = await ask('PRACTITIONER_READ', 'reader', own);
      for (const path of ['Practitioner?name=mart', 'Organization?name=mart', 'Practitioner?name=mart'])
        await search(body['access_token'], path, own);
      const events = (event: 'token.issued' | 'directory.used', client: string) =>
        openAuditEvents(own.database).search({ limit: 500, events: [event], client });
      await until(async () => (await events('token.issued', 'slow')).length > 0, 'a record of slow');
      expect(await events('token.issued', 'slow')).toEqual([
        expect.objectContaining({
          actor: 'client:slow',
          details: { grant: 'client_credentials', scope: 'PRACTITIONER_READ' },
        }),
      ]);
      expect(await events('directory.used', 'reader')).toEqual([]);
      await own.stop();
      const lines = own
        .logged()
        .split('\n')
        .filter((line) => line.includes('"directory.used"'));
      const counted = lines.map((line) => JSON.parse(line)).find(({ client }) => client === 'reader');
      // One request lacked the scope, and was counted all the same.
      expect(counted).toMatchObject({ actor: 'client:reader', details: { requests: 3 } });
    });
  });
});
