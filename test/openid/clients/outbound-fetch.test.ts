// SEC-47, SEC-49: whatever a client's address answers, asking it comes to an end and the service lives on.

import { afterAll, describe, expect, it, jest } from '@jest/globals';
import type { ClientSettings } from '#config/settings.ts';
import { outgoingFetch } from '#openid/clients/outbound-fetch.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { assertion, newClientKey } from '#support/openid/keys-of-clients.ts';
import { ANSWERS, startOddServer } from '#support/openid/odd-answers.ts';
import { authorizationUrl, CREDENTIALS, redeem } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import '#support/seed.ts';
import type { lookup } from 'node:dns';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { openedForAll } from '#support/opened.ts';
import { startService, testClients } from '#support/service.ts';
import { until } from '#support/until.ts';

const fetchFromClients = outgoingFetch({ mode: 'development', outgoing: { privateNetworks: [] } });
const form = () => new URLSearchParams({ logout_token: 'x' });
type Done = (error: null, addresses: object[]) => void;
const settled = (url: string, signal = AbortSignal.timeout(20_000)) =>
  fetchFromClients(url, { method: 'POST', body: form(), signal }).then(
    async (response) => ({ said: String(response.status), body: await response.text() }),
    (error: { name: string; message: string; code?: string }) => ({
      said: `${error.name} ${error.code ?? ''} ${error.message}`,
      body: undefined,
    }),
  );

describe('SEC-64 this machine', () => {
  const guarded = outgoingFetch({ mode: 'production', outgoing: { privateNetworks: [] } });

  it.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '\u{ff11}27.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[2002:7f00:1::]',
    '[64:ff9b::127.0.0.1]',
    // A name is judged by what it leads to at the moment of the connection.
    'localhost',
  ])('in production nothing is sent to %s', async (host) => {
    let visits = 0;
    const server = createServer((socket) => {
      visits += 1;
      socket.destroy();
    });
    await new Promise<void>((done) => server.listen(0, '::', done));
    const { port } = server.address() as AddressInfo;
    await expect(guarded(`http://${host}:${port}/`)).rejects.toThrow('lies in a private network');
    expect(visits).toBe(0);
    await new Promise((done) => server.close(done));
  });

  it.each(['127.0.0.1', '[::1]'])('in development %s is asked', async (host) => {
    // Nobody listens there.
    await expect(fetchFromClients(`http://${host}:9/`)).rejects.toThrow(/connect E/);
  });

  it('in production a name is connected to the very addresses that were judged, however its answers change', async () => {
    const visits = { '127.0.0.1': 0, '127.0.0.2': 0 };
    const listen = async (address: keyof typeof visits, port: number) => {
      const server = createServer((socket) => {
        visits[address] += 1;
        socket.resume().end('HTTP/1.1 204 No Content\r\n\r\n');
      });
      await new Promise<void>((done) => server.listen(port, address, done));
      return server;
    };
    const allowed = await listen('127.0.0.2', 0);
    const { port } = allowed.address() as AddressInfo;
    const forbidden = await listen('127.0.0.1', port);
    const answers = [['127.0.0.2'], ['127.0.0.1', '127.0.0.2'], ['127.0.0.1']];
    const resolve = ((_name: string, _options: object, done: Done) =>
      done(
        null,
        (answers.shift() ?? []).map((address) => ({ address, family: 4 })),
      )) as unknown as typeof lookup;
    const settings = { mode: 'production' as const, outgoing: { privateNetworks: ['127.0.0.2/32'] } };
    const rebound = outgoingFetch(settings, resolve);
    for (const times of [1, 2]) {
      expect((await rebound(`http://client.example:${port}/`)).status).toBe(204);
      expect(visits['127.0.0.2']).toBe(times);
    }
    await expect(rebound(`http://client.example:${port}/`)).rejects.toThrow('lies in a private network');
    expect([answers.length, visits['127.0.0.1']]).toEqual([0, 0]);
    for (const server of [allowed, forbidden]) await new Promise((done) => server.close(done));
  });
});

