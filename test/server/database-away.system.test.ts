// While the database is away, every endpoint answers 503 and reveals nothing (SEC-49). Who asks again gets what it asked for, whatever the
// database finds late of the first try (SEC-78, SEC-26).

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type LateNetwork, lateNetwork } from '#support/late-network.ts';
import { type NetworkGate, networkGate } from '#support/network-gate.ts';
import { obtainCode, redeem, signIn, statusWith } from '#support/openid/relying-party.ts';
import { createPerson, type Person } from '#support/person.ts';
import { CALLBACK, type RunningService, SECRET, startService } from '#support/service.ts';
import { until } from '#support/until.ts';

const form = (fields: Record<string, string>): RequestInit => ({
  method: 'POST',
  body: new URLSearchParams({ client_id: 'server', client_secret: SECRET, ...fields }),
});
const request = { client_id: 'server', redirect_uri: CALLBACK, response_type: 'code', scope: 'openid', state: 's' };

/** A service that reaches its database through this network. */
function startBehind(network: Pick<NetworkGate, 'leadTo' | 'port'>, more: object = {}): Promise<RunningService> {
  return startService({
    engine: 'postgresql',
    adjust: (settings) => {
      if (settings.database.engine !== 'postgresql') throw new Error('not on PostgreSQL');
      const url = new URL(settings.database.url);
      network.leadTo(new URL(url));
      url.port = String(network.port);
      return { ...settings, database: { ...settings.database, url: url.href, ...more } };
    },
  });
}

describe('SEC-49 a service whose database goes away', () => {
  let service: RunningService;
  let network: NetworkGate;
  let token: string;
  let person: Person;
  let signInPage: string;

  beforeAll(async () => {
    network = await networkGate();
    service = await startBehind(network);
    token = (await signIn(service)).tokens.access_token;
    person = createPerson(service.issuer);
    await signIn(service, { person });
    expect((await person.visit('/account')).status).toBe(200);
    signInPage = (await person.visit(`/authorize?${new URLSearchParams({ ...request, prompt: 'login' })}`)).url;
  });
  afterAll(async () => {
    network.giveBack();
    await service.stop();
    network.close();
  });

  const bearer = (): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });

  const MACHINES: [string, () => [string, RequestInit]][] = [
    ['a code', () => ['/oauth/token', form({ grant_type: 'authorization_code', code: 'x', redirect_uri: CALLBACK })]],
    ['introspection', () => ['/oauth/introspect', form({ token })]],
    ['introspection the long way', () => ['/oauth/introspect', form({ token, more: 'x' })]],
    ['revocation', () => ['/oauth/revoke', form({ token: 'x' })]],
    ['a pushed request', () => ['/oauth/par', form(request)]],
    ['userinfo', () => ['/userinfo', bearer()]],
    ['userinfo by POST', () => ['/userinfo', { method: 'POST', ...bearer() }]],
    ['a search', () => ['/directory/v2/Practitioner?name=martin', bearer()]],
  ];
  const PEOPLE: [string, () => string][] = [
    ['a new sign-in', () => `/authorize?${new URLSearchParams(request)}`],
    ['a sign-in under way', () => signInPage],
    ['an account', () => '/account'],
    ['a sign-out', () => '/logout'],
  ];

  describe('SEC-49 while the database is away', () => {
    beforeEach(() => network.takeAway());
    const comeBack = async () => {
      network.giveBack();
      await until(async () => (await fetch(`${service.issuer}/health/ready`)).status === 200, 'ready');
    };
    afterAll(comeBack);

    it.each(MACHINES)('%s is answered with 503', async (_what, asked) => {
      const [path, init] = asked();
      const answer = await fetch(service.issuer + path, init);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('5');
      const text = await answer.text();
      expect(text).toMatch(/"(temporarily_unavailable|transient)"/);
      expect(text).toContain('try again soon');
      expect(text).not.toMatch(/postgres|ECONN|127\.0\.0\.1|oops/i);
    });

    it.each(PEOPLE)('%s meets a page that says so, with 503', async (_what, path) => {
      const page = await person.visit(path());
      expect(page.status).toBe(503);
      expect(page.html).toContain('Le service rencontre un problème');
      expect(page.html).not.toMatch(/postgres|ECONN|127\.0\.0\.1|oops/i);
    });

    it('what needs no database is there', async () => {
      for (const path of ['/.well-known/openid-configuration', '/.well-known/jwks.json', '/health/live']) {
        expect((await fetch(service.issuer + path)).status).toBe(200);
      }
    });

    it('the log names the cause, each with its request', async () => {
      for (const [, path] of PEOPLE) await person.visit(path());
      for (const [path, init] of MACHINES.map(([, asked]) => asked())) await fetch(service.issuer + path, init);
      const lines = service
        .logged()
        .split('\n')
        .filter((line) => line.includes('the provider failed'));
      expect(lines.length).toBeGreaterThan(3);
      for (const line of lines) {
        expect(JSON.parse(line)).toMatchObject({
          level: 'error',
          requestId: expect.any(String),
          err: expect.anything(),
        });
      }
    });

    it('and all go on when it is back, where they were', async () => {
      await comeBack();
      expect((await fetch(`${service.issuer}/userinfo`, bearer())).status).toBe(200);
      expect((await person.visit(signInPage)).html).toContain('id="sign-in"');
      expect((await person.visit('/account')).status).toBe(200);
    });
  });
});

