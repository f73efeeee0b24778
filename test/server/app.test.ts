// The service as a whole: hosts, health, headers, cross-origin calls, unreadable bodies, a restart, and two instances on one PostgreSQL.

import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { LINK_PATH } from '#config/built-in-clients.ts';
import { openDatabase } from '#store/database/connection.ts';
import { openedForAll } from '#support/opened.ts';
import { idOf, openAccount } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl, CREDENTIALS, obtainCode, redeem, signIn } from '#support/openid/relying-party.ts';
import { startSecondInstance } from '#support/openid/second-instance.ts';
import { createPerson } from '#support/person.ts';
import { type RunningService, SECRET, startService } from '#support/service.ts';
import { until } from '#support/until.ts';

describe('the application', () => {
  /** A service on PostgreSQL starts, and its pool waits for connections that are refused. */
  const SLOW = 60_000;
  const service = openedForAll(startService);

  /** Lets a PostgreSQL database be reached, or ends all its connections and lets nobody in. */
  async function connections({ settings }: RunningService, open: boolean): Promise<void> {
    const url = settings.database.engine === 'postgresql' ? settings.database.url : '';
    const name = new URL(url).pathname.slice(1);
    const server = openDatabase({ engine: 'postgresql', url: url.replace(`/${name}`, '/postgres') });
    await server.raw(`alter database ${name} allow_connections ${open}`);
    const end = 'select pg_terminate_backend(pid, 30000) from pg_stat_activity where datname = ?';
    if (!open) await server.raw(end, [name]);
    await server.destroy();
  }

  it('metadata says when the directory was loaded, not when the process started', async () => {
    const metadata = (await (await fetch(`${service.issuer}/directory/v2/metadata`)).json()) as { date: string };
    const [loaded] = await service.database('directory_snapshots').select('created_at');
    expect(Date.parse(metadata.date) / 1000).toBe(Number(loaded?.created_at));
  });

  it(
    'SEC-49 readiness is red while the database is away',
    async () => {
      const other = await startService({ engine: 'postgresql' });
      try {
        expect((await fetch(`${other.issuer}/health/ready`)).status).toBe(200);
        await connections(other, false);
        expect((await fetch(`${other.issuer}/health/ready`)).status).toBe(503);
        expect((await fetch(`${other.issuer}/health/live`)).status).toBe(200);
        await connections(other, true);
        await until(async () => (await fetch(`${other.issuer}/health/ready`)).ok, 'it is ready again');
      } finally {
        await other.stop();
      }
    },
    SLOW,
  );

  it.each(['/oauth/token', '/oauth/introspect', '/directory/v2/Practitioner/_search', '/interaction/x/login'])(
    'a POST to %s without a body and without its length is answered',
    async (path) => {
      const { host, hostname, port } = new URL(service.issuer);
      const socket = connect(Number(port), hostname);
      socket.write(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-www-form-urlencoded\r\n`);
      socket.write('Connection: close\r\n\r\n');
      let answer = '';
      for await (const chunk of socket) answer += chunk;
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    },
  );

  describe('SEC-30 and SEC-31 headers of every page', () => {
    it.each(['/', '/authorize', '/interaction/nothing', '/logout', '/nothing-here'])('%s', async (path) => {
      const response = await fetch(`${service.issuer}${path}`, { headers: { accept: 'text/html' } });
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('unsafe-inline');
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('x-powered-by')).toBeNull();
      expect(await response.text()).not.toMatch(/<script|style="/);
    });
  });

  describe('SEC-45 cross-origin calls', () => {
    const allowed = async (path: string, origin: string, init: RequestInit = {}) => {
      const response = await fetch(`${service.issuer}${path}`, { ...init, headers: { origin, ...init.headers } });
      await response.body?.cancel();
      return response.headers.get('access-control-allow-origin');
    };
    const token = (client_id: string) => ({
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'authorization_code', client_id, code: 'x', redirect_uri: 'x' }),
    });

    it("token is for the clients' own origins", async () => {
      expect(await allowed('/oauth/token', 'https://application.example', token('browser'))).toBe(
        'https://application.example',
      );
      expect(await allowed('/oauth/token', 'https://evil.example', token('browser'))).toBeNull();
      expect(await allowed('/oauth/token', 'null', token('browser'))).toBeNull();
    });

    it('authorize and sign-in never', async () => {
      const url = authorizationUrl(service);
      expect(await allowed(`${url.pathname}${url.search}`, 'https://application.example')).toBeNull();
      expect(await allowed('/interaction/x', 'https://application.example')).toBeNull();
    });
  });

  it('SEC-17 the log holds no password, code or token, and names each request', async () => {
    const person = createPerson(service.issuer);
    const code = await obtainCode(service, {}, person);
    const { access_token } = (await (await redeem(service, code)).json()) as { access_token: string };
    await fetch(`${service.issuer}/directory/v2/Practitioner?name=martin`, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    const log = service.logged();
    for (const secret of [CREDENTIALS.password, code, access_token]) expect(log).not.toContain(secret);
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const search = lines.find(({ path }) => path === '/directory/v2/Practitioner');
    expect(search).toMatchObject({ level: 'info', method: 'GET', status: 200, requestId: expect.any(String) });
  });

  describe('4.5 two instances on one PostgreSQL', () => {
    const first = openedForAll(() => startService({ engine: 'postgresql' }));

    it('share codes, sessions and keys', async () => {
      const second = await startService({
        adjust: (settings) => ({ ...settings, database: first.settings.database, issuer: settings.issuer }),
      });
      try {
        const keysOf = async ({ issuer }: RunningService) => (await fetch(`${issuer}/.well-known/jwks.json`)).json();
        expect(await keysOf(second)).toEqual(await keysOf(first));
        const code = await obtainCode(first);
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, index) => redeem(index % 2 ? first : second, code)),
        );
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);

        // Browsers keep cookies by host, whatever the port: here it is the same browser that comes to the second one.
        const atFirst = createPerson(first.issuer);
        expect((await atFirst.visit(authorizationUrl(first))).html).toContain('id="sign-in"');
        await atFirst.signIn(authorizationUrl(first), CREDENTIALS);
        const atSecond = createPerson(second.issuer);
        expect((await atSecond.visit(authorizationUrl(second))).html).toContain('id="sign-in"');
        atSecond.cookies.clear();
        for (const [name, value] of atFirst.cookies) atSecond.cookies.set(name, value);
        const back = await atSecond.visit(authorizationUrl(second));
        const shared = await redeem(first, back.left?.searchParams.get('code') ?? '');
        expect(await shared.json()).toMatchObject({ access_token: expect.any(String) });
      } finally {
        await second.stop();
      }
    });

    it('SEC-48 one that ends writes the records under way before, and queues their notices', async () => {
      const second = await startSecondInstance(first);
      const { database } = first;
      const person = createPerson(first.issuer, second.send);
      const page = await openAccount(person, 1, '/account/deletion');
      const [event, account_id] = ['account.deletion-requested', idOf(1)];
      /** Lets statements of one kind wait for a table until it commits. */
      const hold = async (table: string, mode: string) => {
        const held = await database.transaction();
        await held.raw(`lock table ${table} in ${mode} mode`);
        const here = database('pg_database').select('oid').whereRaw('datname = current_database()');
        const waiting = () =>
          database('pg_locks').where('database', here).whereRaw('relation = ?::regclass and not granted', [table]);
        return {
          ...held,
          awaited: () => until(async () => (await waiting()).length > 0, `somebody waits for ${table}`),
        };
      };

      const records = await hold('audit_events', 'exclusive');
      const answer = person.press(page, 'request-deletion').catch(() => 'cut off');
      await records.awaited();
      const accounts = await hold('accounts', 'access exclusive');
      const ended = second.stop();
      expect(await answer).toBe('cut off');
      await records.commit();
      // The notice begins with the account's address.
      await accounts.awaited();
      for (let round = 0; round < 30; round++) await database.select(1);
      await accounts.commit();
      await ended;
      expect(await database('audit_events').where({ event, account_id })).toHaveLength(1);
      expect(await database('mail_queue').where({ topic: event, account_id })).toHaveLength(1);
    });
  });

  describe('SEC-44 a body that cannot be read', () => {
    let token: string;
    beforeAll(async () => {
      token = (await signIn(service)).tokens.access_token;
    });

    /** These read what is posted, whoever sends it. */
    const READING = [
      ...['/authorize', '/logout', '/oauth/token', '/oauth/par', '/oauth/introspect', '/oauth/revoke', '/userinfo'],
      ...['/sign-in/unknown/login', `${LINK_PATH}/password-reset`, `${LINK_PATH}/invitation/unknown`],
      ...['/demo/backchannel-logout', '/directory/v2/Practitioner/_search'],
    ];
    /** And these none, or a visitor's alone. */
    const OTHERS = ['/logout/confirm', '/account/profile', '/demo/sign-in', '/demo/sign-out', '/health', '/'];
    const FORM = 'application/x-www-form-urlencoded';
    const BODIES: [string, BodyInit, Record<string, string>][] = [
      ['too large', `a=${'x'.repeat(100_000)}`, {}],
      ['of too many fields', 'a=1&'.repeat(2000), {}],
      ['in a charset that nobody knows', 'a=1', { 'content-type': `${FORM}; charset=x-odd` }],
      ['in UTF-7', 'a=1', { 'content-type': `${FORM}; charset=utf-7` }],
      ['in UTF-16', Buffer.from('a=1', 'utf16le'), { 'content-type': `${FORM}; charset=utf-16` }],
      ['of another type', '{"a":', { 'content-type': 'application/json' }],
      ['compressed, and broken', 'no gzip', { 'content-encoding': 'gzip' }],
      ['compressed, and cut off', gzipSync('a=1'.repeat(99)).subarray(0, 20), { 'content-encoding': 'gzip' }],
      ['compressed, and enormous', gzipSync(Buffer.alloc(5_000_000)), { 'content-encoding': 'gzip' }],
      ['compressed as nobody can', 'a=1', { 'content-encoding': 'x-odd' }],
    ];

    it.each(BODIES)('%s', async (_what, body, headers) => {
      const ask = async (address: string) => {
        const authorization = address.startsWith('/directory')
          ? `Bearer ${token}`
          : `Basic ${Buffer.from(`server:${SECRET}`).toString('base64')}`;
        const site = { 'sec-fetch-site': 'same-origin', origin: service.issuer };
        const { status } = await fetch(service.issuer + address, {
          method: 'POST',
          redirect: 'manual',
          headers: { authorization, 'content-type': FORM, ...site, ...headers },
          body,
        });
        return [address, status] as const;
      };
      const answers = await Promise.all([...READING, ...OTHERS].map(ask));
      expect(answers.filter(([, status]) => status >= 500)).toEqual([]);
      expect(answers.filter(([address, status]) => READING.includes(address) && status < 400)).toEqual([]);
      expect(service.logged()).not.toMatch(/"level":"(error|fatal)"|"stack"/);
    });
  });
});