describe('an answer of a client', () => {
  const server = openedForAll(startOddServer);

  it.each(Object.entries(ANSWERS))('%s: is told, or refused', async (name, { outcome }) => {
    const late = typeof outcome !== 'number' && outcome.test('timeout');
    const patience = new AbortController();
    const before = server.asked(name);
    const settling = settled(server.url(name), late ? patience.signal : undefined);
    if (late) {
      await until(() => server.asked(name) === before + 1, 'it is asked');
      // What comes of the answer comes within that time.
      await setTimeout(30);
      patience.abort(new DOMException('the timeout of the caller', 'TimeoutError'));
    }
    const { said } = await settling;
    if (typeof outcome === 'number') expect(said).toBe(String(outcome));
    else expect(said).toMatch(outcome);
    expect(server.asked(name)).toBe(before + 1);
  });

  it('no connection is left open after it, whatever was answered', async () => {
    await until(() => server.open() === 0, 'every connection is closed');
  });

  it('of any bytes whatever is told, or refused', async () => {
    let bytes: Uint8Array = new Uint8Array();
    const sockets = new Set<Socket>();
    const anything = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      socket.once('data', () => socket.end(bytes));
    });
    await new Promise<void>((done) => anything.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(anything.address() as AddressInfo).port}/`;
    const texts = Object.values(ANSWERS).flatMap(({ send }) => (typeof send === 'string' ? [send] : []));
    // Parts of answers in any order, and with any bytes between them: most begin as an answer does.
    const parts = fc.oneof(
      fc.constantFrom(...texts),
      fc.constantFrom(...texts.flatMap((text) => text.split(/(?<=\r\n)/))),
      fc.uint8Array({ maxLength: 40 }).map((some) => Buffer.from(some).toString('latin1')),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(parts, { maxLength: 6 }), async (some) => {
        bytes = Buffer.from(some.join(''), 'latin1');
        const { said } = await settled(url);
        expect(said).toMatch(/^[2-5]\d\d$|Error/);
        expect(said).not.toMatch(/timeout/i);
      }),
      { numRuns: 200 },
    );
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => anything.close(done));
  });

  it('is what was sent, and may be left unread', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        fetchFromClients(server.url('a body in chunks'), { method: 'POST', body: form() }),
      ),
    );
    for (const answer of answers.slice(10)) await answer.body?.cancel();
    for (const answer of answers.slice(0, 10)) expect(await answer.text()).toBe('OK');
  });

  it('is waited for ten seconds at most, whatever the caller says', async () => {
    const { timeout } = AbortSignal;
    const waits = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(30));
    try {
      await expect(fetchFromClients(server.url('nothing for ever'))).rejects.toThrow(/timeout/);
      expect(waits.mock.calls).toEqual([[10_000]]);
    } finally {
      waits.mockRestore();
    }
  });

  it('by TLS that is none is refused', async () => {
    expect((await settled(server.url('a body', 'https'))).said).toMatch(/SSL|TLS|EPROTO|packet/i);
  });

  it('that nobody gives, or that nobody waits for any more, is refused with the reason', async () => {
    const closed = await startOddServer();
    const url = closed.url('a body');
    await closed.close();
    expect((await settled(url)).said).toMatch(/ECONNREFUSED/);
    const reason = new Error('the service stops');
    await expect(fetchFromClients(server.url('a body'), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const stopping = new AbortController();
    const before = server.asked('nothing for ever');
    const asked = fetchFromClients(server.url('nothing for ever'), { signal: stopping.signal });
    await until(() => server.asked('nothing for ever') === before + 1, 'it is asked');
    stopping.abort(reason);
    await expect(asked).rejects.toBe(reason);
  });
});

// SEC-47, config/README.md "Private networks": a service in production asks no address of a client in a private network, neither
// for its keys nor to tell it of a sign-out, unless the settings allow that network.
describe.each([
  {
    networks: [] as string[],
    reason: /127\.0\.0\.1 lies in a private network: allow it with outgoing\.privateNetworks/,
  },
  { networks: ['127.0.0.1/32'], reason: /ECONNRESET|socket (hang up|disconnected)/ },
])('SEC-47 a service in production that allows the networks $networks', ({ networks, reason }) => {
  /** Hangs up on whoever comes. */
  let client: Server;
  let visits = 0;
  const service = openedForAll(async () => {
    client = createServer((socket) => {
      visits += 1;
      socket.on('error', () => {}).destroy();
    });
    await new Promise<void>((done) => client.listen(0, '127.0.0.1', done));
    const address = `https://127.0.0.1:${(client.address() as AddressInfo).port}`;
    const known = await testClients();
    const server = known.find(({ id }) => id === 'server') as ClientSettings;
    return startService({
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
