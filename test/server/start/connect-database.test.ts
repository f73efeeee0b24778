// What a start does before it uses PostgreSQL: how long it waits for one that does not let it in, and what it makes of a pooler. Real
// servers: `database-away.system.test.ts` and `pgbouncer.system.test.ts`.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

const connection = await import('#store/database/connection.ts');
let pings: (Error | undefined)[] = [];
let tries = 0;
let destroyed = 0;
jest.unstable_mockModule('#store/database/connection.ts', () => ({
  ...connection,
  openDatabase: () => ({ destroy: async () => void destroyed++ }),
  ping: async () => {
    tries += 1;
    const error = pings.length > 1 ? pings.shift() : pings[0];
    if (error) throw error;
  },
}));
const pooler = { isPooled: true, loses: false };
jest.unstable_mockModule('#store/database/pooler.ts', () => ({
  isPooled: async () => pooler.isPooled,
  losesStatements: async () => pooler.loses,
}));
let limited: string[] | Error;
jest.unstable_mockModule('#store/database/session-limits.ts', () => ({
  limitRole: async () => {
    if (limited instanceof Error) throw limited;
    return limited;
  },
}));
let passes: Promise<void>[] = [];
const waited: number[] = [];
jest.unstable_mockModule('node:timers/promises', () => ({
  setTimeout: async (milliseconds: number) => {
    waited.push(milliseconds);
    now += milliseconds;
    await passes.shift();
  },
}));
const { awaitDatabase, preparePooler } = await import('#server/start/connect-database.ts');

const settings = { engine: 'postgresql', url: 'postgres://db.example/hygie', waitAtStart: 5 } as const;
const starting = Object.assign(new Error('the database system is starting up'), { code: '57P03' });
let now = 0;
let said: unknown[] = [];
const log = {
  info: (...line: unknown[]) => void said.push(['info', ...line]),
  warn: (...line: unknown[]) => void said.push(['warn', ...line]),
} as never;

beforeEach(() => {
  [pings, tries, destroyed, said, passes, now, limited] = [[undefined], 0, 0, [], [], 0, []];
  [pooler.isPooled, pooler.loses, waited.length] = [true, false, 0];
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  jest.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => void jest.restoreAllMocks());

describe('a PostgreSQL that does not let the service in', () => {
  it('is waited for, in pauses of a half to a whole second, and said once', async () => {
    pings = [starting, starting, undefined];
    await awaitDatabase({ database: settings }, log);
    expect([tries, waited, destroyed]).toEqual([3, [750, 750], 1]);
    jest.spyOn(Math, 'random').mockReturnValue(0);
    pings = [starting, undefined];
    await awaitDatabase({ database: settings }, log);
    expect(waited.at(-1)).toBe(500);
    expect(said[0]).toEqual([
      'warn',
      'the database does not let the service in (the database system is starting up): waiting for 5 s at most (database.waitAtStart)',
    ]);
    expect(said).toHaveLength(2);
  });

  it('is waited for as long as the settings say, and no longer', async () => {
    pings = [starting];
    await awaitDatabase({ database: settings }, log);
    expect([tries, destroyed]).toEqual([8, 1]);
  });

  it.each([
    ['that refuses for good', settings, Object.assign(new Error('no'), { code: '28P01' }), 1],
    ['that answers', settings, undefined, 1],
    ['without a time to wait', { ...settings, waitAtStart: 0 }, starting, 0],
    ['that is SQLite', { engine: 'sqlite', file: '/x' } as const, starting, 0],
  ])('%s is not waited for', async (_, database, error, count) => {
    pings = [error];
    await awaitDatabase({ database }, log);
    expect([tries, waited, said]).toEqual([count, [], []]);
  });

  it('is no longer waited for once the service has to stop', async () => {
    pings = [starting];
    passes = [new Promise(() => {})];
    await awaitDatabase({ database: settings }, log, Promise.resolve());
    expect([tries, destroyed]).toEqual([1, 1]);
  });
});

describe('a connection pooler', () => {
  const prepare = (more: object = {}) =>
    preparePooler({} as never, { ...settings, ...more }, log).then(
      () => said,
      (error: Error) => `${error.constructor.name}: ${error.message}`,
    );

  it('gets its limits for the role, which is said where any was set', async () => {
    expect(await prepare()).toEqual([]);
    limited = ['statement_timeout'];
    expect(await prepare()).toEqual([
      ['info', { set: limited }, 'a pooler is in front of the database: its limits are set for the role'],
    ]);
    pooler.isPooled = false;
    expect(await prepare()).toHaveLength(1);
    await preparePooler({} as never, { engine: 'sqlite', file: '/x' }, log);
    expect(said).toHaveLength(1);
  });

  it('whose role cannot be limited is said', async () => {
    limited = new Error('permission denied');
    expect(await prepare()).toEqual([
      [
        'warn',
        { err: limited },
        'a pooler is in front of the database, and its limits cannot be set for the role (alter role)',
      ],
    ]);
  });

  it('that loses statements is refused with the remedy, unless nothing is prepared', async () => {
    pooler.loses = true;
    expect(await prepare()).toBe(
      'Refusal: DATABASE_URL leads to a connection pooler that loses prepared statements (PgBouncer with pool_mode = transaction).\n' +
        'Remedy: set max_prepared_statements = 200 in PgBouncer 1.21 or newer; for an older one, database.preparedStatements: false in service.yaml.',
    );
    expect(await prepare({ preparedStatements: false })).toEqual([]);
  });
});
