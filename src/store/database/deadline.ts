// Makes PostgreSQL itself refuse late writes. When a frozen database server continues, it runs the statements that it received before. By
// then the service has given up these statements and answered 503, so they must not store anything (SEC-78).

import type { QueryConfig } from 'pg';

export type Statement = string | QueryConfig;
export type Done = (error: Error | undefined | null, result?: unknown) => void;

/** The clock of a database as measured by this process. All connections share it. */
export interface DatabaseClock {
  /**
   * Seconds by which the database's clock is ahead of `performance.now()`. The response takes a while to arrive, and the number is too
   * small by as much. This makes deadlines earlier, not later.
   */
  ahead: number;
  /** Time of the measurement: milliseconds of `performance.now()`. */
  measuredAt: number;
}

const TOO_LATE = '22012';
/**
 * Returns an SQL expression that divides by zero from `instant` on (seconds since the epoch). It makes a late statement fail, because only
 * a failure undoes what the statement wrote.
 */
const inTime = (instant: string) => `1 / cast(clock_timestamp() < to_timestamp(${instant}) as integer)`;

/** Reads the database's clock. `setClock` takes the answer. */
export const READ_CLOCK = 'select extract(epoch from clock_timestamp()) as now';

export function setClock(clock: DatabaseClock, answer: unknown): void {
  const now = performance.now();
  const { rows } = answer as { rows: { now: string }[] };
  clock.ahead = Number(rows[0]?.now) - now / 1000;
  clock.measuredAt = now;
}

/**
 * Thrown when the database refused a write as too late although the caller still waits for its result. The reason is that the clock of the
 * database was set forward.
 */
export class TooLate extends Error {}

/**
 * Turns a statement into one that commits before `instant` (seconds by the clock of the database) or not at all. A write checks the clock
 * for each row, after it has waited for any lock on the row. A commit checks the clock first.
 */
export function withDeadline(statement: Statement, instant: number): QueryConfig {
  const config = typeof statement === 'string' ? { text: statement } : statement;
  if (isCommit(config.text)) return { ...config, text: `select ${inTime(String(instant))}; ${config.text}` };
  const { values = [] } = config;
  // A semicolon at the end is removed, because the check is added there. The library of the rate limits ends its statements with a
  // semicolon.
  const text = config.text.replace(/[\s;]+$/, '');
  const clause = /\breturning\b/i.test(text) ? ',' : ' returning';
  // Within a transaction, the same statement runs without the check. node-postgres refuses a second text under the same name, so the
  // statement with the check gets another name.
  const named = config.name === undefined ? {} : { name: `${config.name}_in_time` };
  return {
    ...config,
    ...named,
    text: `${text}${clause} ${inTime(`$${values.length + 1}`)} as in_time`,
    values: [...values, String(instant)],
  };
}

/**
 * Wraps the callback of a statement that has a deadline. An error that the deadline caused becomes a `TooLate`. A commit has two results,
 * because its check runs before it; only the last one, that of the commit, is passed on.
 */
export const noting =
  (done: Done): Done =>
  (error, result) =>
    done(error && named(error), Array.isArray(result) ? result.at(-1) : result);

type DatabaseFailure = Error & { code?: string };

const LATE = 'the database did not answer in time by its own clock: nothing was stored';
const named = (error: DatabaseFailure) => (error.code === TOO_LATE ? new TooLate(LATE) : error);

const WRITES = /^\s*(insert|update|delete|with)\b/i;
const isCommit = (text: string) => /^\s*commit\b/i.test(text);

/** Returns true if the statement stores data for good: a write outside a transaction, or the commit of a transaction. */
export function stores(statement: Statement, inTransaction: boolean): boolean {
  const text = typeof statement === 'string' ? statement : statement.text;
  return inTransaction ? isCommit(text) : WRITES.test(text);
}
