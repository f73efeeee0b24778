// What is added to statements for PostgreSQL, which errors pass by themselves, and how poolers and libraries are recognised: by value.

import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { noting, READ_CLOCK, setClock, stores, TooLate, withDeadline } from '#store/database/deadline.ts';
import { givenUpAfter, limitRole, limitSession, withoutLimits } from '#store/database/session-limits.ts';
import {
  isNotStored,
  isOrphan,
  isTransient,
  passesByItself,
  READ_ONLY,
  RETRY_SECONDS,
} from '#store/database/transient-errors.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';

describe('SEC-78 a statement with a deadline', () => {
  afterEach(() => void jest.restoreAllMocks());

  const CHECK = (instant: string) => `1 / cast(clock_timestamp() < to_timestamp(${instant}) as integer)`;

  it('checks the clock with each row that it writes, under a name of its own', () => {
    expect(withDeadline('delete from a ; ', 12.5)).toEqual({
      text: `delete from a returning ${CHECK('$1')} as in_time`,
      values: ['12.5'],
    });
    const named = { name: 'n', text: 'update a set b = $1 RETURNING id', values: [7] };
    expect(withDeadline(named, 3)).toEqual({
      name: 'n_in_time',
      text: `update a set b = $1 RETURNING id, ${CHECK('$2')} as in_time`,
      values: [7, '3'],
    });
    expect(withDeadline({ text: ' commit;' }, 3)).toEqual({ text: `select ${CHECK('3')};  commit;` });
  });

  it.each([
    ['insert into a', true, false],
    [' UPDATE a', true, false],
    ['delete from a', true, false],
    ['with a as (select 1) select 1', true, false],
    ['select 1', false, false],
    ['inserted', false, false],
    ['commit', false, true],
    ['\nCOMMIT;', false, true],
    ['committed', false, false],
    ['rollback', false, false],
  ])('%j stores something: alone %j, in a transaction %j', (text, alone, within) => {
    expect([stores(text, false), stores({ text }, true)]).toEqual([alone, within]);
  });

  it('that came too late says that nothing was stored; other errors and results pass', () => {
    const heard: unknown[] = [];
    const done = noting((error, result) => heard.push(error ?? result));
    const other = Object.assign(new Error('other'), { code: '23505' });
    done(Object.assign(new Error('division by zero'), { code: '22012' }));
    done(other);
    done(null, 'one');
    done(undefined, ['one', 'last']);
    expect(heard).toEqual([expect.any(TooLate), other, 'one', 'last']);
    expect((heard[0] as Error).message).toBe(
      'the database did not answer in time by its own clock: nothing was stored',
    );
    expect(isTransient(heard[0])).toBe(true);
  });

  it('follows the clock of the database, whose answer may be late but never early', () => {
    jest.spyOn(performance, 'now').mockReturnValue(5000);
    const clock = { ahead: 0, measuredAt: 0 };
    setClock(clock, { rows: [{ now: '1000.5' }] });
    expect([clock, READ_CLOCK]).toEqual([
      { ahead: 995.5, measuredAt: 5000 },
      'select extract(epoch from clock_timestamp()) as now',
    ]);
  });
});

