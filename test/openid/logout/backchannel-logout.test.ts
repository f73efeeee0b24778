// Back-channel logout: OpenID Connect Back-Channel Logout 1.0; SEC-38, SEC-47, SEC-48, SEC-49. With a real receiver.

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ClientSettings } from '#config/settings.ts';
import { outgoingFetch } from '#openid/clients/outbound-fetch.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { openedForAll, openedForEach } from '#support/opened.ts';
import { startLogoutReceiver, TOLD } from '#support/openid/logout-receiver.ts';
import { signIn } from '#support/openid/relying-party.ts';
import { type KeySet, verified } from '#support/openid/verified.ts';
import { createPerson } from '#support/person.ts';
import { startService, testClients } from '#support/service.ts';
import { until } from '#support/until.ts';

// On PostgreSQL, which instances share.
describe('SEC-38 back-channel logout', () => {
  let clients: ClientSettings[];

  const receiver = openedForAll(startLogoutReceiver);
  beforeAll(async () => {
    clients = (await testClients()).map((client) =>
      client.type === 'server'
        ? { ...client, consent: 'trusted' as const, backchannelLogoutUrl: receiver.url }
        : client,
    );
  });
  const one = openedForAll(() => startService({ engine: 'postgresql', clients }));
  // A second instance on the same database: whichever is first sends, and never both.
  const other = openedForAll(() =>
    startService({ clients, adjust: (settings) => ({ ...settings, database: one.settings.database }) }),
  );
  beforeEach(async () => {
    await until(async () => (await waiting()).length === 0, 'the queue of the test before is empty');
    receiver.received.length = 0;
    receiver.answers = [TOLD];
  });

  const waiting = () => one.database('logout_deliveries').select('*');
  const audited = async (
    event: 'logout-token.delivered' | 'logout-token.failed' | 'logout-token.given-up',
    since: number,
  ) => openAuditEvents(one.database).search({ events: [event], since, limit: 100 });
  const signOut = async ({ person, tokens }: Awaited<ReturnType<typeof signIn>>) => {
    const page = await person.visit(`${one.issuer}/logout?id_token_hint=${tokens.id_token}`);
    return person.press(page, 'sign-out');
  };

  it('each client of the session gets one token of its own: typ, events, sub, sid, jti, short life, no nonce', async () => {
    const since = Date.now();
    const person = createPerson(one.issuer);
    const session = await signIn(one, { person, scope: 'openid' });
    const second = await signIn(one, { person, clientId: 'narrow', scope: 'openid' });
    await signOut(session);
    await until(() => receiver.received.length === 2, 'both clients are told');
    await until(async () => (await waiting()).length === 0, 'the queue is empty');

    const keys = (await (await fetch(`${one.issuer}/.well-known/jwks.json`)).json()) as KeySet;
    const told = receiver.received.map((form) => {
      expect([...form.keys()]).toEqual(['logout_token']);
      return verified(form.get('logout_token') ?? '', keys);
    });
    for (const { header, payload } of told) {
      expect(header).toMatchObject({ typ: 'logout+jwt', alg: 'RS256' });
      expect(payload).toMatchObject({
        sub: session.tokens.claims()?.sub,
        sid: expect.any(String),
        jti: expect.any(String),
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      });
      expect(payload).not.toHaveProperty('nonce');
      expect(Number(payload['exp']) - Number(payload['iat'])).toBeLessThanOrEqual(120);
    }
    const byClient = new Map(told.map(({ payload }) => [payload['aud'], payload]));
    expect([...byClient.keys()].sort()).toEqual(['narrow', 'server']);
    expect(byClient.get('server')?.['sid']).toBe(session.tokens.claims()?.['sid']);
    expect(byClient.get('narrow')?.['sid']).toBe(second.tokens.claims()?.['sid']);
    // Either instance may have been first, and each has an address of its own here.
    for (const { payload } of told) expect([one.issuer, other.issuer]).toContain(payload['iss']);
    await until(async () => (await audited('logout-token.delivered', since)).length === 2, 'it is in the audit trail');
  });

  it('logoutTokenType and backchannelLogoutSession: typ JWT, and no sid, for the clients that say so, at once', async () => {
    const like = (change: Partial<ClientSettings>) => {
      for (const service of [one, other]) {
        service.replaceClients(clients.map((client) => (client.id === 'narrow' ? { ...client, ...change } : client)));
      }
    };
    const keys = (await (await fetch(`${one.issuer}/.well-known/jwks.json`)).json()) as KeySet;
    const toldOf = async () => {
      receiver.received.length = 0;
      const session = await signIn(one, { person: createPerson(one.issuer), clientId: 'narrow', scope: 'openid' });
      await signOut(session);
      await until(() => receiver.received.length === 1, 'the client is told');
      const { header, payload } = verified(receiver.received[0]?.get('logout_token') ?? '', keys);
      expect(payload).toMatchObject({ sub: session.tokens.claims()?.sub, aud: 'narrow', jti: expect.any(String) });
      expect(Number(payload['exp']) - Number(payload['iat'])).toBeLessThanOrEqual(120);
      return { typ: header['typ'], sid: payload['sid'], ofIdToken: session.tokens.claims()?.['sid'] };
    };
    try {
      like({ logoutTokenType: 'JWT', idTokenAlgorithm: 'ES256' });
      const typed = await toldOf();
      expect(typed).toEqual({ typ: 'JWT', sid: expect.any(String), ofIdToken: typed.sid });
      like({ backchannelLogoutSession: false });
      expect(await toldOf()).toEqual({ typ: 'logout+jwt', sid: undefined, ofIdToken: undefined });
      like({ backchannelLogoutSession: false, logoutTokenType: 'JWT' });
      expect(await toldOf()).toEqual({ typ: 'JWT', sid: undefined, ofIdToken: undefined });
      like({ backchannelLogoutSession: true, logoutTokenType: 'logout+jwt' });
      const usual = await toldOf();
      expect(usual).toEqual({ typ: 'logout+jwt', sid: expect.any(String), ofIdToken: usual.sid });
    } finally {
      like({});
    }
  });

  it('a receiver that is down is told later, with a new token; the sign-out waits for nobody', async () => {
    const since = Date.now();
    receiver.answers = [
      { status: 503, body: '<!doctype html><title>Maintenance</title>' },
      { status: 302, headers: { location: 'http://127.0.0.1:9/' }, body: 'there' },
      { status: 204 },
    ];
    const session = await signIn(one, { person: createPerson(one.issuer), scope: 'openid' });
    expect((await signOut(session)).status).toBe(200);
    const saidOnce = async () => (await audited('logout-token.failed', since)).length === 1;
    const saidInTheLog = async () => `${one.logged()}${other.logged()}`.includes('"reason":"it answered 302"');
    for (const failed of [saidOnce, saidInTheLog]) {
      await until(failed, 'it fails');
      const [row] = await waiting();
      expect(Number(row.due_at)).toBeGreaterThanOrEqual(Math.floor(since / 1000) + 5);
      // The clock is moved.
      await one.database('logout_deliveries').update({ due_at: 0 });
    }
    await until(async () => (await waiting()).length === 0, 'it is delivered at last');
    expect(receiver.received).toHaveLength(3);
    const ids = receiver.received.map((form) => {
      const [, payload = ''] = (form.get('logout_token') ?? '').split('.');
      return JSON.parse(Buffer.from(payload, 'base64url').toString()).jti;
    });
    expect(new Set(ids).size).toBe(3);
    await until(async () => (await audited('logout-token.delivered', since)).length === 1, 'it is audited');
    const failed = await audited('logout-token.failed', since);
    expect(failed.map(({ details }) => details?.['reason'])).toEqual(['it answered 503']);
  });

  it('what could not be delivered for a day is given up; a client that never wanted it is passed over', async () => {
    const since = Date.now();
    receiver.answers = [{ status: 500, body: '{"error":"server_error"}' }];
    const row = { account_id: 'gone', sid: 's', due_at: 0, created_at: epochSeconds() - 86_400 };
    await one.database('logout_deliveries').insert([
      { ...row, client_id: 'server', attempts: 20 },
      { ...row, client_id: 'browser', attempts: 0 },
      { ...row, client_id: 'unheard-of', attempts: 0 },
    ]);
    await until(async () => (await waiting()).length === 0, 'nothing is left');
    expect(receiver.received).toHaveLength(1);
    await until(async () => (await audited('logout-token.given-up', since)).length === 1, 'the end is audited');
  });

  it('2.8: what waits for a client that loses its backchannelLogoutUrl, or is removed, ends with a record', async () => {
    const since = Date.now();
    receiver.answers = [{ status: 503 }];
    const person = createPerson(one.issuer);
    const session = await signIn(one, { person, scope: 'openid' });
    await signIn(one, { person, clientId: 'narrow', scope: 'openid' });
    await signOut(session);
    await until(async () => (await audited('logout-token.failed', since)).length === 2, 'both fail once');
    try {
      for (const service of [one, other]) {
        service.replaceClients(
          clients.flatMap(({ backchannelLogoutUrl, ...client }) => {
            if (client.id === 'narrow') return [];
            return client.id === 'server' || !backchannelLogoutUrl ? [client] : [{ ...client, backchannelLogoutUrl }];
          }),
        );
      }
      // One more, of before the edit, that nobody has tried yet.
      const untried = { client_id: 'server', account_id: 'untried', sid: 's', created_at: epochSeconds(), attempts: 0 };
      await one.database('logout_deliveries').insert({ ...untried, due_at: 0 });
      await one.database('logout_deliveries').update({ due_at: 0 });
      await until(async () => (await waiting()).length === 0, 'nothing waits any more');
      await until(async () => (await audited('logout-token.given-up', since)).length === 3, 'each end is audited');
    } finally {
      for (const service of [one, other]) service.replaceClients(clients);
    }
    expect(receiver.received).toHaveLength(2);
    const records = await audited('logout-token.given-up', since);
    expect(records.map(({ client, details }) => `${client}: ${details?.['reason']}`).sort()).toEqual([
      'narrow: clients.yaml has no such client any more',
      'server: the client has no backchannelLogoutUrl any more',
      'server: the client has no backchannelLogoutUrl any more',
    ]);
    expect(`${one.logged()}${other.logged()}`).toContain('clients.yaml has no such client any more');
  });

  it('all sessions of an account that an operator ends are told', async () => {
    const { tokens } = await signIn(one, { person: createPerson(one.issuer), scope: 'openid' });
    const { notified: told } = await openAccounts(one.database).endSessions([String(tokens.claims()?.sub)]);
    expect(told).toBeGreaterThanOrEqual(1);
    await until(() => receiver.received.length === told, 'each is told');
  });
});

