// docs/operating/scaling-out.md, "A PostgreSQL that fails over": two instances under load on a real primary, which crashes, and its streaming replica, which is
// promoted. DATABASE_URL names both.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CLIENT_SECRET_COST, hashSecret } from '#shared/crypto/secret-hash.ts';
import { installation } from '#support/cli/hygie.ts';
import { type Serving, serve } from '#support/cli/serving.ts';
import { freePort } from '#support/free-port.ts';
import { obtainCode, redeem, statusWith } from '#support/openid/relying-party.ts';
import { createPerson, type Person } from '#support/person.ts';
import { type ReplicatedPostgres, startReplicatedPostgres } from '#support/replicated-postgres.ts';
import { CALLBACK, type RunningService, SECRET } from '#support/service.ts';
import { until } from '#support/until.ts';

/** Servers and instances are started, and a start waits for a server. */
const SLOW = 120_000;

interface Tokens {
  access_token: string;
  refresh_token: string;
}

describe('SEC-49 a primary that crashes under load, and a replica that takes its place', () => {
  let postgres: ReplicatedPostgres;
  const place = installation();
  const instances: (Serving & { service: RunningService })[] = [];
  const start = async (env: Record<string, string> = {}) => {
    const port = await freePort();
    const serving = await serve(place, {
      HYGIE_PORT: String(port),
      DATABASE_URL: postgres.url,
      LOG_FORMAT: 'json',
      HYGIE_ISSUER: `http://127.0.0.1:${port}`,
      ...env,
    });
    const instance = { ...serving, service: { issuer: `http://127.0.0.1:${port}` } as RunningService };
    instances.push(instance);
    return instance;
  };
  const isReady = ({ service }: { service: RunningService }) =>
    fetch(`${service.issuer}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );

  beforeAll(async () => {
    const hash = await hashSecret(SECRET, CLIENT_SECRET_COST);
    place.configure(
      'clients.yaml',
      `clients: [{ id: server, name: Dossier, type: server, consent: trusted, scopes: [openid, offline_access], refreshTokens: always, secrets: [{ hash: "${hash}" }], callbackUrls: ["${CALLBACK}"] }]`,
    );
    postgres = await startReplicatedPostgres();
    for (let count = 0; count < 2; count += 1) {
      const instance = await start();
      await until(() => isReady(instance), 'an instance is ready');
    }
  }, SLOW);
  afterAll(async () => {
    for (const { child } of instances) child.kill('SIGKILL');
    await Promise.all(instances.map(({ ended }) => ended));
    await postgres?.remove();
  });

  it(
    'costs answers of 503 for a while, and nothing that was acknowledged; a start meanwhile waits',
    async () => {
      const load = await loadOn(instances.map(({ service }) => service));
      try {
        const done = () => Math.min(load.refreshed() / 4, load.revoked.length, load.spent.length);
        await until(() => done() > 4, 'load of each kind');
        await postgres.primary.stop('immediate');
        const newcomer = await start();
        await newcomer.outputMatching(/no server takes writes.*waiting for 30 s at most/);
        await postgres.replica.promote();
        const before = load.refreshed();
        await until(() => load.refreshed() > before + 20, 'refreshes again');
        for (const instance of instances) await until(() => isReady(instance), 'ready');
      } finally {
        await load.end();
      }
      const { statuses, people, alive, revoked, spent } = load;
      for (const [what, seen] of statuses)
        expect([what, [...seen].filter((status) => ![200, 503].includes(status))]).toEqual([what, []]);
      expect(Math.min(revoked.length, spent.length)).toBeGreaterThan(4);
      for (const [service, token] of alive) expect(await statusWith(service, token)).toBe(200);
      for (const [service, token] of revoked) expect(await statusWith(service, token)).toBe(401);
      for (const [service, code] of spent) expect((await redeem(service, code)).status).toBe(400);
      for (const [service, person] of people) {
        expect((await person.visit('/account')).status).toBe(200);
        expect(await obtainCode(service, { scope: 'openid', prompt: 'none' }, person)).not.toBe('');
      }
      // The log is long by now, and the lines arrive here with a delay.
      const connected = `connected to 127.0.0.1:${postgres.replica.port} now`;
      for (const { output } of instances.slice(0, 2)) await until(() => output().includes(connected), connected);
    },
    SLOW,
  );
});

/** People who refresh, and others who sign in and revoke, at each service until the end. Who is answered with 503 asks again. */
async function loadOn(services: readonly RunningService[]) {
  const statuses = new Map<string, Set<number>>();
  const note = (what: string, status: number) => statuses.set(what, (statuses.get(what) ?? new Set()).add(status));
  const spent: [RunningService, string][] = [];
  const revoked: [RunningService, string][] = [];
  const alive: [RunningService, string][] = [];
  let refreshed = 0;
  let over = false;

  const post = (service: RunningService, path: string, fields: Record<string, string>) =>
    fetch(service.issuer + path, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'server', client_secret: SECRET, ...fields }),
    });
  const tokensOf = async (service: RunningService, person: Person): Promise<Tokens | undefined> => {
    const code = await obtainCode(service, { scope: 'openid offline_access' }, person);
    const answer = await redeem(service, code);
    note('token', answer.status);
    if (!answer.ok) return undefined;
    spent.push([service, code]);
    return (await answer.json()) as Tokens;
  };
  const refresh = async (service: RunningService, given: Tokens) => {
    let tokens = given;
    while (!over) {
      const answer = await post(service, '/oauth/token', {
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token,
      });
      note('refresh', answer.status);
      if (answer.ok) {
        refreshed += 1;
        tokens = (await answer.json()) as Tokens;
      }
      note('userinfo', await statusWith(service, tokens.access_token));
    }
    alive.push([service, tokens.access_token]);
  };
  const signInAndRevoke = async (service: RunningService) => {
    const person = createPerson(service.issuer);
    while (!over) {
      // Pages of 503 lead nowhere.
      const given = await tokensOf(service, person).catch(() => undefined);
      if (!given) continue;
      const ended = await post(service, '/oauth/revoke', { token: given.access_token });
      note('revoke', ended.status);
      if (ended.ok) revoked.push([service, given.access_token]);
    }
  };
  const people = services.map((service) => [service, createPerson(service.issuer)] as const);
  const first = await Promise.all(people.map(([service, person]) => tokensOf(service, person)));
  // A second use of these would end what refreshes.
  spent.length = 0;
  const running = services.flatMap((service, index) => [
    refresh(service, first[index] as Tokens),
    signInAndRevoke(service),
  ]);
  return {
    statuses,
    people,
    alive,
    revoked,
    spent,
    refreshed: () => refreshed,
    end: async () => {
      over = true;
      await Promise.all(running);
    },
  };
}
