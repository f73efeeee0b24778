// Makes PostgreSQL itself refuse late writes. A frozen server, once it continues, reads the statements that it received before. By then the
// service has given them up and answered 503, so nothing of them may be stored (SEC-78).

import type { QueryConfig } from 'pg';

export type Statement = string | QueryConfig;
export type Done = (error: Error | undefined | null, result?: unknown) => void;

/** The clock of a database as this process knows it. All connections share it. */
export interface DatabaseClock {
  /** Seconds by which it is ahead of `performance.now()`, or a little less: by the time of its response. */
  ahead: number;
  /** Milliseconds of `performance.now()`. */
  measuredAt: number;
}

const NAME = 'hygie_deadline';
const TOO_LATE = '22012';
/**
 * Divides by zero from `instant` on (seconds since the epoch), and returns no row before. Only a failing statement undoes the one beside
 * it.
 */
const checkOf = (instant: string) =>
  `select where 1 / cast(clock_timestamp() < to_timestamp(${instant}) as integer) = 0`;

/** Prepares the check. It is sent once on each connection. */
export const PREPARE_CHECK: QueryConfig = { name: NAME, text: checkOf('$1'), values: ['infinity'] };
/** Its answer is for `setClock`. */
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
 * Sends a statement that commits before `instant` (seconds by the clock of the database) or not at all, in one round trip. The check is
 * part of its transaction, so time spent waiting, for example for a lock, counts.
 */
export function sendWithDeadline(query: Send, statement: Statement, instant: number, done: Done): void {
  const config = typeof statement === 'string' ? { text: statement } : statement;
  if (config.name === undefined && !config.values?.length) {
    // Statements of one text share a transaction.
    const commits = isCommit(config.text);
    const both = [config.text, checkOf(String(instant))];
    const text = (commits ? both.toReversed() : both).join('; ');
    query({ ...config, text }, (error, results) =>
      done(error && named(error), Array.isArray(results) ? results.at(commits ? -1 : 0) : results),
    );
    return;
  }
  let failure: DatabaseFailure | undefined;
  let answer: unknown;
  const note: Done = (error) => {
    failure ??= error ?? undefined;
  };
  // The statements are pipelined: they leave together, and after an error everything is refused until the end.
  query('begin', note);
  query(config, (error, result) => {
    note(error);
    answer = result;
  });
  query({ ...PREPARE_CHECK, values: [String(instant)] }, note);
  query('commit', (error) => {
    note(error);
    done(failure && named(failure), answer);
  });
}

type DatabaseFailure = Error & { code?: string };
export type Send = (statement: Statement, done: Done) => unknown;

const LATE = 'the database did not answer in time by its own clock: nothing was stored';
const named = (error: DatabaseFailure) => (error.code === TOO_LATE ? new TooLate(LATE) : error);

const WRITES = /^\s*(insert|update|delete|with)\b/i;
const isCommit = (text: string) => /^\s*commit\b/i.test(text);

/** Checks whether a statement stores anything by the time it ends. Within a transaction, only the commit does. */
export function stores(statement: Statement, inTransaction: boolean): boolean {
  const text = typeof statement === 'string' ? statement : statement.text;
  return inTransaction ? isCommit(text) : WRITES.test(text);
}
