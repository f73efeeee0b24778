// Has PostgreSQL refuse by itself what comes too late. A server that was frozen reads the statements that it was sent before once it goes on:
// the service has given them up by then and answered with 503, and nothing of them may be stored (SEC-78).

import pg from 'pg';

export type Statement = string | pg.QueryConfig;
export type Done = (error: Error | undefined | null, result?: unknown) => void;

/** The clock of a database as this process knows it; one for all connections. */
export interface DatabaseClock {
  /** Seconds by which it is ahead of `performance.now()`, or a little less: by the time that its answer took. */
  ahead: number;
  /** Milliseconds of `performance.now()`. */
  measuredAt: number;
}

const NAME = 'hygie_deadline';
const TOO_LATE = '22012';
/** Divides by zero from `instant` on (seconds since the epoch), and gives no row before. Only a statement that fails undoes the one beside it. */
const checkOf = (instant: string) =>
  `select where 1 / cast(clock_timestamp() < to_timestamp(${instant}) as integer) = 0`;

/** To be sent once on each connection, before anything `withDeadline`. */
export const PREPARE_CHECK: pg.QueryConfig = { name: NAME, text: checkOf('$1'), values: ['infinity'] };
/** Its answer is for `setClock`. */
export const READ_CLOCK = 'select extract(epoch from clock_timestamp()) as now';

export function setClock(clock: DatabaseClock, answer: unknown): void {
  const now = performance.now();
  const { rows } = answer as { rows: { now: string }[] };
  clock.ahead = Number(rows[0]?.now) - now / 1000;
  clock.measuredAt = now;
}

/** A write that was refused for its deadline, though its answer is still waited for: the clock of the database was set forward. */
export class TooLate extends Error {}

/**
 * The statement for `query` of node-postgres, which commits it before `instant` (seconds by the clock of the database) or not at all, in the same
 * round trip: the check is a part of its transaction, and what the statement waited for, as a lock, counts.
 */
export function withDeadline(statement: Statement, instant: number, done: Done): pg.Query {
  const config = typeof statement === 'string' ? { text: statement } : { ...statement };
  const commits = isCommit(config.text);
  const simple = config.name === undefined && !config.values?.length;
  if (simple) config.text = [config.text, checkOf(String(instant))][commits ? 'toReversed' : 'slice']().join('; ');
  const query = new pg.Query(config, (error: (Error & { code?: string }) | undefined, results: unknown) => {
    if (error) return done(error.code === TOO_LATE ? new TooLate(LATE) : error);
    done(undefined, Array.isArray(results) ? results.at(commits ? -1 : 0) : results);
  });
  if (simple) return query;
  const submit = query.submit.bind(query);
  // A statement with values and the check share what ends a transaction, the message Sync.
  query.submit = (connection) =>
    submit(Object.create(connection, { sync: { value: () => checkAndSync(connection, instant) } }));
  return query;
}

const LATE = 'the database did not answer in time by its own clock: nothing was stored';

function checkAndSync(connection: pg.Connection, instant: number): void {
  connection.bind({ statement: NAME, values: [String(instant)] }, true);
  connection.execute(null, true);
  connection.sync();
}

const WRITES = /^\s*(insert|update|delete|with)\b/i;
const isCommit = (text: string) => /^\s*commit\b/i.test(text);

/** Whether a statement stores something, at the latest when it ends. Within a transaction, only its end does. */
export function stores(statement: Statement, inTransaction: boolean): boolean {
  const text = typeof statement === 'string' ? statement : statement.text;
  return inTransaction ? isCommit(text) : WRITES.test(text);
}