describe('SEC-49 while the database only reads, as a replica after a failover', () => {
  let service: RunningService;
  let network: NetworkGate;
  beforeAll(async () => {
    network = await networkGate();
    service = await startBehind(network);
  });
  afterAll(async () => {
    await service.stop();
    network.close();
  });

  const setReadOnly = async (state: 'on' | 'off') => {
    const { database } = service;
    const [{ name }] = (await database.raw('select current_database() as name')).rows;
    await database.raw(
      `begin read write; alter database ${name} set default_transaction_read_only = ${state}; commit;
     select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
    );
    // This connection began before the change.
    await database.raw('set default_transaction_read_only = off');
  };
  it('nothing is acknowledged that is not stored, readiness says so, and what only reads goes on; all does when it takes writes again', async () => {
    const person = createPerson(service.issuer);
    const token = (await signIn(service, { person })).tokens.access_token;
    const revoke = () => fetch(`${service.issuer}/oauth/revoke`, form({ token }));
    const userinfo = () => statusWith(service, token);
    await setReadOnly('on');
    const refused = await revoke();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    const page = await person.visit(`/authorize?${new URLSearchParams({ ...request, prompt: 'login' })}`);
    expect(page.status).toBe(503);
    expect(page.headers.get('retry-after')).toBe('5');
    expect(await userinfo()).toBe(200);
    // The first ones may have met a connection that had ended.
    let ready = '';
    await until(async () => {
      expect((await revoke()).status).toBe(503);
      ready = await (await fetch(`${service.issuer}/health/ready`)).text();
      return ready.includes('stores nothing');
    }, 'readiness names it');
    expect(JSON.parse(ready)).toMatchObject({ status: 'unavailable', database: 'unavailable' });

    await setReadOnly('off');
    await until(async () => (await fetch(`${service.issuer}/health/ready`)).status === 200, 'ready');
    await until(async () => (await revoke()).status === 200, 'writes');
    expect(await userinfo()).toBe(401);
  });
});

// SEC-78, SEC-26: who was answered with 503 because the database did not answer asks again when it does, and gets what it asked for: whatever the
// database finds late of the first try is not carried out.
describe('SEC-78 what was given up and answered with 503', () => {
  let service: RunningService;
  let network: LateNetwork;

  beforeAll(async () => {
    network = await lateNetwork();
    service = await startBehind(network, { statementTimeout: 0.3 });
  });
  afterAll(async () => {
    await network.deliver();
    await service.stop();
    network.close();
  });
  afterEach(() => network.deliver());

  const post = (path: string, fields: Record<string, string>) =>
    fetch(service.issuer + path, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'trusted', client_secret: SECRET, ...fields }),
    });
  const issued = async () =>
    (await service.database('audit_events').select('id').where({ event: 'token.issued' })).length;
  /** Until its records are written, too, a quarter of a second later: what is kept back is what comes after them. */
  const signInForGood = async () => {
    const before = await issued();
    const { tokens } = await signIn(service, { clientId: 'trusted', scope: 'openid offline_access' });
    await until(async () => (await issued()) > before, 'the record of the tokens');
    return tokens;
  };
  const refresh = (token = '') => post('/oauth/token', { grant_type: 'refresh_token', refresh_token: token });
  /** Past the grace of a repeated refresh: whatever was noted as used was used a minute ago. */
  const aMinuteAgo = () =>
    service
      .database('oidc_records')
      .whereNotNull('consumed_at')
      .update({ consumed_at: service.database.raw('consumed_at - 60') });

  /** Asks with the write number `after` kept back; false when there is no such one. */
  async function givesUp(after: number, ask: () => Promise<Response>): Promise<boolean> {
    network.keepWrites(after);
    const answer = await ask();
    const kept = network.kept() > 0;
    await network.deliver();
    if (answer.status === 503) expect(answer.headers.get('retry-after')).toBe('5');
    return kept && answer.status === 503;
  }

  it('SEC-26 refreshes: each of several is repeated beyond the grace, and no family ends', async () => {
    for (let after = 0; ; after += 1) {
      const { refresh_token: token } = await signInForGood();
      if (!(await givesUp(after, () => refresh(token)))) break;
      await aMinuteAgo();
      const again = await refresh(token);
      expect([after, again.status]).toEqual([after, 200]);
      expect((await refresh(((await again.json()) as { refresh_token: string }).refresh_token)).status).toBe(200);
      expect(after).toBeLessThan(9);
    }
  });

  it('codes: one that was not used by it is good', async () => {
    const code = await obtainCode(service);
    expect(await givesUp(0, () => redeem(service, code))).toBe(true);
    expect((await redeem(service, code)).status).toBe(200);
    expect((await redeem(service, code)).status).toBe(400);
  });

  it('revocations: the token is good until the second try', async () => {
    const { access_token: token } = await signInForGood();
    const active = async () => (await (await post('/oauth/introspect', { token })).json()) as object;
    expect(await givesUp(0, () => post('/oauth/revoke', { token }))).toBe(true);
    expect(await active()).toMatchObject({ active: true });
    expect((await post('/oauth/revoke', { token })).status).toBe(200);
    expect(await active()).toMatchObject({ active: false });
  });

  it('sign-ins: no session of them is there, and the next one works', async () => {
    const sessions = async () => {
      const rows: { id: string }[] = await service
        .database('oidc_records')
        .select('id')
        .where({ model: 'Session' })
        .orderBy('id');
      return rows.map(({ id }) => id);
    };
    for (let after = 0; ; after += 1) {
      const person = createPerson(service.issuer);
      network.keepWrites(after);
      const given = await signIn(service, { person }).catch(() => undefined);
      if (given) break;
      expect(network.kept()).toBeGreaterThan(0);
      const before = await sessions();
      await network.deliver();
      expect([after, await sessions()]).toEqual([after, before]);
      expect((await signIn(service, { person })).tokens.access_token).toBeDefined();
      expect(after).toBeLessThan(40);
    }
  });
});
