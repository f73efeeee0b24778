// What an operator reads where something keeps the service or a command from its work: each sentence with its remedy, whole.

import * as files from 'node:fs';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { healthRouter } from '#server/health.ts';
import type { Work } from '#server/open-database.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import type { Obstacle } from '#store/snapshots/current-snapshot.ts';
import { SHIPPED_CONFIG } from '#support/config/shipped.ts';
import { openTestDatabase, writeMigrated } from '#support/databases.ts';
import { newFolder } from '#support/new-folder.ts';
import { openedForAll } from '#support/opened.ts';

/** Permissions that cannot be changed, as on a file system without any, and files of somebody else. */
let fixed = false;
let foreign: string[] = [];
jest.unstable_mockModule('node:fs', () => ({
  ...files,
  chmodSync: (...given: Parameters<typeof files.chmodSync>) => {
    if (!fixed) files.chmodSync(...given);
  },
  lstatSync: (path: string, options: { throwIfNoEntry: false }) => {
    const found = files.lstatSync(path, options);
    return found && foreign.includes(path) ? Object.assign(found, { uid: 4711 }) : found;
  },
}));
const { databaseRemedy } = await import('#server/database-remedy.ts');
const { withCurrentDatabase, withDatabase, withOpenDatabase } = await import('#server/open-database.ts');
const { unreadableKeys } = await import('#server/open-service-keys.ts');
const { folderRemedy, keepPrivate } = await import('#server/private-data-folder.ts');
const { readinessChecks } = await import('#server/readiness-checks.ts');
const { DecryptionError } = await import('#shared/crypto/encryption.ts');

const POSTGRES = { engine: 'postgresql', url: 'postgres://hygie:secretword@127.0.0.1:9/hygie?x=1' } as const;
const own = process.env;
let folder: string;
let said: string[];
beforeEach(() => {
  [fixed, foreign, said, folder] = [false, [], [], newFolder()];
  process.env = { ...own, HYGIE_COMMAND: 'hygie' };
  jest.spyOn(process, 'getuid').mockReturnValue(1000);
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said.push(String(text));
    return true;
  });
});
afterEach(() => {
  process.env = own;
  jest.restoreAllMocks();
});

const inWords = (text: unknown) => String(text).replaceAll(folder, 'DIR');
async function refusal(attempt: () => unknown): Promise<string> {
  try {
    await attempt();
    return 'none';
  } catch (error) {
    return inWords(error);
  }
}

