// operations.md: `/health/ready` waits for the halves of the service that it
// should, and names each that is missing; signing in needs no directory.

import { describe, expect, it, jest } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import express from 'express';
import request from 'supertest';
import type { Snapshot } from '#search-index/index.ts';
import { type Half, healthRouter } from '#server/health.ts';
import { readinessChecks } from '#server/readiness-checks.ts';
import { openChainWriter } from '#store/audit/chain-writer.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { isTransient } from '#store/database/transient-errors.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { ask } from '#support/directory/exporting.ts';
import { openedForAll } from '#support/opened.ts';
import { signIn } from '#support/openid/relying-party.ts';
import { startService } from '#support/service.ts';

describe('readiness', () => {
  const test = openedForAll(() => openTestDatabase('sqlite'));

  const point = (current: string | null) => test.database('directory_pointer').update({ current });
  const ready = async (readiness?: Half[]) => {
    const snapshots = {
      current: () => undefined,
      isReadAhead: () => false,
      behind: () => 0,
      obstacle: () => undefined,
    };
    const checks = readinessChecks(test.database, snapshots, { mayLag: 60 });
    const app = express().use(healthRouter({ checks, readiness, lifeCycle: { stopping: false } }));
    const { status, body } = await request(app).get('/ready');
    return { status, body, missing: body.missing?.[0] };
  };

  it('a service looks after its data at these intervals, none of which outlives it', async () => {
    const [begun, ended] = [jest.spyOn(globalThis, 'setInterval'), jest.spyOn(globalThis, 'clearInterval')];
    const service = await startService({ usualPace: true });
    await service.stop();
    // Tarn, the pool of connections, has its own.
    const own = begun.mock.calls.flatMap(([work, every], at) =>
      String(work).includes('this.check()') ? [] : [{ every, timer: begun.mock.results[at]?.value }],
    );
    const cleared = new Set<unknown>(ended.mock.calls.map(([timer]) => timer));
    for (const spy of [begun, ended]) spy.mockRestore();
    expect(own.map(({ every }) => every)).toEqual([
      // Keys, mails, threads of searches, corrections, the edition, uses of the directory, heartbeat, logout tokens, clean-up.
      ...[1000, 1000, 500, 1000, 1000, 3_600_000, 10_000, 1000, 60_000],
    ]);
    expect(own.filter(({ timer }) => !cleared.has(timer))).toEqual([]);
  });

  it('no directory was ever imported: ready by default, and with `signin`; not with `directory`; reason and remedy each time', async () => {
    await point(null);
    const lacking = {
      half: 'directory',
      name: 'directory',
      reason: 'no directory has been imported',
      // Anybody may read it: how a command is run here is for the terminal.
      remedy: expect.stringMatching(/^the command directory import FOLDER; [^/]*$/),
    };
    expect(await ready()).toMatchObject({
      status: 200,
      body: { status: 'ok', database: 'ok', directory: 'unavailable', missing: [{ ...lacking, needed: false }] },
    });
    expect(await ready(['signin'])).toMatchObject({ status: 200, missing: { ...lacking, needed: false } });
    for (const readiness of [['directory'], ['signin', 'directory']] satisfies Half[][])
      expect(await ready(readiness)).toMatchObject({
        status: 503,
        body: { status: 'unavailable' },
        missing: { ...lacking, needed: true },
      });
  });

  it('ready without a directory: still ready until the first edition is read, for as long as `mayLag`', async () => {
    const state = { read: false, behind: 0 };
    const snapshots = {
      current: () => (state.read ? ({} as Snapshot) : undefined),
      isReadAhead: () => state.read,
      behind: () => state.behind,
      obstacle: () => 'fetching' as const,
    };
    const started = () => {
      const checks = readinessChecks(test.database, snapshots, { mayLag: 60 });
      const app = express().use(healthRouter({ checks, lifeCycle: { stopping: false } }));
      return async () => (await request(app).get('/ready')).status;
    };
    const status = started();
    await point(null);
    expect(await status()).toBe(200);
    const first = {
      id: 'first',
      engine: 'sqlite',
      file: 'first',
      created_at: 1,
      editions: '{}',
      counts: '{}',
      bytes: 1,
    };
    await test.database('directory_snapshots').insert({ ...first, sources_checksum: '' });
    await point('first');
    const later = started();
    const told = [];
    for (const behind of [0, 60_000, 60_001]) {
      state.behind = behind;
      told.push([await status(), await later()]);
    }
    expect(told).toEqual([
      [200, 503],
      [200, 503],
      [503, 503],
    ]);
    state.read = true;
    expect(await status()).toBe(503);
    await point(null);
  });

  it('a check that fails otherwise reveals nothing; one that does not answer counts as needed', async () => {
    const failing = {
      name: 'database',
      half: 'signin' as const,
      test: () => Promise.reject(new Error('host db7: no route')),
    };
    const app = express().use(healthRouter({ checks: [failing], lifeCycle: { stopping: false } }));
    const { status, text } = await request(app).get('/ready');
    expect([status, text.includes('db7')]).toEqual([503, false]);
  });
});

