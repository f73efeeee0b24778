// How poolers in front of PostgreSQL are recognised, and which members of libraries the store relies on.

import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { checkConnection, checkDrivers } from '#store/database/driver-check.ts';
import { onAcquired, onQueryError, poolState } from '#store/database/pool-state.ts';
import { isLostStatement, isPooled, losesStatements } from '#store/database/pooler.ts';

describe('a pooler', () => {
  afterEach(() => void jest.useRealTimers());

  it('gives connections numbers of its own; statements that it loses have two codes', async () => {
    const released: unknown[] = [];
    const ask = (processID: number) => {
      const connection = { processID, query: async () => ({ rows: [{ id: 5 }] }) };
      const client = {
        acquireConnection: async () => connection,
        releaseConnection: (one: unknown) => released.push(one === connection),
      };
      return isPooled({ client } as never);
    };
    expect([await ask(5), await ask(6), released]).toEqual([false, true, [true, true]]);
    const lost = (code: unknown) => isLostStatement({ code });
    expect([lost('26000'), lost('42P05'), lost('42P01'), isLostStatement(undefined)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  /** Two connections that note what they are asked; `again` answers the second use of the statement. */
  function connections(again: () => Promise<unknown>) {
    const asked: unknown[] = [];
    const destroyed: string[] = [];
    let uses = 0;
    const one = {
      name: 'one',
      query: (statement: unknown) => {
        asked.push(statement);
        uses += 1;
        return uses % 2 ? Promise.resolve() : again();
      },
    };
    const other = { name: 'other', query: async (text: string) => void asked.push(text) };
    const all = [one, other];
    const client = {
      acquireRawConnection: async () => all.shift(),
      destroyRawConnection: async ({ name }: { name: string }) => void destroyed.push(name),
    };
    return { asked, destroyed, loses: losesStatements({ client } as never) };
  }
  const NAMED = { name: 'hygie_probe', text: 'select 1' };

  it('that keeps statements by name is asked three times', async () => {
    const { asked, destroyed, loses } = connections(async () => {});
    expect(await loses).toBe(false);
    const round = [NAMED, 'begin', NAMED, 'commit'];
    expect([asked, destroyed]).toEqual([
      [...round, ...round, ...round],
      ['one', 'other'],
    ]);
  });

  it('that loses them says so by its error; another error is passed on', async () => {
    const lost = connections(() => Promise.reject(Object.assign(new Error('x'), { code: '26000' })));
    expect([await lost.loses, lost.destroyed]).toEqual([true, ['one', 'other']]);
    const away = connections(() => Promise.reject(new Error('away')));
    await expect(away.loses).rejects.toThrow('away');
    expect(away.destroyed).toEqual(['one', 'other']);
  });

  it('with a single server connection lets the statement wait for a second', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    jest.useFakeTimers();
    const { asked, loses } = connections(() => promise);
    await jest.advanceTimersByTimeAsync(999);
    expect(asked).toEqual([NAMED, 'begin', NAMED]);
    await jest.advanceTimersByTimeAsync(1);
    expect(asked.at(3)).toBe('commit');
    resolve();
    expect(await loses).toBe(false);
  });
});

describe('libraries of databases', () => {
  afterEach(() => void jest.restoreAllMocks());

  const noop = () => {};
  const REMEDY = ': install the versions that package.json names (npm ci), or adapt src/store/database.';
  const withAll = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, noop]));
  const CLIENT = ['acquireConnection', 'releaseConnection', 'acquireRawConnection', 'destroyRawConnection', 'emit'];
  const POOL = ['numUsed', 'numFree', 'numPendingAcquires', 'on'];

  it('lack no member that is used', () => {
    const knex = (client: readonly string[], pool: readonly string[]) => () =>
      checkDrivers({ client: { ...withAll(client), pool: withAll(pool) } } as never);
    expect(knex(CLIENT, POOL)).not.toThrow();
    for (const name of CLIENT)
      expect(
        knex(
          CLIENT.filter((one) => one !== name),
          POOL,
        ),
      ).toThrow(`Knex has no function ${name}${REMEDY}`);
    for (const name of POOL)
      expect(
        knex(
          CLIENT,
          POOL.filter((one) => one !== name),
        ),
      ).toThrow(`the pool of Knex has no function ${name}${REMEDY}`);
  });

  it('nor does a connection', () => {
    const whole = {
      ...withAll(['query', 'getTransactionStatus', 'once']),
      processID: null,
      secretKey: null,
      host: '',
      port: 0,
      connection: { on: noop, stream: { destroy: noop } },
    };
    expect(() => checkConnection(whole)).not.toThrow();
    for (const name of ['query', 'getTransactionStatus', 'once'])
      expect(() => checkConnection({ ...whole, [name]: 1 })).toThrow(`pg.Client has no function ${name}${REMEDY}`);
    for (const name of ['processID', 'secretKey', 'host', 'port'] as const) {
      const { [name]: _, ...rest } = whole;
      expect(() => checkConnection(rest)).toThrow(`pg.Client has no ${name}${REMEDY}`);
    }
    const wire = (connection: object) => () => checkConnection({ ...whole, connection });
    expect(wire({ stream: { destroy: noop } })).toThrow('the connection of pg.Client has no function on');
    expect(wire({ on: noop })).toThrow('the stream of pg.Client has no function destroy');
  });

  it('tell of their pool: what is in use, how long a query waited, and which failed', () => {
    const pool = Object.assign(new EventEmitter(), { numUsed: () => 1, numFree: () => 2, numPendingAcquires: () => 3 });
    const database = Object.assign(new EventEmitter(), { client: { pool } }) as never;
    expect(poolState(database)).toEqual({ used: 1, free: 2, pending: 3 });
    const waited: number[] = [];
    onAcquired(database, (seconds) => waited.push(seconds));
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1000);
    for (const id of [1, 2, 3]) pool.emit('acquireRequest', id);
    clock.mockReturnValue(3500);
    pool.emit('acquireFail', 1);
    for (const id of [1, 2, 2, 4]) pool.emit('acquireSuccess', id);
    expect(waited).toEqual([2.5]);
    const failed: string[] = [];
    onQueryError(database, (kind) => failed.push(kind));
    const codes = ['23505', 'SQLITE_CONSTRAINT_UNIQUE', '57P03', '42P01', undefined];
    for (const code of codes) (database as EventEmitter).emit('query-error', { code });
    (database as EventEmitter).emit('query-error', undefined);
    expect(failed).toEqual(['unavailable', 'other', 'other', 'other']);
  });
});
