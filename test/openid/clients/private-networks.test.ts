// SEC-47, config/README.md "Private networks": a service in production asks no address of a client in a private network, neither
// for its keys nor to tell it of a sign-out, unless the settings allow that network. `outbound-fetch.test.ts` has the rules.

import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClientSettings } from '#config/settings.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { assertion, newClientKey } from '#support/openid/keys-of-clients.ts';
import { authorizationUrl, CREDENTIALS, redeem } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { type RunningService, startService, testClients } from '#support/service.ts';
import { until } from '#support/until.ts';

describe.each([
  {
    networks: [] as string[],
    reason: /127\.0\.0\.1 lies in a private network: allow it with outgoing\.privateNetworks/,
  },
  { networks: ['127.0.0.1/32'], reason: /ECONNRESET|socket (hang up|disconnected)/ },
])('SEC-47 a service in production that allows the networks $networks', ({ networks, reason }) => {
  let service: RunningService;
  /** Hangs up on whoever comes. */
  let client: Server;
  let visits = 0;
  beforeAll(async () => {
    client = createServer((socket) => {
      visits += 1;
      socket.on('error', () => {}).destroy();
    });
    await new Promise<void>((done) => client.listen(0, '127.0.0.1', done));
    const address = `https://127.0.0.1:${(client.address() as AddressInfo).port}`;
    const known = await testClients();
    const server = known.find(({ id }) => id === 'server') as ClientSettings;
    service = await startService({
      clients: [
        { ...server, id: 'signing', secretHashes: [], jwksUrl: `${address}/jwks.json` },
        { ...server, id: 'told', backchannelLogoutUrl: `${address}/logout-token` },
      ],
      adjust: (settings) => ({
        ...settings,
        mode: 'production',
        outgoing: { ...settings.outgoing, privateNetworks: networks },
      }),
    });
  });
  afterAll(async () => {
    await service.stop();
    client.close();
  });

  const detailsOf = async (event: 'token.refused' | 'logout-token.failed', id: string) => {
    const [found] = await openAuditEvents(service.database).search({ limit: 1, events: [event], client: id });
    return found?.details as Record<string, string> | undefined;
  };
  const comes = () => expect(visits > 0).toBe(networks.length > 0);

  it('the keys of a client', async () => {
    visits = 0;
    const fields = assertion(newClientKey(), 'signing', service.issuer);
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...fields });
    expect((await fetch(`${service.issuer}/oauth/token`, { method: 'POST', body })).status).toBe(401);
    await until(async () => (await detailsOf('token.refused', 'signing')) !== undefined, 'it is in the audit trail');
    expect(Object.values((await detailsOf('token.refused', 'signing')) ?? {}).join('\n')).toMatch(reason);
    comes();
  });

  it('a logout token for a client', async () => {
    visits = 0;
    const person = createPerson(service.issuer);
    const callback = await person.signIn(authorizationUrl(service, { client_id: 'told' }), CREDENTIALS);
    const code = callback.searchParams.get('code') ?? '';
    expect((await redeem(service, code, { client_id: 'told' })).status).toBe(200);
    await person.press(await person.visit(`${service.issuer}/logout`), 'sign-out');
    await until(async () => (await detailsOf('logout-token.failed', 'told')) !== undefined, 'it is in the audit trail');
    expect((await detailsOf('logout-token.failed', 'told'))?.['reason']).toMatch(reason);
    comes();
  });
});
