// What is killed at a random moment is never half done: the service, a backup, a restore.

import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, watch } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CLIENT_SECRET_COST, hashSecret } from '#shared/crypto/secret-hash.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { openDatabase } from '#store/database/connection.ts';
import { bothEngines } from '#support/both-engines.ts';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { filledInstallation, launch, type Serving, serve } from '#support/cli/serving.ts';
import { newDatabase } from '#support/databases.ts';
import { freePort } from '#support/free-port.ts';
import { newFolder } from '#support/new-folder.ts';
import { authorizationUrl, CREDENTIALS, redeem, signIn, statusWith } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { CALLBACK, type RunningService, SECRET } from '#support/service.ts';
import { copyTemplate } from '#support/service-template.ts';
import { until } from '#support/until.ts';

/** Processes are started and killed several times. */
const SLOW = 60_000;

describe.each(bothEngines('server/process/killed.system'))('SEC-49 kill -9 on %s', (engine) => {
  let place: Installation;
  let serving: Serving | undefined;
  let receiver: Server;
  let removeDatabase: () => Promise<void>;
  let database: ReturnType<typeof openDatabase>;
  let start: () => Promise<RunningService>;
  const logoutTokens: string[] = [];
  let clients: string;
  const down: { port: number } = { port: 0 };

  beforeAll(async () => {
    place = installation();
    const external = await copyTemplate(engine, join(place.folder, 'data'));
    removeDatabase = external?.remove ?? (async () => {});
    const settings =
      external?.settings ?? ({ engine: 'sqlite', file: join(place.folder, 'data', 'hygie.sqlite') } as const);
    database = openDatabase(settings);
    down.port = await freePort();
    const hash = await hashSecret(SECRET, CLIENT_SECRET_COST);
    clients = `clients:
  - id: server
    name: Dossier
    type: server
    consent: trusted
    secrets: [{ hash: "${hash}" }]
    callbackUrls: ["${CALLBACK}"]
    backchannelLogoutUrl: http://127.0.0.1:${down.port}/logout
`;
    place.configure('clients.yaml', clients);
    const port = String(await freePort());
    const env = {
      HYGIE_PORT: port,
      HYGIE_ISSUER: `http://127.0.0.1:${port}`,
      LOG_FORMAT: 'json',
      ...(settings.engine === 'postgresql' && { DATABASE_URL: settings.url }),
    };
    start = async () => {
      serving = await serve(place, env);
      await until(
        () =>
          fetch(`${env.HYGIE_ISSUER}/health/ready`).then(
            ({ ok }) => ok,
            () => false,
          ),
        'the service is ready',
      );
      return { issuer: env.HYGIE_ISSUER } as RunningService;
    };
  });
  afterAll(async () => {
    serving?.child.kill('SIGKILL');
    await serving?.ended;
    await database.destroy();
    receiver?.close();
    await removeDatabase();
  });

  const kill = async () => {
    serving?.child.kill('SIGKILL');
    await serving?.ended;
  };

  it(
    'revocations, spent codes, ended sessions and refusals hold; the client that was down is notified after the restart',
    async () => {
      const service = await start();
      const scope = 'openid email';
      const revoked = await signIn(service, { person: createPerson(service.issuer), scope });
      const leaving = await signIn(service, { person: createPerson(service.issuer), scope });
      const staying = await signIn(service, { person: createPerson(service.issuer), scope });
      const callback = await createPerson(service.issuer).signIn(authorizationUrl(service, { scope }), CREDENTIALS);
      const code = callback.searchParams.get('code') ?? '';

      const page = await leaving.person.visit(`${service.issuer}/logout?id_token_hint=${leaving.tokens.id_token}`);
      const [answer, spent] = await Promise.all([
        fetch(`${service.issuer}/oauth/revoke`, {
          method: 'POST',
          body: new URLSearchParams({ client_id: 'server', client_secret: SECRET, token: revoked.tokens.access_token }),
        }),
        redeem(service, code),
        redeem(service, 'a code of nobody'),
        leaving.person.press(page, 'sign-out'),
      ]);
      expect([answer.status, spent.status]).toEqual([200, 200]);
      await kill();

      const events = (await openAuditEvents(database).search({ limit: 100 })).map(({ event }) => event);
      expect(events).toEqual(expect.arrayContaining(['token.revoked', 'session.ended', 'token.refused']));

      receiver = createServer(async (req, res) => {
        logoutTokens.push(new URLSearchParams(await text(req)).get('logout_token') ?? '');
        res.writeHead(200).end();
      });
      await new Promise<void>((done) => receiver.listen(down.port, '127.0.0.1', done));
      expect((receiver.address() as AddressInfo).port).toBe(down.port);
      await start();
      expect(await statusWith(service, revoked.tokens.access_token)).toBe(401);
      expect(await statusWith(service, leaving.tokens.access_token)).toBe(401);
      expect(await statusWith(service, staying.tokens.access_token)).toBe(200);
      const request = authorizationUrl(service, { scope, prompt: 'none' });
      expect((await leaving.person.visit(request)).left?.searchParams.get('error')).toBe('login_required');
      expect((await staying.person.visit(request)).left?.searchParams.get('code')).toBeTruthy();
      expect((await redeem(service, code)).status).toBe(400);

      // Due again after the pause, or when the killed process no longer holds it: the clock is moved.
      await database('logout_deliveries').update({ due_at: 0 });
      await until(() => logoutTokens.length > 0, 'the client is notified');
      const payload = JSON.parse(Buffer.from(logoutTokens[0]?.split('.')[1] ?? '', 'base64url').toString());
      expect(payload).toMatchObject({ aud: 'server', sid: leaving.tokens.claims()?.['sid'] });
    },
    SLOW,
  );

  it('SEC-48 an edit of clients.yaml is in the audit trail with what it changed; a faulty one with what is wrong', async () => {
    const recorded = async (event: 'clients.changed' | 'clients.refused') =>
      (await openAuditEvents(database).search({ events: [event], limit: 9 })).at(-1);
    const added = (scheme: string) =>
      `${clients}  - { id: new, name: Nouvelle, type: browser, callbackUrls: ["${scheme}://new.example/back"] }\n`;
    place.configure('clients.yaml', added('https'));
    await until(async () => (await recorded('clients.changed')) !== undefined, 'the edit is in force');
    expect(await recorded('clients.changed')).toMatchObject({
      outcome: 'success',
      actor: 'service',
      client: 'new',
      details: { edit: 'added', keys: expect.arrayContaining(['type browser']) },
    });
    place.configure('clients.yaml', added('http'));
    await until(async () => (await recorded('clients.refused')) !== undefined, 'the faulty edit is refused');
    expect(await recorded('clients.refused')).toMatchObject({
      outcome: 'failure',
      details: { faults: ['clients[1].callbackUrls[0]'] },
    });
  });
});

