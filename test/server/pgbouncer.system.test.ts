// deploy/README.md, "PgBouncer": real ones in transaction mode, which give each transaction another connection to PostgreSQL. Versions that this
// machine does not have are skipped by name: apt-get install pgbouncer; HYGIE_PGBOUNCER names another one.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { prepareStart } from '#server/start/prepare-start.ts';
import { createLog } from '#shared/log/log.ts';
import { openDatabase } from '#store/database/connection.ts';
import { installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { serve } from '#support/cli/serving.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';
import { newFolder } from '#support/new-folder.ts';
import { obtainCode, redeem, SEARCH, signIn, statusWith } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { type PgBouncer, type PgBouncerProgram, pgBouncers, startPgBouncer } from '#support/pgbouncer.ts';
import { type RunningService, SECRET, startService } from '#support/service.ts';
import { until } from '#support/until.ts';

const programs = pgBouncers();
const NEWER = programs.find(({ prepares }) => prepares);
const OLDER = programs.find(({ prepares }) => !prepares) ?? NEWER;
const through = (url: string, { port }: PgBouncer) => url.replace(/:\d+\//, `:${port}/`);

/** Each with what makes it work, and what its operator says for it in `service.yaml`. */
const WORKING: [string, PgBouncerProgram | undefined, Record<string, number>, boolean][] = [
  [`${NEWER?.version ?? '1.21 or newer'} with max_prepared_statements`, NEWER, { max_prepared_statements: 100 }, true],
  [`${OLDER?.version ?? 'any'}, with database.preparedStatements: false`, OLDER, {}, false],
];

describe.each(WORKING)('deploy/README.md: PgBouncer %s', (_name, program, settings, preparedStatements) => {
  const itWith = program ? it : it.skip;
  let bouncer: PgBouncer;
  let service: RunningService;
  beforeAll(async () => {
    if (!program) return;
    bouncer = await startPgBouncer(program, settings);
    service = await startService({
      engine: 'postgresql',
      prepare: (all) => prepareStart(all, createLog({ level: 'error', format: 'json' })).then(() => {}),
      adjust: (all) => {
        if (all.database.engine !== 'postgresql') throw new Error('not on PostgreSQL');
        return { ...all, database: { ...all.database, url: through(all.database.url, bouncer), preparedStatements } };
      },
    });
    await signIn(service);
  });
  afterAll(async () => {
    await service?.stop();
    await bouncer?.stop();
  });

  const post = (path: string, fields: Record<string, string>) =>
    fetch(service.issuer + path, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'trusted', client_secret: SECRET, ...fields }),
    });

  itWith('sign-ins, refreshes, searches and revocations by many at once', async () => {
    const journey = async () => {
      const { tokens } = await signIn(service, {
        clientId: 'trusted',
        scope: 'openid offline_access PRACTITIONER_READ',
        parameters: { prompt: 'consent' },
        person: createPerson(service.issuer),
      });
      const { access_token: token, refresh_token: refresh = 'none' } = tokens;
      const statuses = [await statusWith(service, token), await statusWith(service, token, SEARCH)];
      statuses.push((await post('/oauth/token', { grant_type: 'refresh_token', refresh_token: refresh })).status);
      statuses.push((await post('/oauth/revoke', { token })).status, await statusWith(service, token));
      return statuses;
    };
    const all = await Promise.all(Array.from({ length: 12 }, journey));
    expect(all).toEqual(Array(12).fill([200, 200, 200, 200, 401]));
    expect((await fetch(`${service.issuer}/health/ready`)).status).toBe(200);
  });

  itWith('SEC-10 of 30 redemptions at once one gives tokens', async () => {
    const code = await obtainCode(service);
    const answers = await Promise.all(Array.from({ length: 30 }, () => redeem(service, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(29).fill(400)]);
  });

  itWith('statements, locks and transactions have the limits of the role', async () => {
    const ask = async () => {
      const { rows } = await service.database.raw(
        `select current_setting('statement_timeout') as s, current_setting('lock_timeout') as l,
           current_setting('idle_in_transaction_session_timeout') as i, current_setting('enable_seqscan') as e`,
      );
      return rows[0];
    };
    // PgBouncer's connections to the server of before the first start have what the role had then.
    let limits = await ask();
    await until(async () => {
      limits = await ask();
      if (limits.s !== '0') return true;
      await service.database.raw('select pg_terminate_backend(pg_backend_pid())').catch(() => {});
      return false;
    }, 'a connection of since then');
    expect(limits).toEqual({ s: '33s', l: '10s', i: '1min', e: 'off' });
  });

  itWith('a backup copies the tables, since pg_dump would leave its settings to others', async () => {
    const { configFolder, dataFolder, database } = service.settings;
    const env = {
      HYGIE_CONFIG: configFolder,
      HYGIE_DATA: dataFolder,
      DATABASE_URL: database.engine === 'postgresql' ? database.url : '',
    };
    const hygie = inProcess({ environment: env });
    const folder = `${newFolder()}/backup`;
    const made = await hygie(['backup', folder]);
    expect([made.code, made.stderr]).toEqual([0, expect.stringMatching(/connection pooler.*copy of the tables/)]);
    expect((await hygie(['backup', '--verify', folder])).code).toBe(0);
    const refused = await hygie(['backup', `${folder}-2`, '--format', 'pg_dump']);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/pooler[\s\S]*Remedy: .*own host and port/),
    ]);
    expect((await hygie(['directory', 'verify'])).code).toBe(0);
    expect(await statusWith(service, (await signIn(service)).tokens.access_token)).toBe(200);
  });

  itWith('a restart of PgBouncer costs answers of 503 at most, and nobody a sign-in', async () => {
    const token = (await signIn(service)).tokens.access_token;
    const statuses = new Set<number>();
    let over = false;
    const asking = (async () => {
      while (!over) statuses.add(await statusWith(service, token));
    })();
    await bouncer.restart();
    await until(async () => (await statusWith(service, token)) === 200, 'it answers again');
    over = true;
    await asking;
    expect([...statuses].filter((status) => ![200, 503].includes(status))).toEqual([]);
    await until(async () => (await fetch(`${service.issuer}/health/ready`)).status === 200, 'ready');
    expect(await statusWith(service, (await signIn(service)).tokens.access_token)).toBe(200);
  });
});

