// Simultaneous reads share a connection to PostgreSQL, which they keep for a moment.

import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openDatabase, PostgresSocket } from '#store/database/connection.ts';
import { PLACEHOLDER, prepare } from '#store/database/prepared.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';
import { until } from '#support/until.ts';

describe('reads on PostgreSQL', () => {
  let backend: () => Promise<number>;
  const opened = openedForAll(() => openTestDatabase('postgresql'));
  beforeAll(async () => {
    const ask = prepare<{ pid: number }>(opened.database, (knex) => knex.select(knex.raw('pg_backend_pid() as pid')));
    backend = async () => (await ask()).rows[0]?.pid ?? 0;
  });

  it('that overlap share a connection, and give it back', async () => {
    const backends = await Promise.all(Array.from({ length: 20 }, backend));
    expect(new Set(backends).size).toBe(1);
    await until(() => opened.database.client.pool.numUsed() === 0, 'the connection is in the pool again');
  });

  const pool = () => opened.database.client.pool;

  it('that follow each other keep it for a moment, and leave it to whoever would need another one', async () => {
    const pid = await backend();
    expect(pool().numUsed()).toBe(1);
    const before = pool().numFree();
    const [taken, read] = await opened.database.transaction(async (transaction) => [
      (await transaction.raw('select pg_backend_pid() as pid')).rows[0].pid,
      await backend(),
    ]);
    expect(before > 0 || taken === pid).toBe(true);
    expect(read).not.toBe(taken);
    await until(() => pool().numUsed() === 0, 'the connection is in the pool again');
  });

  it('keep none in a pool of one while somebody waits, nor at the end', async () => {
    if (opened.settings.engine !== 'postgresql') throw new Error('not on PostgreSQL');
    const one = openDatabase({ ...opened.settings, connections: 1 });
    const ask = prepare(one, (knex) => knex('accounts').count({ n: '*' }));
    // The timer that would give it back never comes.
    const never = jest.spyOn(globalThis, 'setTimeout');
    const timers = () => never.mock.results.map(({ value }) => value as NodeJS.Timeout);
    try {
      for (let round = 0; round < 3; round += 1) {
        await ask();
        for (const timer of timers()) clearTimeout(timer);
        await one.transaction(async (transaction) => transaction('accounts').delete());
        await Promise.all([ask(), one('accounts').delete(), ask()]);
      }
      await ask();
      expect(one.client.pool.numUsed()).toBe(1);
      for (const timer of timers()) clearTimeout(timer);
      await one.destroy();
    } finally {
      never.mockRestore();
    }
  });

  it('of which the kept connection ends meanwhile take another one', async () => {
    const pid = await backend();
    expect(pool().numUsed()).toBe(1);
    const administration = openDatabase(opened.settings);
    await administration.raw('select pg_terminate_backend(?)', [pid]);
    await administration.destroy();
    const dead = () => ![...pool().used, ...pool().free].some(({ resource }) => resource.processID === pid);
    await until(async () => {
      // The loss may meet it before it is known.
      const next = await backend().catch(() => pid);
      return next !== pid && dead();
    }, 'another connection');
  });

  it('of one turn of the event loop leave in one system call', async () => {
    await backend();
    // The methods by which Node's sockets write: with one buffer, and with many.
    const socket = PostgresSocket.prototype as unknown as Record<'_write' | '_writev', () => void>;
    const calls = [jest.spyOn(socket, '_write'), jest.spyOn(socket, '_writev')];
    await Promise.all(Array.from({ length: 20 }, backend));
    expect(calls.flatMap(({ mock }) => mock.calls).length).toBe(1);
    for (const call of calls) call.mockRestore();
  });

  it('leave the connection on which one has failed to those that are under way: it may be the connection that failed', async () => {
    const fail = prepare(opened.database, (knex) => knex.select(knex.raw('1 / cast(? as integer)', [PLACEHOLDER])));
    const slow = prepare<{ pid: number }>(opened.database, (knex) =>
      knex.select(knex.raw('pg_backend_pid() as pid, pg_advisory_xact_lock(1)')),
    );
    const holder = await opened.database.transaction();
    await holder.raw('select pg_advisory_xact_lock(1)');
    const failure = fail(0);
    const under = slow();
    await expect(failure).rejects.toThrow('division by zero');
    const next = await backend();
    await holder.rollback();
    expect(next).not.toBe((await under).rows[0]?.pid);
    expect(await backend()).toBeGreaterThan(0);
  });

  it('go on after that connection is lost, though they never cease to overlap', async () => {
    const administration = openDatabase(opened.settings);
    // Slow ones: the answers come one by one, so that some read is under way at any moment, and the loss meets it.
    const ask = prepare<{ pid: number }>(opened.database, (knex) =>
      knex.select(knex.raw('pg_backend_pid() as pid, pg_sleep(0.02)')),
    );
    const seen = new Set<number>();
    let refused = 0;
    let over = false;
    const read = async () => {
      while (!over) {
        await ask().then(
          ({ rows }) => seen.add(rows[0]?.pid ?? 0),
          () => {
            refused += 1;
          },
        );
      }
    };
    const readers = Array.from({ length: 6 }, read);
    try {
      await until(() => seen.size > 0, 'a read');
      const lost = [...seen];
      await administration.raw('select pg_terminate_backend(pid) from pg_stat_activity where pid = any(?)', [lost]);
      const goesOn = () => [...seen].some((pid) => !lost.includes(pid));
      await until(() => refused > 0 && goesOn(), 'a read after the lost ones');
    } finally {
      over = true;
      await Promise.all(readers);
      await administration.destroy();
    }
  });
});
