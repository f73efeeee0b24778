// Has PostgreSQL refuse by itself what comes too late. A server that was frozen reads the statements that it was sent before once it goes on:
// the service has given them up by then and answered with 503, and nothing of them may be stored (SEC-78).

import type { QueryConfig } from 'pg';

export type Statement = string | QueryConfig;
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

/** Prepares the check; is sent once on each connection. */
export const PREPARE_CHECK: QueryConfig = { name: NAME, text: checkOf('$1'), values: ['infinity'] };
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
 * Sends a statement that commits before `instant` (seconds by the clock of the database) or not at all, in one round trip: the check is a part
 * of its transaction. What the statement waited for, as a lock, counts.
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
  // Pipelined: they leave together, and what follows an error is refused until the end.
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

/** Whether a statement stores something, at the latest when it ends. Within a transaction, only its end does. */
export function stores(statement: Statement, inTransaction: boolean): boolean {
  const text = typeof statement === 'string' ? statement : statement.text;
  return inTransaction ? isCommit(text) : WRITES.test(text);
}
