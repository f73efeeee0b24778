// How long statements, leases and checks of the database wait, and what counts as refused, by a clock of the tests.

import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openedForAll } from '#support/opened.ts';

let now = 0;
const waited: number[] = [];
jest.unstable_mockModule('node:timers/promises', () => ({
  setTimeout: async (milliseconds: number) => {
    waited.push(milliseconds);
    now += milliseconds;
  },
}));
// It loads what is tested.
const { openTestDatabase } = await import('#support/databases.ts');
const { openLease } = await import('#store/database/lease.ts');
const { outlastFailOver } = await import('#store/database/outlast-fail-over.ts');
const { followWritability, LosesStatements, StoresNothing } = await import('#store/database/writability.ts');
const { migrate } = await import('#store/database/migrate.ts');

const POSTGRES = { client: { config: { client: 'pg' } } } as never;
const away = Object.assign(new Error('away'), { code: '57P03' });
beforeEach(() => {
  now = 0;
  waited.length = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => void jest.restoreAllMocks());

describe('work that has cost minutes', () => {
  const failing = (error: Error, times = Number.POSITIVE_INFINITY) => {
    let tries = 0;
    return async () => {
      tries += 1;
      if (tries <= times) throw error;
      return tries;
    };
  };

  it('is done again twice a second, for a minute', async () => {
    expect(await outlastFailOver(POSTGRES, failing(away, 3))).toBe(4);
    expect(waited).toEqual([500, 500, 500]);
    now = 0;
    await expect(outlastFailOver(POSTGRES, failing(away))).rejects.toBe(away);
    expect([waited.length, now]).toEqual([3 + 121, 60_500]);
  });

  it('has its minute from its first failure on, and anew after it ran for more than a minute', async () => {
    const lasting = (...seconds: number[]) => {
      let tries = 0;
      return async () => {
        now += (seconds[tries++] ?? 0) * 1000;
        if (tries <= seconds.length) throw away;
        return tries;
      };
    };
    expect(await outlastFailOver(POSTGRES, lasting(90))).toBe(2);
    expect(await outlastFailOver(POSTGRES, lasting(0, 61))).toBe(3);
    // 60 s and two pauses after the first failure, with no try of more than a minute.
    await expect(outlastFailOver(POSTGRES, lasting(0, 30, 30, 0))).rejects.toBe(away);
    // Whoever waits a minute for a connection each time has no database.
    expect(await outlastFailOver(POSTGRES, lasting(...Array(6).fill(61)))).toBe(7);
    await expect(outlastFailOver(POSTGRES, lasting(...Array(7).fill(61)))).rejects.toBe(away);
  });

  it('ends before a pause, if the caller wants it', async () => {
    const interrupted = new Error('interrupted');
    let pauses = 0;
    const beforePause = () => {
      pauses += 1;
      if (pauses === 3) throw interrupted;
    };
    await expect(outlastFailOver(POSTGRES, failing(away), beforePause)).rejects.toBe(interrupted);
    expect([pauses, waited]).toEqual([3, [500, 500]]);
  });

  it('is done once where its error does not pass, or the database is a file', async () => {
    const refused = Object.assign(new Error('unique'), { code: '23505' });
    await expect(outlastFailOver(POSTGRES, failing(refused))).rejects.toBe(refused);
    const sqlite = { client: { config: { client: 'better-sqlite3' } } } as never;
    await expect(outlastFailOver(sqlite, failing(away))).rejects.toBe(away);
    expect(waited).toEqual([]);
  });
});

describe('a migration', () => {
  const refusalOf = (work: Promise<unknown>) => work.catch((error: { reasons?: unknown }) => error.reasons ?? error);
  /** A database of which the tables of the migrations cannot be read. */
  const failing = (code: string | undefined, times = Number.POSITIVE_INFINITY) => {
    let tries = 0;
    const hasTable = async (name: string) => {
      tries += 1;
      if (tries <= times) throw Object.assign(new Error('held'), { code });
      throw new Error(`${name} after ${tries}`);
    };
    return { schema: { hasTable } } as never;
  };

  it.each(['55P03', '40P01', 'SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT'])(
    'that meets tables which another process holds (%s) waits for ten minutes',
    async (code) => {
      const heard: string[] = [];
      expect(await refusalOf(migrate(failing(code), (reason) => heard.push(reason)))).toEqual([
        'Another process has held the tables of the database for 10 minutes: a migration, or a backup.',
        'Remedy: wait until it has ended, and start again.',
      ]);
      expect(heard).toEqual([
        'another process migrates the database or reads all of it, as for a backup: waiting for it',
      ]);
      expect([waited.length, new Set(waited), now]).toEqual([1201, new Set([500]), 600_500]);
    },
  );

  it('that meets another error passes it on, at once or after a wait', async () => {
    for (const code of ['42501', 'xSQLITE_BUSY', '55P031', undefined])
      await expect(migrate(failing(code))).rejects.toThrow('held');
    expect(waited).toEqual([]);
    await expect(migrate(failing('55P03', 2))).rejects.toThrow('knex_migrations_lock after 3');
    expect(waited).toEqual([500, 500]);
  });

  describe('that meets the lock of Knex', () => {
    const opened = openedForAll(() => openTestDatabase('sqlite'));

    it('waits for half a minute, and names the command that takes the lock away', async () => {
      const { database } = opened;
      await database('knex_migrations').where('batch', '>', 1).delete();
      await database('knex_migrations_lock').update({ is_locked: 1 });
      const heard: string[] = [];
      expect(await refusalOf(migrate(database, (reason) => heard.push(reason)))).toEqual([
        'The lock of the migrations is taken: the Knex command line or an older release migrates the database, or was killed while it did.',
        'Remedy: wait until it has ended. If none of them runs: npx knex migrate:unlock',
      ]);
      expect(heard).toEqual(['the Knex command line or an older release migrates the database: waiting for it']);
      expect([waited.length, now]).toEqual([61, 30_500]);
    });
  });
});

describe('a lease', () => {
  const opened = openedForAll(() => openTestDatabase('sqlite'));

  it('is of one holder until its second, or if it is longer than an hour', async () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(1_000_000_000);
    const [one, other] = [openLease(opened.database, 'cleanup'), openLease(opened.database, 'cleanup')];
    expect([await one.take(60), await one.take(60), await other.take(60)]).toEqual([true, true, false]);
    clock.mockReturnValue(1_000_059_999);
    expect(await other.take(60)).toBe(false);
    clock.mockReturnValue(1_000_060_000);
    expect([await other.take(3600), await one.take(60)]).toEqual([true, false]);
    clock.mockReturnValue(1_000_059_000);
    expect(await one.take(60)).toBe(true);
    expect(await other.take(60)).toBe(false);
    await other.release();
    expect(await other.take(60)).toBe(false);
    await one.release();
    expect(await other.take(60)).toBe(true);
    // The two have nothing to do with each other.
    expect(await openLease(opened.database, 'distribution').take(60)).toBe(true);
  });
});