describe('a service without a directory', () => {
  const service = openedForAll(() =>
    startService({
      adjust: (settings) => {
        if (settings.database.engine !== 'sqlite') throw new Error('not on SQLite');
        const database = new BetterSqlite3(settings.database.file);
        database.exec('update directory_pointer set current = null, previous = null');
        database.close();
        return settings;
      },
    }),
  );

  it('is ready, signs people in with all their claims, and its directory says 503 with Retry-After (RFC 9110 section 15.6.4)', async () => {
    expect((await fetch(`${service.issuer}/health/ready`)).status).toBe(200);
    const { tokens } = await signIn(service);
    const userinfo = await ask(`${service.issuer}/userinfo`, { token: tokens.access_token });
    expect(await userinfo.json()).toMatchObject({
      [`${service.settings.namespace}/userInfo`]: {
        identities: ['Practitioner/819082680976'],
        apiUrl: service.settings.directory.url,
      },
    });
    for (const path of ['Practitioner?name=martin', 'Practitioner/819082680976', 'Organization', '$export']) {
      const answer = await ask(`${service.settings.directory.url}/${path}`, { token: tokens.access_token });
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
      expect(await answer.json()).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ code: 'transient' }] });
    }
    expect((await fetch(`${service.settings.directory.url}/metadata`)).status).toBe(200);
    expect((await ask(`${service.issuer}/directory/docs`)).status).toBe(200);
  });
});

/** The clock of the process, half a minute ahead until it is set back. */
function in30Seconds() {
  const now = performance.now();
  return jest.spyOn(performance, 'now').mockReturnValue(now + 30_000);
}

/** Asks whether a service without a directory, which signs people in, is ready. */
function readyOf(database: Database) {
  const snapshots = { current: () => undefined, isReadAhead: () => false, behind: () => 0, obstacle: () => undefined };
  const checks = readinessChecks(database, snapshots, { mayLag: 60 });
  const app = express().use(healthRouter({ checks, readiness: ['signin'], lifeCycle: { stopping: false } }));
  return () => request(app).get('/ready');
}

describe.each(bothEngines('server/start/readiness'))('a database that answers and stores nothing, on %s', (engine) => {
  it('SEC-49 is not ready and says so, and ready again by itself; until a statement is refused nothing is written to find out', async () => {
    const test = await openTestDatabase(engine);
    const { settings } = test;
    const database = openDatabase(settings.engine === 'postgresql' ? { ...settings, connections: 1 } : settings);
    const store = (way: 'write' | 'only') =>
      database.raw(
        settings.engine === 'sqlite'
          ? `pragma query_only = ${way === 'only' ? 1 : 0}`
          : `set session characteristics as transaction read ${way}`,
      );
    const ask = readyOf(database);
    const ready = async () => (await ask()).body;
    await store('only');
    expect(await ready()).toMatchObject({ status: 'ok', database: 'ok' });

    const refused = await database('accounts')
      .delete()
      .catch((error: unknown) => error);
    expect(isTransient(refused)).toBe(true);
    expect(await ready()).toMatchObject({
      status: 'unavailable',
      missing: expect.arrayContaining([
        expect.objectContaining({ name: 'database', reason: 'the database answers, but stores nothing', needed: true }),
      ]),
    });
    await store('write');
    // PostgreSQL says that it only reads, which no write gets past: after a fail-over it is ready at once.
    if (engine === 'postgresql') expect(await ready()).toMatchObject({ status: 'ok', database: 'ok' });
    else expect(await ready()).toMatchObject({ status: 'unavailable' });
    const later = in30Seconds();
    expect(await ready()).toMatchObject({ status: 'ok', database: 'ok' });
    later.mockRestore();
    await database.destroy();
    await test.close();
  });

  it('SEC-49 whose disk has room for small writes alone is not ready for 30 s after each refusal; a row that is refused counts for nothing', async () => {
    const test = await openTestDatabase(engine);
    const { database } = test;
    const ask = readyOf(database);
    const ready = async () => (await ask()).status;
    const refuse = async (code: string) => {
      if (engine === 'postgresql')
        await database.raw(`do $$ begin raise exception 'no' using errcode = '${code}'; end $$`);
      else if (code !== '53100') await database.raw('insert into leases select * from leases');
      else {
        await database.raw('pragma max_page_count = 1');
        await database.raw('create table large as select zeroblob(1000000) as content');
      }
    };
    await expect(refuse('23505')).rejects.toThrow();
    expect(await ready()).toBe(200);
    await expect(refuse('53100')).rejects.toThrow();
    await database('leases').where({ name: 'cleanup' }).update({ ends_at: 0 });
    expect(await ready()).toBe(503);
    const later = in30Seconds();
    expect(await ready()).toBe(200);
    later.mockRestore();
    await test.close();
  });

  it('SEC-49 and refuses records of the audit trail, which do not go through Knex, is not ready either', async () => {
    const test = await openTestDatabase(engine);
    const ready = readyOf(test.database);
    const answer = { postgresql: 'set default_transaction_read_only = on', sqlite: 'pragma query_only = 1' }[engine];
    test.database.client.pool.max = 1;
    await test.database.raw(answer);
    const chain = openChainWriter(test.database, []);
    await expect(chain.append([])).rejects.toThrow();
    expect((await ready()).status).toBe(503);
    await test.close();
  });
});
