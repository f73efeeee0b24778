// Makes PostgreSQL itself refuse late writes. A frozen server, once it continues, reads the statements that it received before. By then the
// service has given them up and answered 503, so nothing of them may be stored (SEC-78).

import type { QueryConfig } from 'pg';

export type Statement = string | QueryConfig;
export type Done = (error: Error | undefined | null, result?: unknown) => void;

/** The clock of a database as this process knows it. All connections share it. */
export interface DatabaseClock {
  /** Seconds by which the database's clock is ahead of `performance.now()`, less the time that its response took. */
  ahead: number;
  /** Milliseconds of `performance.now()`. */
  measuredAt: number;
}

const TOO_LATE = '22012';
/** Divides by zero from `instant` on (seconds since the epoch): only a failing statement undoes what it wrote. */
const inTime = (instant: string) => `1 / cast(clock_timestamp() < to_timestamp(${instant}) as integer)`;

/** `setClock` takes the answer of this statement. */
export const READ_CLOCK = 'select extract(epoch from clock_timestamp()) as now';

export function setClock(clock: DatabaseClock, answer: unknown): void {
  const now = performance.now();
  const { rows } = answer as { rows: { now: string }[] };
  clock.ahead = Number(rows[0]?.now) - now / 1000;
  clock.measuredAt = now;
}

/** A write was refused for its deadline, but somebody still waits for its result: the clock of the database was set forward. */
export class TooLate extends Error {}

/**
 * Turns a statement into one that commits before `instant` (seconds by the clock of the database) or not at all. A write checks the clock with
 * each row, after any wait for a lock on it. A commit checks it first.
 */
export function withDeadline(statement: Statement, instant: number): QueryConfig {
  const config = typeof statement === 'string' ? { text: statement } : statement;
  if (isCommit(config.text)) return { ...config, text: `select ${inTime(String(instant))}; ${config.text}` };
  const { values = [] } = config;
  // The library of the rate limits ends its statements with a semicolon.
  const text = config.text.replace(/[\s;]+$/, '');
  const clause = /\breturning\b/i.test(text) ? ',' : ' returning';
  // Within a transaction the same statement goes without the check, under its own name.
  const named = config.name === undefined ? {} : { name: `${config.name}_in_time` };
  return {
    ...config,
    ...named,
    text: `${text}${clause} ${inTime(`$${values.length + 1}`)} as in_time`,
    values: [...values, String(instant)],
  };
}

/** Passes on how a statement with a deadline ended: an error that the deadline caused is a `TooLate`. */
export const noting =
  (done: Done): Done =>
  (error, result) =>
    done(error && named(error), Array.isArray(result) ? result.at(-1) : result);

type DatabaseFailure = Error & { code?: string };

const LATE = 'the database did not answer in time by its own clock: nothing was stored';
const named = (error: DatabaseFailure) => (error.code === TOO_LATE ? new TooLate(LATE) : error);

const WRITES = /^\s*(insert|update|delete|with)\b/i;
const isCommit = (text: string) => /^\s*commit\b/i.test(text);

/** Checks whether a statement stores anything by the time it ends. Within a transaction, only the commit does. */
export function stores(statement: Statement, inTransaction: boolean): boolean {
  const text = typeof statement === 'string' ? statement : statement.text;
  return inTransaction ? isCommit(text) : WRITES.test(text);
}