describe('deploy/README.md: a PgBouncer that loses prepared statements', () => {
  const itWith = OLDER ? it : it.skip;
  const LOSING = OLDER?.prepares ? { max_prepared_statements: 0 } : {};
  let opened: TestDatabase;
  let bouncer: PgBouncer | undefined;
  beforeAll(async () => {
    opened = await openTestDatabase('postgresql');
  });
  afterEach(async () => {
    await bouncer?.stop();
    bouncer = undefined;
  });
  afterAll(() => opened.close());
  const urlThrough = (one: PgBouncer) =>
    through(opened.settings.engine === 'postgresql' ? opened.settings.url : '', one);

  itWith('is refused at the start, with the remedy', async () => {
    bouncer = await startPgBouncer(OLDER as PgBouncerProgram, LOSING);
    const place = installation();
    const { ended, output } = await serve(place, { DATABASE_URL: urlThrough(bouncer) });
    expect(await ended).toBe(1);
    expect(output()).toMatch(
      /connection pooler that loses prepared statements.*\nRemedy: set max_prepared_statements.*preparedStatements: false/,
    );
    expect(output()).not.toContain('hygie:hygie');
  });

  itWith('works with a single server connection as long as nobody takes it away', async () => {
    bouncer = await startPgBouncer(OLDER as PgBouncerProgram, { ...LOSING, default_pool_size: 1 });
    const { code, stderr } = await inProcess({
      environment: { ...installation().environment, DATABASE_URL: urlThrough(bouncer) },
    })(['migrate']);
    expect([code, stderr]).toEqual([0, expect.anything()]);
  });

  itWith('and one that begins to under a running service makes it not ready, with the remedy', async () => {
    bouncer = await startPgBouncer(OLDER as PgBouncerProgram, {
      ...LOSING,
      pool_mode: 'session',
      default_pool_size: 20,
    });
    const one = bouncer;
    const service = await startService({
      engine: 'postgresql',
      adjust: (all) => {
        if (all.database.engine !== 'postgresql') throw new Error('not on PostgreSQL');
        return { ...all, database: { ...all.database, url: through(all.database.url, one) } };
      },
    });
    const ready = async () => (await (await fetch(`${service.issuer}/health/ready`)).json()) as object;
    const token = (await signIn(service)).tokens.access_token;
    expect(await ready()).toMatchObject({ status: 'ok' });
    await one.restart({ pool_mode: 'transaction', default_pool_size: 4 });
    await until(async () => {
      await Promise.all(Array.from({ length: 20 }, () => statusWith(service, token)));
      return JSON.stringify(await ready()).includes('loses prepared statements');
    }, 'not ready');
    expect(await ready()).toMatchObject({
      missing: [expect.objectContaining({ remedy: expect.stringContaining('max_prepared_statements') })],
    });
    await service.stop();
  });
});

it('deploy/README.md: a connection of its own is limited for its session, whatever the role has', async () => {
  const opened = await openTestDatabase('postgresql');
  const settings = { ...opened.settings, lockTimeout: 3, idleTransactionTimeout: 7, statementTimeout: 2 };
  const database = openDatabase(settings, { warn: () => {} });
  const { rows } = await database.raw(
    `select current_setting('statement_timeout') as s, current_setting('lock_timeout') as l,
       current_setting('idle_in_transaction_session_timeout') as i, current_setting('enable_seqscan') as e`,
  );
  expect(rows).toEqual([{ s: '2200ms', l: '3s', i: '7s', e: 'off' }]);
  await database.destroy();
  await opened.close();
});