describe('SEC-47 requests to addresses of clients', () => {
  const from = (mode: 'development' | 'production', privateNetworks: string[] = []) =>
    outgoingFetch({ mode, outgoing: { privateNetworks } });
  const receiver = openedForEach(startLogoutReceiver);

  it.each([
    'http://127.0.0.1:1/',
    'http://localhost:1/',
    'https://10.1.2.3/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::1]/',
    'https://[fd00::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://0.0.0.0/',
  ])('%s is blocked in production, by number and by name', async (url) => {
    await expect(from('production')(url)).rejects.toThrow(/private network.*outgoing\.privateNetworks/);
  });

  it('a network that the operator allows is reached, and no other; development reaches its own machine', async () => {
    const { port } = new URL(receiver.url);
    for (const host of ['127.0.0.1', 'localhost']) {
      const answer = await from('production', ['127.0.0.0/8', '::1/128'])(`http://${host}:${port}/`).catch((e) => e);
      // A resolver may give the IPv6 address alone, where nobody listens: that is no block either.
      if (!(answer instanceof Error)) expect(answer.status).toBe(200);
      else expect(String(answer)).not.toMatch(/private network/);
    }
    expect(
      (await from('development')(receiver.url, { method: 'POST', body: new URLSearchParams({ a: 'b' }) })).status,
    ).toBe(200);
    expect(receiver.received.at(-1)?.get('a')).toBe('b');
    await expect(from('development')('http://10.0.0.1/')).rejects.toThrow(/private network/);
    await expect(from('production', ['10.0.0.0/8'])(receiver.url)).rejects.toThrow(/private network/);
  });

  it('follows no redirect', async () => {
    receiver.answers = [{ status: 307, headers: { location: receiver.url } }];
    const before = receiver.received.length;
    expect((await from('development')(receiver.url)).status).toBe(307);
    expect(receiver.received).toHaveLength(before + 1);
  });
});