describe('a database that cannot be used', () => {
  const CODES = [
    ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
    ...['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED'],
    ...['CERT_NOT_YET_VALID', '25006', '28000', '28P01', '3D000', '42501', '53300', '57P03', 'EACCES', 'EEXIST'],
    ...['ENOTDIR', 'EROFS', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENOTFOUND', 'ETIMEDOUT', 'EAI_AGAIN'],
    ...['SQLITE_CANTOPEN', 'SQLITE_NOTADB', 'SQLITE_READONLY', 'SQLITE_CORRUPT', 'SQLITE_CONSTRAINT', '23505'],
    ...['SQLITE_FULL', '53100', 'ERR_ASSERTION', ''],
  ];
  const SQLITE = { engine: 'sqlite', file: '/data/hygie.sqlite' } as const;
  it('has a remedy by its code', () => {
    const remedies = Map.groupBy(CODES, (code) =>
      [POSTGRES, SQLITE].map((database) => `  ${databaseRemedy({ code }, database) ?? 'none'}`).join('\n'),
    );
    expect([...remedies].map(([text, codes]) => `${codes.join(' ')}\n${text}`).join('\n')).toMatchSnapshot();
    const further = [
      databaseRemedy({ code: '28000', message: 'no pg_hba.conf entry, no encryption' }, POSTGRES),
      databaseRemedy({ message: 'The server does not support SSL connections' }, POSTGRES),
      ...['EACCES', 'EPERM', 'EROFS'].map((code) => databaseRemedy({ code, syscall: 'mkdir' }, SQLITE)),
      folderRemedy({ code: 'ENOSPC', syscall: 'mkdir' }, '/data'),
      folderRemedy({ code: 'EROFS', syscall: 'open' }, '/data'),
    ];
    expect(further).toMatchSnapshot();
  });

  it('is told to the operator without its password', async () => {
    const failing = (error: object) => () => withOpenDatabase({ database: POSTGRES }, () => Promise.reject(error));
    expect([
      await refusal(failing({ code: 'ECONNREFUSED', message: '' })),
      await refusal(failing({ code: '42501', message: 'insert into x values (1) - permission denied for table x' })),
      await refusal(failing({ message: 'The server does not support SSL connections' })),
      await refusal(failing({ code: '53100', message: 'insert into x - could not extend file "base/1"' })),
      await refusal(failing({ code: '25006', message: 'select 1 - cannot execute INSERT in a read-only transaction' })),
      await refusal(failing(new Error('of the work'))),
      await refusal(() => withOpenDatabase({ database: { engine: 'sqlite', file: '/dev/null/x' } }, async () => {})),
    ]).toMatchSnapshot();
  });

  it('is full, which the operator reads without the statement; the error of another file is not one of the database', async () => {
    const failing = (error: object) => () =>
      withOpenDatabase({ database: { engine: 'sqlite', file: ':memory:' } }, () => Promise.reject(error));
    expect([
      await refusal(failing({ code: 'SQLITE_FULL', message: 'COMMIT; - database or disk is full' })),
      await refusal(
        failing(Object.assign(new Error('EACCES: x'), { code: 'EACCES', syscall: 'open', path: '/data/x' })),
      ),
    ]).toEqual([
      'Refusal: The database refuses (SQLITE_FULL): database or disk is full\nRemedy: make room on the disk of :memory:.',
      'Error: EACCES: x',
    ]);
  });
});

describe('the database of a command', () => {
  /** With the settings of an installation whose data folder has this name. */
  const inFolder = (name: string) => {
    process.env = { ...process.env, HYGIE_CONFIG: SHIPPED_CONFIG, HYGIE_DATA: join(folder, name) };
  };
  const file = (name: string) => join(folder, name, 'hygie.sqlite');
  const tables = async (database: Database) => (await database.raw('select count(*) n from sqlite_master'))[0].n > 10;

  it('is not made by one that only reads; by one that may be the first it is, and it is told where', async () => {
    inFolder('missing');
    const texts = [await refusal(() => withCurrentDatabase(tables))];
    expect(await withCurrentDatabase(tables, { creates: true, dryRun: true })).toBe(true);
    expect(files.existsSync(file('missing'))).toBe(false);
    // Its secret is known to the command that made it.
    const withSecrets: Work<unknown[]> = async (database, { keys }) => [await tables(database), keys.secrets.length];
    expect(await withCurrentDatabase(withSecrets, { creates: true, writes: true })).toEqual([true, 1]);
    expect(await withCurrentDatabase(tables, { writes: true })).toBe(true);
    expect([texts, said.map(inWords)]).toMatchSnapshot();
  });

  it('of an earlier schema, or empty, is refused', async () => {
    inFolder('older');
    await writeMigrated(file('older'));
    const older = openDatabase({ engine: 'sqlite', file: file('older') });
    await older('knex_migrations').delete();
    await older('knex_migrations')
      .insert({ name: '2025_first.ts', batch: 1, migration_time: 0 })
      .catch(() => {});
    await older.destroy();
    mkdirSync(join(folder, 'empty'));
    writeFileSync(file('empty'), '');
    const texts = [await refusal(() => withCurrentDatabase(tables))];
    inFolder('empty');
    texts.push(await refusal(() => withCurrentDatabase(tables)));
    expect(await withCurrentDatabase(tables, { creates: true, dryRun: true })).toBe(true);
    expect(await withDatabase(tables)).toBe(false);
    expect(texts).toMatchSnapshot();
  });

  it('whose keys cannot be read says which secret is lacking', () => {
    const reasons = ['no-secret', 'wrong-secret'] as const;
    expect(
      reasons.map((reason) => unreadableKeys(new DecryptionError(reason as 'no-secret')).message),
    ).toMatchSnapshot();
  });
});

describe('SEC-63 the data folder', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const make = (mode: number) => {
    for (const name of names) writeFileSync(join(folder, name), '');
    for (const path of [folder, ...names.map((name) => join(folder, name))]) chmodSync(path, mode);
  };
  const keep = async (mode: 'production' | 'development', dataFolder = folder) => {
    said = [];
    const text = await refusal(() => keepPrivate({ dataFolder, mode }, (line) => void said.push(inWords(line))));
    return [...(text === 'none' ? [] : [text]), ...said].join('\n');
  };

  it('is made private, or says why it cannot be', async () => {
    make(0o755);
    const texts = [await keep('production')];
    expect(names.map((name) => files.statSync(join(folder, name)).mode & 0o777)).toEqual(names.map(() => 0o700));
    foreign = [join(folder, 'a')];
    /** Development warns of what production refuses. */
    const refusedAndWarned = async () => {
      const refused = await keep('production');
      expect(refused).toBe(`Refusal: ${await keep('development')}`);
      return refused;
    };
    texts.push(await refusedAndWarned());
    [foreign, fixed] = [[], true];
    make(0o755);
    texts.push(await refusedAndWarned());
    make(0o750);
    texts.push(await keep('production'));
    chmodSync(folder, 0o700);
    texts.push(await keep('production'));
    chmodSync(folder, 0o1777);
    texts.push(await keep('development'), await keep('development', join(folder, 'a', 'x')));
    chmodSync(folder, 0o700);
    expect(texts.join('\n\n')).toMatchSnapshot();
  });
});

