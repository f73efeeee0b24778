// The clients of the demonstration: their addresses, and who knows the secret.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { demoClients, openDemo } from '#server/start/demo-clients.ts';
import { matchingHashes } from '#shared/crypto/secret-hash.ts';

describe('clients of the demonstration', () => {
  const ISSUER = 'https://connect.example/base';
  type DemoSettings = Parameters<typeof demoClients>[0];
  const settingsOf = (sandbox: boolean, ...secrets: string[]) =>
    ({ issuer: ISSUER, sandbox, keys: { secrets } }) as unknown as DemoSettings;

  let before: string | undefined;
  beforeEach(() => {
    before = process.env['DEMO_CLIENT_SECRET'];
    delete process.env['DEMO_CLIENT_SECRET'];
  });
  afterEach(() => {
    if (before === undefined) delete process.env['DEMO_CLIENT_SECRET'];
    else process.env['DEMO_CLIENT_SECRET'] = before;
  });

  /** The secret of another process: it does not share the environment of this one. */
  async function secretOfNewProcess(settings: DemoSettings): Promise<string> {
    delete process.env['DEMO_CLIENT_SECRET'];
    return (await demoClients(settings)).options.server.clientSecret;
  }

  describe('the client of the demonstration', () => {
    it('has all its addresses below the issuer, and asks for consent', async () => {
      const { clients } = await openDemo(settingsOf(false));
      const home = 'https://connect.example/base/demo/';
      expect(clients.map(({ secretHashes: _, ...client }) => client)).toEqual([
        {
          id: 'demo-server',
          name: 'Mirabelle',
          type: 'server',
          serviceAccount: false,
          consent: 'ask',
          scopes: ['openid', 'email', 'profile', 'PRACTITIONER_READ', 'ORGANIZATION_READ'],
          homeUrl: home,
          logoutUrls: [home],
          callbackUrls: [`${home}callback`],
          backchannelLogoutUrl: `${home}backchannel-logout`,
        },
      ]);
    });

    it('has a secret, which its hash fits', async () => {
      const { clients, options } = await demoClients(settingsOf(false));
      const [hash = ''] = clients[0]?.secretHashes ?? [];
      expect(await matchingHashes(options.server.clientSecret, [hash])).toEqual([hash]);
      expect(await matchingHashes('another', [hash])).toEqual([]);
      const { accounts = [] } = options;
      expect(accounts.length).toBeGreaterThan(1);
      for (const { login, password, name } of accounts)
        for (const text of [login, password, name]) expect(text).toMatch(/\S/);
    });

    it('the worker processes of one service have one secret, and each start has another', async () => {
      const first = await secretOfNewProcess(settingsOf(false, 'key'));
      expect((await demoClients(settingsOf(false, 'key'))).options.server.clientSecret).toBe(first);
      expect(await secretOfNewProcess(settingsOf(false, 'key'))).not.toBe(first);
      expect(first.length).toBeGreaterThanOrEqual(32);
    });

    it('the instances of a sandbox have one secret, which the secret of the keys makes', async () => {
      const first = await secretOfNewProcess(settingsOf(true, 'key', 'older'));
      expect(await secretOfNewProcess(settingsOf(true, 'key'))).toBe(first);
      expect(await secretOfNewProcess(settingsOf(true, 'other', 'key'))).not.toBe(first);
      expect(await secretOfNewProcess(settingsOf(true))).not.toBe(await secretOfNewProcess(settingsOf(true)));
    });
  });
});
