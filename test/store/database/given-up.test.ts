// When a connection to PostgreSQL is given up, by a clock of the tests: a statement without an answer, a write that came too late.

import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { type Done, READ_CLOCK, type Statement, TooLate } from '#store/database/deadline.ts';
import { prepareConnection } from '#store/database/query-timeout.ts';
import { limitSession } from '#store/database/session-limits.ts';

const LIMITS = { statementTimeout: 0.2 } as Parameters<typeof limitSession>[0];

describe('SEC-49 a connection of a service', () => {
  const cancelled: Buffer[] = [];
  const server = createServer((socket: Socket) =>
    socket.on('data', (data) => cancelled.push(data)).on('error', () => {}),
  );
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());
  beforeEach(() => void jest.useFakeTimers({ now: 0, doNotFake: ['nextTick', 'setImmediate'] }));
  afterEach(() => void jest.useRealTimers());

  async function connect() {
    const sent: { statement: Statement; done: Done }[] = [];
    const destroyed: Error[] = [];
    const ends: (() => void)[] = [];
    const state = { status: 'I' };
    const { port } = server.address() as { port: number };
    const connection = {
      query: (statement: Statement, done: Done): unknown => sent.push({ statement, done }),
      getTransactionStatus: () => state.status,
      once: (_event: string, listener: () => void) => ends.push(listener),
      connection: { on: () => {}, stream: { destroy: (error: Error) => destroyed.push(error) } },
      host: '127.0.0.1',
      port,
      processID: 7,
      secretKey: 9,
    };
    const clock = { ahead: 0, measuredAt: 0 };
    const prepared = prepareConnection(connection as never, clock, LIMITS);
    expect(sent.map(({ statement }) => statement)).toEqual([`${limitSession(LIMITS, 7)}; ${READ_CLOCK}`]);
    const began = performance.now() / 1000;
    sent.pop()?.done(undefined, [{}, { rows: [{ now: String(1000 + began) }] }]);
    await prepared;
    expect(clock.ahead).toBeCloseTo(1000, 6);
    const heard: unknown[] = [];
    const ask = (statement: Statement) =>
      connection.query(statement, (error, result) => void heard.push(error ?? result));
    return { sent, destroyed, ends, state, clock, heard, ask, connection };
  }

  it('that does not answer for its time is cancelled and destroyed; answers that come are waited for', async () => {
    const { sent, destroyed, heard, ask } = await connect();
    for (const text of ['select 1', 'select 2']) ask(text);
    expect(sent.map(({ statement }) => statement)).toEqual(['select 1', 'select 2']);
    jest.advanceTimersByTime(150);
    sent[0]?.done(undefined, 'one');
    jest.advanceTimersByTime(199);
    expect([heard, destroyed]).toEqual([['one'], []]);
    jest.advanceTimersByTime(1);
    expect(destroyed).toEqual([new Error('the database did not answer within 0.2 s: given up')]);
    for (let turn = 0; cancelled.length === 0 && turn < 1_000_000; turn += 1) await new Promise(setImmediate);
    const message = cancelled.shift();
    expect([0, 4, 8, 12].map((at) => message?.readInt32BE(at))).toEqual([16, 80877102, 7, 9]);
  });

  it('that lacks a member is refused before anything is asked of it', async () => {
    const { connection, sent, clock } = await connect();
    const lacking = { ...connection, getTransactionStatus: undefined } as never;
    await expect(prepareConnection(lacking, clock, LIMITS)).rejects.toThrow(
      'pg.Client has no function getTransactionStatus',
    );
    expect(sent).toEqual([]);
  });

  it('that has answered everything is never given up', async () => {
    const { sent, destroyed, heard, ask, connection } = await connect();
    ask('select 1');
    sent[0]?.done(undefined, 'one');
    const promised = connection.query('select 2', undefined as never);
    const refused = connection.query('select 3', undefined as never);
    sent[1]?.done(undefined, 'two');
    sent[2]?.done(new Error('wrong'));
    expect(await promised).toBe('two');
    await expect(refused).rejects.toThrow('wrong');
    jest.advanceTimersByTime(10_000);
    expect([heard, destroyed]).toEqual([['one'], []]);
  });

  it('has the database refuse a write after nine tenths of its time, counted from when it began to wait', async () => {
    const { sent, clock, ask } = await connect();
    clock.ahead = 1000;
    jest.advanceTimersByTime(2000);
    const began = performance.now();
    ask('select 1');
    jest.advanceTimersByTime(50);
    ask({ text: 'delete from a', values: [] });
    expect(sent[1]?.statement).toEqual({
      text: 'delete from a returning 1 / cast(clock_timestamp() < to_timestamp($1) as integer) as in_time',
      values: [String((began + 180) / 1000 + 1000)],
    });
    sent[0]?.done(undefined, 'one');
    ask('update a set b = 1');
    expect(sent[2]?.statement).toMatchObject({ values: [String((began + 230) / 1000 + 1000)] });
  });

  it('reads the clock of the database again after a minute, before the next write', async () => {
    const { sent, clock, ask } = await connect();
    jest.advanceTimersByTime(60_000);
    ask('delete from a');
    expect(sent).toHaveLength(1);
    sent.pop()?.done(undefined, 1);
    jest.advanceTimersByTime(1);
    ask('delete from a');
    ask('delete from b');
    expect(
      sent.map(({ statement }) => (typeof statement === 'string' ? statement : statement.text.slice(0, 13))),
    ).toEqual([READ_CLOCK, 'delete from a', 'delete from b']);
    sent[0]?.done(new Error('not now'));
    expect(clock.ahead).toBeCloseTo(1000, 6);
    sent[0]?.done(undefined, { rows: [{ now: String(performance.now() / 1000 + 7) }] } as never);
    expect(clock.ahead).toBeCloseTo(7, 6);
  });

  it('ends with a write that came too late, or a transaction that could not be committed, and only then says so', async () => {
    const { sent, destroyed, ends, state, heard, ask } = await connect();
    const late = Object.assign(new Error('division by zero'), { code: '22012' });
    ask('delete from a');
    sent[0]?.done(late);
    expect([heard, destroyed, ends.length]).toEqual([[], [expect.any(TooLate)], 1]);
    ends[0]?.();
    expect(heard).toEqual([expect.any(TooLate)]);
    const refused = new pg.DatabaseError('duplicate key', 1, 'error');
    ask('delete from a');
    sent[1]?.done(refused);
    expect([heard.at(-1), destroyed.length]).toEqual([refused, 1]);
    state.status = 'T';
    ask('commit');
    sent[2]?.done(refused);
    expect([heard.length, destroyed.at(-1)]).toEqual([2, refused]);
    ask('commit');
    sent[3]?.done(new Error('Connection terminated'));
    expect([heard.length, destroyed.length]).toEqual([3, 2]);
    ask('delete from a');
    expect(sent[4]?.statement).toBe('delete from a');
  });
});