describe('what is missing at /health/ready', () => {
  const OBSTACLES = ['fetching', 'not fetched', 'rebuilding', 'not rebuilt', 'missing', 'other layout', 'unreadable'];
  const migrated = openedForAll(() => openTestDatabase('sqlite'));
  beforeEach(async () => {
    const one = { id: 'a', engine: 'sqlite', file: 'gone', created_at: 1, editions: '{}', counts: '{}', bytes: 1 };
    const snapshots = migrated.database('directory_snapshots');
    await snapshots
      .insert({ ...one, sources_checksum: '' })
      .onConflict('id')
      .ignore();
  });
  /** What is said with an imported directory, or none. */
  const missing = async (
    state: { obstacle?: string; current?: object; isReadAhead?: boolean; behind?: number },
    imported = true,
  ) => {
    const { database } = migrated;
    await database('directory_pointer').update({ current: imported ? 'a' : null });
    const snapshots = {
      current: () => state.current as never,
      isReadAhead: () => state.isReadAhead ?? false,
      behind: () => state.behind ?? 0,
      obstacle: () => state.obstacle as Obstacle | undefined,
    };
    const checks = readinessChecks(database, snapshots, { mayLag: 60 });
    const app = express().use(healthRouter({ checks, lifeCycle: { stopping: false } }));
    const { status, body } = await request(app).get('/ready');
    const [{ half, name, needed = false, reason = '', remedy = '' } = {}] = body.missing ?? [];
    return `${status} ${body.directory}, ${half} ${name}${needed ? ' needed' : ''}: ${reason}: ${remedy}`;
  };

  it('says for each obstacle of the directory what it is, and what to do', async () => {
    const told = [];
    for (const obstacle of [...OBSTACLES, undefined]) told.push(await missing(obstacle ? { obstacle } : {}));
    told.push(await missing({}, false), await missing({ current: {} }));
    told.push(await missing({ current: {}, isReadAhead: true, behind: 60_000 }));
    told.push(await missing({ current: {}, isReadAhead: true, behind: 60_001 }));
    expect(told.join('\n')).toMatchSnapshot();
  });

  it('says that the clock is wrong from 30 s on, or that the process is stopping', async () => {
    const database = openDatabase(POSTGRES);
    const clockAt = async (ahead: number) => {
      const checks = readinessChecks(database, {} as never, { mayLag: 60 }, () => ahead);
      const clock = checks.filter(({ name }) => name === 'clock');
      const app = express().use(healthRouter({ checks: clock, lifeCycle: { stopping: ahead === 0 } }));
      const { status, headers, body } = await request(app).get('/ready');
      const live = await request(app).get('/live');
      expect([live.status, live.headers['cache-control'], live.body]).toEqual([200, 'no-store', { status: 'ok' }]);
      expect(checks.map(({ name, half }) => `${half} ${name}`)).toEqual([
        ...['signin database', 'signin clock', 'directory directory'],
      ]);
      return [status, headers['cache-control'], body.status, body.missing?.[0]];
    };
    const wrong = {
      half: 'signin',
      name: 'clock',
      needed: true,
      reason: 'the clock of this machine and that of the database differ by more than 30 s',
      remedy:
        'NTP on both machines (chrony, systemd-timesyncd); the metric hygie_clock_ahead_seconds and the log have the difference',
    };
    const stopping = { reason: 'the service is stopping', remedy: 'send requests to another instance' };
    expect(await clockAt(0)).toEqual([503, 'no-store', 'unavailable', { name: 'process', needed: true, ...stopping }]);
    expect(await clockAt(30_000)).toEqual([200, 'no-store', 'ok', undefined]);
    for (const ahead of [30_001, -30_001])
      expect(await clockAt(ahead)).toEqual([503, 'no-store', 'unavailable', wrong]);
    await database.destroy();
  });

  it('waits two seconds for a check that does not answer', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const silent = () => new Promise<never>(() => {});
    const checks = [{ name: 'a', half: 'signin', test: silent, isNeeded: async () => false } as const];
    const status = jest.fn(() => res);
    const [set, json] = [jest.fn(() => res), jest.fn()];
    const res = { status, set, json };
    const router = healthRouter({ checks, lifeCycle: { stopping: false } });
    router({ url: '/ready', method: 'GET', headers: {} } as never, res as never, () => {});
    await jest.advanceTimersByTimeAsync(1999);
    expect(json).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    jest.useRealTimers();
    expect(status.mock.calls).toEqual([[200]]);
    const silence = { reason: 'does not answer', remedy: 'the log of the service has the cause' };
    const missing = [{ half: 'signin', name: 'a', needed: false, ...silence }];
    expect(json.mock.calls).toEqual([[{ a: 'unavailable', missing, status: 'ok' }]]);
  });
});