describe('limits of sessions', () => {
  const limits = (settings: object) => settings as Parameters<typeof limitSession>[0];
  const set = (statement: string, lock: string, idle: string) =>
    [
      ['enable_seqscan', 'off'],
      ['statement_timeout', statement],
      ['lock_timeout', lock],
      ['idle_in_transaction_session_timeout', idle],
    ].map(([name, value]) => `set_config('${name}', '${value}', false)`);
  const opened = openedForAll(() => openTestDatabase('postgresql'));

  it('are those of the settings, or the usual ones; the service gives up before', () => {
    expect(limitSession(limits({}), 7)).toBe(
      `select ${set('33000ms', '10s', '60s').join(', ')} where pg_backend_pid() = 7`,
    );
    const own = limits({ statementTimeout: 0.333, lockTimeout: 2, idleTransactionTimeout: 3 });
    expect(limitSession(own, null)).toBe(`select ${set('367ms', '2s', '3s').join(', ')} where pg_backend_pid() = 0`);
    expect([givenUpAfter(limits({})), givenUpAfter(own)]).toEqual([30_000, 333]);
  });

  it('of a role are set once, and those of a transaction that may last are taken off', async () => {
    const { database } = opened;
    const all = ['enable_seqscan = off', 'statement_timeout = 33000ms', 'lock_timeout = 10s'];
    const idle = 'idle_in_transaction_session_timeout = ';
    expect(await limitRole(database, limits({}))).toEqual([...all, `${idle}60s`]);
    expect(await limitRole(database, limits({}))).toEqual([]);
    expect(await limitRole(database, limits({ idleTransactionTimeout: 5 }))).toEqual([`${idle}5s`]);
    const shown = await database.transaction(async (transaction) => {
      await transaction.raw(
        `set local statement_timeout = 5000; set local lock_timeout = 5000; set local ${idle} 5000`,
      );
      await withoutLimits(transaction);
      const names = ['statement_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout'];
      return Promise.all(names.map(async (name) => (await transaction.raw(`show ${name}`)).rows[0][name]));
    });
    expect(shown).toEqual(['0', '0', '0']);
  });
});

describe('errors of a database that is away, full or busy', () => {
  const PASSING =
    'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN 57P01 57P02 57P03 53300 25006 08006';
  const OTHER_TRANSIENT =
    'ECONNABORTED ENOSPC EDQUOT EROFS EIO EMFILE ENFILE CERT_HAS_EXPIRED CERT_NOT_YET_VALID ERR_TLS_CERT_ALTNAME_INVALID ' +
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE 28P01 3D000 40001 40P01 53100 53200 55P03 57014 58000 58030 SQLITE_BUSY SQLITE_BUSY_SNAPSHOT ' +
    'SQLITE_LOCKED SQLITE_FULL SQLITE_IOERR_WRITE SQLITE_READONLY SQLITE_CANTOPEN';
  const LASTING = '23505 42P01 22012 26000 ENOENT SQLITE_ERROR SQLITE_CONSTRAINT x53300 53300x';
  const judged = (error: unknown) => [passesByItself(error), isTransient(error)];

  it.each([
    ...PASSING.split(' ').map((code) => [code, true, true] as const),
    ...OTHER_TRANSIENT.split(' ').map((code) => [code, false, true] as const),
    ...LASTING.split(' ').map((code) => [code, false, false] as const),
  ])('%s: passes by itself %j, is worth another try %j', (code, passes, transient) => {
    expect(judged(Object.assign(new Error('x'), { code }))).toEqual([passes, transient]);
  });

  it.each([
    ['Connection terminated unexpectedly', true],
    ['select 1 - Client has encountered a connection error and is not queryable', true],
    ['the database did not answer within 3 s: given up', true],
    ['he said: Connection terminated', false],
  ])('without a code, %j: %j', (message, transient) => {
    expect(judged(new Error(message))).toEqual([transient, transient]);
  });

  it('a pool without a free connection passes, a disk that is full stores nothing, and neither is nothing an error', () => {
    expect(judged(Object.assign(new Error('x'), { name: 'KnexTimeoutError' }))).toEqual([true, true]);
    const quota = new Error('could not extend file: Disk quota exceeded');
    expect([...judged(quota), isNotStored(quota)]).toEqual([false, true, true]);
    expect([judged(undefined), isNotStored(undefined), isOrphan(undefined)]).toEqual([[false, false], false, false]);
    const coded = (test: (error: unknown) => boolean, codes: string) => codes.split(' ').map((code) => test({ code }));
    const full = '25006 53100 58030 SQLITE_FULL SQLITE_IOERR SQLITE_READONLY_DBMOVED SQLITE_CANTOPEN';
    expect(coded(isNotStored, full)).toEqual(Array(7).fill(true));
    expect(coded(isNotStored, 'SQLITE_BUSY 53300 23505 57P03')).toEqual(Array(4).fill(false));
    expect(isNotStored(new Error('Read-only file system'))).toBe(true);
    expect(coded(isOrphan, '23503 SQLITE_CONSTRAINT_FOREIGNKEY 23505 SQLITE_CONSTRAINT_UNIQUE')).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([READ_ONLY, RETRY_SECONDS]).toEqual(['25006', 5]);
  });
});
