// Which requests go the short way to userinfo (`src/oidc/tokens/short-userinfo.ts`): the usual ones, anything else the library's. That
// both answer the same is told by `short-ways.test.ts`.

import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClientSettings } from '../../src/config/settings.ts';
import { createClientRegistry } from '../../src/oidc/clients/client-registry.ts';
import { type ShortUserinfo, tellShortly } from '../../src/oidc/tokens/short-userinfo.ts';
import { openOidcRecords } from '../../src/store/oidc/oidc-records.ts';
import { signIn } from '../support/oidc/relying-party.ts';
import { type RunningService, startService, testClients } from '../support/service.ts';

describe('the short way to userinfo', () => {
  let service: RunningService;
  let server: Server;
  let usual: string;
  let single: string;
  let clients: ClientSettings[];
  let options: ShortUserinfo;
  beforeAll(async () => {
    clients = await testClients();
    service = await startService({ clients });
    usual = `Bearer ${(await signIn(service)).tokens.access_token}`;
    const parameters = { claims: '{"userinfo":{"name":null}}', prompt: 'consent' };
    single = `Bearer ${(await signIn(service, { scope: 'openid', parameters })).tokens.access_token}`;
    const records = openOidcRecords(service.database);
    options = { settings: service.settings, clients: createClientRegistry(clients), records };
    server = createServer((req, res) => tellShortly(options, (_req, out) => out.end('"library"'))(req, res));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await service.stop();
  });

  const ask = async (headers: Record<string, string>, path = '/userinfo', method = 'GET') => {
    const { port } = server.address() as { port: number };
    return (await (await fetch(`http://127.0.0.1:${port}${path}`, { method, headers })).json()) as unknown;
  };

  it('is taken with a token that holds, in the header', async () => {
    expect(await ask({ authorization: usual })).toMatchObject({ name: expect.any(String), email: expect.any(String) });
  });

  it.each<[string, () => Parameters<typeof ask>]>([
    ['a POST', () => [{ authorization: usual }, '/userinfo', 'POST']],
    ['a parameter', () => [{ authorization: usual }, '/userinfo?scope=openid']],
    ['a page of a site', () => [{ authorization: usual, origin: 'https://application.example' }]],
    ['a proof of a key', () => [{ authorization: usual, dpop: 'a.b.c' }]],
    ['another scheme', () => [{ authorization: usual.replace('Bearer', 'DPoP') }]],
    ['no token', () => [{}]],
    ['an unknown token', () => [{ authorization: 'Bearer unknown' }]],
    ['claims asked for one by one', () => [{ authorization: single }]],
  ])('is not for %s', async (_what, asked) => {
    expect(await ask(...asked())).toBe('library');
  });

  it('is not for a client that lost the scope openid, nor while the database is away', async () => {
    const before = { ...options };
    try {
      options.clients.replace(clients.map((client) => ({ ...client, scopes: ['email'] })));
      expect(await ask({ authorization: usual })).toBe('library');
      options.clients.replace(clients.map((client) => ({ ...client, scopes: ['openid'] })));
      expect(await ask({ authorization: usual })).not.toHaveProperty('email');
      options.records = { findTokenContext: () => Promise.reject(new Error('away')) };
      expect(await ask({ authorization: usual })).toBe('library');
    } finally {
      Object.assign(options, before);
      options.clients.replace(clients);
    }
  });
});
