// SEC-55, SEC-56: requests of one session that arrive together: with its end nothing of it lives on, without one nothing is lost.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClientSettings } from '#config/settings.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { bothEngines } from '#support/both-engines.ts';
import { authorizationUrl, CREDENTIALS, signIn } from '#support/openid/relying-party.ts';
import { type SecondInstance, startSecondInstance } from '#support/openid/second-instance.ts';
import {
  cookiesOf,
  isAlive,
  type SilentAnswer,
  sendToFirst,
  signOnSilently,
  tokensFor,
} from '#support/openid/silent-sign-on.ts';
import { createPerson, type Person } from '#support/person.ts';
import type { Send } from '#support/send-to-port.ts';
import { DEMO_ACCOUNTS, type RunningService, SIGNED_OUT, startService, testClients } from '#support/service.ts';
import { until } from '#support/until.ts';

const ENGINES = bothEngines('openid/provider/parallel-requests.system');
const NEW_CLIENTS = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8'];
const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 4);
const ACCOUNT = DEMO_ACCOUNTS[0]?.id ?? '';

describe.each(ENGINES)('parallel requests of a session on %s', (engine) => {
  let service: RunningService;
  let other: SecondInstance | undefined;
  let receiver: Server;
  /** Who was notified of a sign-out, of which session of the client (`sid`). */
  const notified: { clientId: string; sid: string }[] = [];
  let sends: Send[] = [];

  beforeAll(async () => {
    receiver = createServer(async (req, res) => {
      const token = new URLSearchParams(await text(req)).get('logout_token') ?? '';
      const { aud, sid } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
      notified.push({ clientId: aud, sid });
      res.writeHead(200).end();
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    const backchannelLogoutUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/logout`;
    const known = await testClients();
    const server = known.find(({ id }) => id === 'server') as ClientSettings;
    const fresh = NEW_CLIENTS.map((id) => ({ ...server, id, consent: 'trusted' as const, backchannelLogoutUrl }));
    const clients = [...known, ...fresh];
    service = await startService({ engine, clients });
    // Two processes on one SQLite file are no deployment; two on PostgreSQL are.
    other = engine === 'postgresql' ? await startSecondInstance(service, clients) : undefined;
    sends = [sendToFirst, other?.send ?? sendToFirst];
    // The secrets are known from then on: slow hashes would have requests wait for each other.
    for (const clientId of NEW_CLIENTS)
      for (const send of sends) await tokensFor(service, { clientId, code: 'x' }, send);
  });
  afterAll(async () => {
    await other?.stop();
    await service.stop();
    receiver.closeAllConnections();
    await new Promise((done) => receiver.close(done));
  });

  const silently = (clientIds: readonly string[], person: Person): Promise<SilentAnswer>[] => {
    const cookies = cookiesOf(person);
    return clientIds.map((id, index) => signOnSilently(service, id, cookies, sends[index % 2]));
  };
  // The same password anew: what the commands of an operator do in a process of their own.
  const setPassword = async () => {
    const { password_hash } = await service.database('accounts').where({ id: ACCOUNT }).first('password_hash');
    await openAccounts(service.database).setPassword(ACCOUNT, password_hash);
  };
  const sessions = () => service.database('oidc_records').where({ model: 'Session', account_id: ACCOUNT });
  const signedIn = async () => {
    const person = createPerson(service.issuer);
    const { tokens } = await signIn(service, { person });
    return { person, tokens };
  };

  /** Who was notified, or will be, until now. Whoever was is no longer in the queue, and noted before. */
  const told = async () => {
    const waiting = await service.database('logout_deliveries').select('client_id as clientId', 'sid');
    return [...waiting, ...notified].filter(({ clientId }) => NEW_CLIENTS.includes(clientId));
  };
  /** The clients told since then. Notices of an earlier session may still arrive. */
  const toldSince = async (before: Awaited<ReturnType<typeof told>>) => {
    const known = new Set(before.map(({ sid }) => sid));
    return new Set((await told()).filter(({ sid }) => !known.has(sid)).map(({ clientId }) => clientId));
  };

  /** What is alive after an end that raced with silent sign-ons. */
  const survivors = async (answers: readonly SilentAnswer[]) => {
    const redeemed = (await Promise.all(answers.map((answer, i) => tokensFor(service, answer, sends[i % 2])))).filter(
      (tokens) => tokens !== undefined,
    );
    const alive = await Promise.all(redeemed.map(({ access_token }) => isAlive(service, access_token)));
    return { sessions: (await sessions()).length, redeemed: redeemed.length, alive: alive.filter(Boolean).length };
  };
  const NOTHING = { sessions: 0, redeemed: 0, alive: 0 };

  const ENDS: [name: string, prepare: (person: Person, idToken: string) => Promise<() => Promise<unknown>>][] = [
    [
      'a sign-out',
      async (person, idToken) => {
        const page = await person.visit(`${service.issuer}/logout?id_token_hint=${idToken}`);
        return () => person.press(page, 'sign-out');
      },
    ],
    [
      'a sign-out that asks nothing',
      async (person, idToken) => {
        const back = `post_logout_redirect_uri=${encodeURIComponent(SIGNED_OUT)}`;
        return () => person.visit(`${service.issuer}/logout?id_token_hint=${idToken}&${back}`);
      },
    ],
    ['accounts set-password', async () => () => setPassword()],
    [
      'accounts disable',
      async () => async () => {
        await openAccounts(service.database).update(ACCOUNT, { status: 'disabled' });
        await openAccounts(service.database).update(ACCOUNT, { status: 'active' });
      },
    ],
    [
      'a sign-out that was asked for at the same time',
      async (person, idToken) => {
        const page = await person.visit(`${service.issuer}/logout?id_token_hint=${idToken}`);
        const { cookie } = cookiesOf(person);
        return () =>
          Promise.all([
            person.press(page, 'sign-out'),
            sendToFirst(`${service.issuer}/logout`, { headers: { cookie } }).then(({ status }) =>
              expect([200, 303]).toContain(status),
            ),
          ]);
      },
    ],
  ];
  // On SQLite, a command's transaction would have to wait within this process for itself.
  const ends = ENDS.filter(([name]) => engine === 'postgresql' || name.startsWith('a sign-out'));
  it.each(ends)('SEC-55 silent sign-ons in parallel with %s leave nothing alive', async (_name, prepare) => {
    const found = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { person, tokens } = await signedIn();
      const end = await prepare(person, tokens.id_token ?? '');
      const before = await told();
      const silent = silently(NEW_CLIENTS.slice(0, 4), person);
      const [answers] = await Promise.all([Promise.all(silent), end()]);
      for (const { code, error } of answers) if (code === undefined) expect(error).toBe('login_required');
      found.push(await survivors(answers));
      // Who came in time is told, also when the sign-out had read the session before.
      const inTime = answers.filter(({ code }) => code !== undefined).map(({ clientId }) => clientId);
      expect(await toldSince(before)).toEqual(new Set(inTime));
      await service.database('oidc_records').where({ account_id: ACCOUNT }).delete();
    }
    expect(found).toEqual(found.map(() => NOTHING));
  });

  it('SEC-55 a request that may ask begins anew when its session ends meanwhile: with a sign-in, without a cookie', async () => {
    let begunAnew = 0;
    // As often as it takes to meet the moment.
    for (let round = 0; round < ROUNDS || (begunAnew === 0 && round < 50); round += 1) {
      const { person, tokens } = await signedIn();
      const page = await person.visit(`${service.issuer}/logout?id_token_hint=${tokens.id_token}`);
      const headers = cookiesOf(person);
      const requests = NEW_CLIENTS.map((id, index) =>
        (sends[index % 2] ?? sendToFirst)(authorizationUrl(service, { client_id: id }), { headers }),
      );
      const [answers] = await Promise.all([Promise.all(requests), person.press(page, 'sign-out')]);
      for (const answer of answers) {
        expect(answer.status).toBe(303);
        const location = answer.headers.get('location') ?? '';
        if (!location.startsWith(`${service.issuer}/authorize?`)) continue;
        begunAnew += 1;
        expect(answer.headers.getSetCookie().filter((line) => line.includes('hygie_session'))).toEqual([]);
        const next = await createPerson(service.issuer).visit(location);
        expect(next.html).toContain('id="sign-in"');
      }
      expect(await sessions()).toEqual([]);
    }
    expect(begunAnew).toBeGreaterThan(0);
  });

  it.each([2, 8])('SEC-56 %d parallel silent sign-ons all redeem, and all hear of the sign-out', async (many) => {
    const found = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { person, tokens } = await signedIn();
      const answers = await Promise.all(silently(NEW_CLIENTS.slice(0, many), person));
      const redeemed = await Promise.all(answers.map((answer, index) => tokensFor(service, answer, sends[index % 2])));
      const alive = await Promise.all(redeemed.map((one) => one && isAlive(service, one.access_token)));
      const before = await told();
      const page = await person.visit(`${service.issuer}/logout?id_token_hint=${tokens.id_token}`);
      await person.press(page, 'sign-out');
      await until(
        async () => (await service.database('logout_deliveries').select('id')).length === 0,
        'all are notified',
      );
      const after = await Promise.all(redeemed.map((one) => one && isAlive(service, one.access_token)));
      found.push({
        alive: alive.filter(Boolean).length,
        notified: (await toldSince(before)).size,
        after: after.filter(Boolean).length,
      });
    }
    expect(found).toEqual(found.map(() => ({ alive: many, notified: many, after: 0 })));
  });

  it('SEC-56 parallel silent sign-ons of one client all redeem, and end with the session', async () => {
    const found = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { person, tokens } = await signedIn();
      const answers = await Promise.all(silently(['c1', 'c1', 'c1', 'c1'], person));
      const redeemed = await Promise.all(answers.map((answer, index) => tokensFor(service, answer, sends[index % 2])));
      const alive = await Promise.all(redeemed.map((one) => one && isAlive(service, one.access_token)));
      const page = await person.visit(`${service.issuer}/logout?id_token_hint=${tokens.id_token}`);
      await person.press(page, 'sign-out');
      const after = await Promise.all(redeemed.map((one) => one && isAlive(service, one.access_token)));
      const grants = await service.database('oidc_records').where({ model: 'Grant', account_id: ACCOUNT });
      found.push({ alive: alive.filter(Boolean).length, after: after.filter(Boolean).length, grants: grants.length });
    }
    expect(found).toEqual(found.map(() => ({ alive: 4, after: 0, grants: 0 })));
  });

  const onPostgres = engine === 'postgresql' ? it : () => undefined;
  onPostgres('SEC-55 a password typed while another is set signs nobody in, or by the new one', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { person } = await signedIn();
      const page = await person.visit(loginUrl(service));
      const [visit] = await Promise.all([person.press(page, 'sign-in', CREDENTIALS), setPassword()]);
      // Signed in, or asked again: never an error of the service, and never a dead end.
      const code = visit.left?.searchParams.get('code');
      if (visit.left === undefined) expect(visit.html).toMatch(/id="sign-in"|href=/);
      expect(visit.status).toBeLessThan(500);
      const tokens = code ? await tokensFor(service, { clientId: 'c1', code }) : undefined;
      expect(await sessions()).toHaveLength(tokens ? 1 : 0);
      await service.database('oidc_records').where({ account_id: ACCOUNT }).delete();
    }
  });
});

function loginUrl(service: RunningService): URL {
  const url = new URL(`${service.issuer}/authorize`);
  const parameters = { client_id: 'c1', redirect_uri: 'https://application.example/callback', prompt: 'login' };
  for (const [name, value] of Object.entries({ ...parameters, response_type: 'code', scope: 'openid', state: 's' })) {
    url.searchParams.set(name, value);
  }
  return url;
}
