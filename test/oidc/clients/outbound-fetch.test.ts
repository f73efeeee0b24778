// SEC-47, SEC-49: whatever a client's address answers, asking it comes to an end and the service lives on.

import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { outgoingFetch } from '../../../src/oidc/clients/outbound-fetch.ts';
import { ANSWERS, type OddServer, startOddServer } from '../../support/oidc/odd-answers.ts';
import { until } from '../../support/until.ts';
import '../../support/seed.ts';

const fetchFromClients = outgoingFetch({ mode: 'development', outgoing: { privateNetworks: [] } });
const form = () => new URLSearchParams({ logout_token: 'x' });
const settled = (url: string, signal = AbortSignal.timeout(20_000)) =>
  fetchFromClients(url, { method: 'POST', body: form(), signal }).then(
    async (response) => ({ said: String(response.status), body: await response.text() }),
    (error: { name: string; message: string; code?: string }) => ({
      said: `${error.name} ${error.code ?? ''} ${error.message}`,
      body: undefined,
    }),
  );

describe('an answer of a client', () => {
  let server: OddServer;
  beforeAll(async () => {
    server = await startOddServer();
  });
  afterAll(() => server.close());

  it.each(Object.entries(ANSWERS))('%s: is told, or refused', async (name, { outcome }) => {
    const late = typeof outcome !== 'number' && outcome.test('timeout');
    const patience = new AbortController();
    const settling = settled(server.url(name), late ? patience.signal : undefined);
    if (late) {
      await until(() => server.asked(name) === 1, 'it is asked');
      // What comes of the answer comes within that time.
      await setTimeout(30);
      patience.abort(new DOMException('the timeout of the caller', 'TimeoutError'));
    }
    const { said } = await settling;
    if (typeof outcome === 'number') expect(said).toBe(String(outcome));
    else expect(said).toMatch(outcome);
    expect(server.asked(name)).toBe(1);
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
    const asked = fetchFromClients(server.url('nothing for ever'), { signal: stopping.signal });
    await until(() => server.asked('nothing for ever') === 2, 'it is asked');
    stopping.abort(reason);
    await expect(asked).rejects.toBe(reason);
  });
});