describe('a database that refused a statement', () => {
  /** Answers, and writes if it can. */
  function database() {
    const state = { writes: 0, pings: 0, error: undefined as Error | undefined };
    const update = async () => {
      state.writes += 1;
      if (state.error) throw state.error;
    };
    const raw = async () => void state.pings++;
    const fake = Object.assign(() => ({ where: () => ({ update }) }), { raw }, new EventEmitter());
    Object.setPrototypeOf(fake, EventEmitter.prototype);
    return { state, fake: fake as unknown as EventEmitter, stores: followWritability(fake as never) };
  }
  const full = Object.assign(new Error('full'), { code: '53100' });

  it('is tried by a write after 30 s, and all who ask share one try', async () => {
    const { state, fake, stores } = database();
    await stores();
    expect([state.pings, state.writes]).toEqual([1, 0]);
    now = 1000;
    fake.emit('query-error', full);
    now = 30_999;
    await expect(stores()).rejects.toBeInstanceOf(StoresNothing);
    expect(state.writes).toBe(0);
    now = 31_000;
    state.error = full;
    await Promise.all([1, 2].map(() => expect(stores()).rejects.toBeInstanceOf(StoresNothing)));
    expect(state.writes).toBe(1);
    state.error = new Error('other');
    await expect(stores()).rejects.toThrow('other');
    state.error = undefined;
    await stores();
    await stores();
    expect([state.pings, state.writes]).toEqual([2, 3]);
  });

  it('because it only reads is tried at once; a refused row counts for nothing', async () => {
    const { state, fake, stores } = database();
    fake.emit('query-error', Object.assign(new Error('unique'), { code: '23505' }));
    await stores();
    expect(state.writes).toBe(0);
    fake.emit('query-error', Object.assign(new Error('read only'), { code: '25006' }));
    await stores();
    expect(state.writes).toBe(1);
  });

  it('because its pooler lost it says so for 30 s', async () => {
    const { fake, stores } = database();
    now = 100;
    fake.emit('query-error', Object.assign(new Error('prepared statement "x" does not exist'), { code: '26000' }));
    now = 30_099;
    await expect(stores()).rejects.toBeInstanceOf(LosesStatements);
    now = 30_100;
    await stores();
  });
});
