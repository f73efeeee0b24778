// Destroys connections to PostgreSQL that do not respond. After a network partition or a fail-over, the operating system reports the loss
// only after a quarter of an hour, or never. The `query_timeout` of node-postgres is no help, because it keeps the connection, and the pool
// would use the same connection again.

import { connect } from 'node:net';
import pg from 'pg';
import {
  type DatabaseClock,
  type Done,
  noting,
  READ_CLOCK,
  type Statement,
  setClock,
  stores,
  TooLate,
  withDeadline,
} from './deadline.ts';
import { checkConnection } from './driver-check.ts';
import { givenUpAfter, type Limits, limitSession } from './session-limits.ts';

/** Milliseconds after which the connection of a cancel request is closed. */
const CANCELS_WITHIN = 30_000;
/**
 * Share of the time-out after which the database itself refuses a write. The rest of the time is left for writing to the database's disk,
 * which happens after the check.
 */
const STORED_WITHIN = 0.9;
/** Milliseconds after which the database's clock is read again, because it may have been set meanwhile. */
const CLOCK_HOLDS = 60_000;
/** The members of a node-postgres connection that are used here. */
export interface PostgresClient {
  query(statement: Statement, done?: Done): unknown;
  getTransactionStatus(): string | null;
  once(event: 'end', listener: () => void): unknown;
  connection: { stream: { destroy(reason: Error): unknown } };
  host: string;
  port: number;
  processID: number | null;
  secretKey: number | null;
}

/**
 * Prepares a new connection of a service. If the database does not respond within `statementTimeout`, the connection ends: waiting calls
 * get an error, and the next call gets another connection. By then, the database refuses the abandoned writes. The session also gets
 * settings that keep query plans good while tables grow.
 * @param clock the clock of the database, which all connections of a pool share
 */
export async function prepareConnection(
  connection: PostgresClient,
  clock: DatabaseClock,
  limits: Limits,
): Promise<void> {
  checkConnection(connection);
  setQueryTimeout(connection, clock, givenUpAfter(limits));
  const answers = (await connection.query(`${limitSession(limits, connection.processID)}; ${READ_CLOCK}`)) as unknown[];
  setClock(clock, answers.at(-1));
}

function setQueryTimeout(connection: PostgresClient, clock: DatabaseClock, timeout: number): void {
  const query = connection.query.bind(connection);
  let waiting = 0;
  let timer: NodeJS.Timeout | undefined;
  let waitsSince = 0;
  const giveUp = () => {
    cancel(connection);
    const seconds = timeout / 1000;
    connection.connection.stream.destroy(new Error(`the database did not answer within ${seconds} s: given up`));
  };
  const send = (statement: Statement, done: Done) => {
    const inTransaction = connection.getTransactionStatus() === 'T';
    if (!stores(statement, inTransaction)) return query(statement, done);
    if (performance.now() - clock.measuredAt > CLOCK_HOLDS) {
      clock.measuredAt = performance.now();
      query(READ_CLOCK, (error, answer) => error || setClock(clock, answer));
    }
    const answer: Done = (error, result) => {
      const refused = error instanceof TooLate || (inTransaction && error instanceof pg.DatabaseError);
      if (!refused) return done(error, result);
      // The connection is destroyed for two reasons. This ends the abandoned transaction. And the next connection reads the database's
      // clock again, because the clock may have been set forward (`TooLate`).
      connection.once('end', () => done(error));
      connection.connection.stream.destroy(error);
    };
    const instant = (waitsSince + timeout * STORED_WITHIN) / 1000 + clock.ahead;
    query(withDeadline(statement, instant), noting(answer));
  };
  connection.query = (statement: Statement, done) => {
    waiting += 1;
    // The timer alone does not keep the process alive. It need not, because the connection does that as long as it exists.
    if (waiting === 1) {
      timer = setTimeout(giveUp, timeout).unref();
      waitsSince = performance.now();
    }
    const answered: (then: Done) => Done = (then) => (error, result) => {
      waiting -= 1;
      waitsSince = performance.now();
      if (waiting > 0) timer?.refresh();
      else clearTimeout(timer);
      then(error, result);
    };
    if (done) return send(statement, answered(done));
    return new Promise((resolve, reject) => {
      send(
        statement,
        answered((error, result) => (error ? reject(error) : resolve(result))),
      );
    });
  };
}

/**
 * Asks the database to cancel the connection's current statement, for example one that waits for a lock. The request is sent on a separate
 * connection without a sign-in (section 54.2.10 of the manual). It may arrive too late, or never.
 */
function cancel({ host, port, processID, secretKey }: PostgresClient): void {
  const message = Buffer.alloc(16);
  for (const [index, part] of [16, 80877102, processID ?? 0, secretKey ?? 0].entries())
    message.writeInt32BE(part, 4 * index);
  const socket = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
  socket.on('error', () => {}).setTimeout(CANCELS_WITHIN, () => socket.destroy());
  socket.unref().end(message);
}