// "never half done": a backup and a restore that are killed at a random moment leave nothing that looks whole, and the same command
// again does all of it.
describe('a backup and a restore that are killed', () => {
  /** Milliseconds after its first file appears; the whole work takes some hundred. */
  const LATEST = 150;

  const folder = newFolder();
  const place = filledInstallation();
  const hygie = inProcess(place);
  const backup = join(folder, 'backup');

  beforeAll(async () => {
    expect((await hygie(['backup', backup, '--with-directory'])).code).toBe(0);
  });

  it('a killed backup has no name; the next one of that name is whole', async () => {
    const target = join(folder, 'killed');
    await killed(['backup', target, '--with-directory'], {}, folder);
    // Unless it was done before it was killed.
    if (!existsSync(target)) expect((await hygie(['backup', target])).code).toBe(0);
    expect((await hygie(['backup', '--verify', target])).code).toBe(0);
  });

  describe.each(bothEngines('server/process/killed.system'))('a killed restore on %s', (engine) => {
    it('is done by the same command again', async () => {
      const { settings, remove } = await newDatabase(engine);
      const data = join(folder, `data-${engine}`);
      const env = { HYGIE_DATA: data, ...(settings.engine === 'postgresql' && { DATABASE_URL: settings.url }) };
      await killed(['restore', backup], env, folder);
      const unfinished = existsSync(join(data, 'restore-unfinished'));
      let again = await hygie(['restore', backup], { env });
      // PostgreSQL holds the lock of the killed one until it has ended the statement that it was at.
      for (let waited = 0; waited < 20 && again.stderr.includes('is under way here'); waited += 1) {
        await pause(250);
        again = await hygie(['restore', backup], { env });
      }
      // Killed before it wrote anything, in between, or when all was done.
      expect([unfinished && again.code !== 0, again.code === 0 ? '' : again.stderr]).toEqual([
        false,
        expect.any(String),
      ]);
      const { stdout } = await hygie(['directory', 'verify', '--json'], { env });
      expect([JSON.parse(stdout).sound, (await hygie(['audit', 'verify'], { env })).code]).toEqual([true, 0]);
      expect(readdirSync(data)).not.toContain('restore-unfinished');
      await remove();
    });
  });

  /** Runs a command and kills it some time after something appears in the folder, or below it. */
  async function killed(args: readonly string[], env: Record<string, string>, below: string): Promise<void> {
    const begun = Promise.withResolvers<void>();
    const watching = watch(below, { recursive: true }, () => begun.resolve());
    const { child, ended } = launch(place, args, env);
    void ended.then(() => begun.resolve());
    await begun.promise;
    watching.close();
    await pause(randomInt(LATEST));
    child.kill('SIGKILL');
    await ended;
  }
});
