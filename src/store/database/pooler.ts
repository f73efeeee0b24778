// Recognizes a connection pooler such as PgBouncer in front of PostgreSQL, and checks whether it loses named statements.

import { withinTime } from '#shared/promises.ts';
import type { Database } from './connection.ts';
import type { PostgresClient } from './query-timeout.ts';

type Connection = PostgresClient;

/** PostgreSQL's error codes for a statement name that does not exist, and for one that exists already. */
const LOST = /^(26000|42P05)$/;

/** Checks whether an error of a statement comes from a pooler that gives each transaction another server connection. */
export function isLostStatement(error: unknown): boolean {
  return LOST.test(String((error as { code?: unknown } | undefined)?.code));
}

/**
 * Checks whether a pooler stands in front of the server. A connection through a pooler reports another process number than the server
 * process itself.
 */
export async function isPooled(database: Database): Promise<boolean> {
  const connection: Connection = await database.client.acquireConnection();
  try {
    const { rows } = (await connection.query('select pg_backend_pid() as id')) as { rows: { id: number }[] };
    return rows[0]?.id !== connection.processID;
  } finally {
    database.client.releaseConnection(connection);
  }
}

/**
 * Rounds of the check, and maximum milliseconds that each round waits. One round is not enough: if another client takes the server
 * connection that the check wants to occupy, the round finds nothing.
 */
const ROUNDS = 3;
const WITHIN = 1000;

/**
 * Checks whether the pooler forgets named statements. One connection makes a named statement. Another connection begins a transaction,
 * which occupies the same server connection. Then the first connection uses its statement again; if the pooler now gives it a server
 * connection without that statement, the statement fails.
 */
export async function losesStatements({ client }: Database): Promise<boolean> {
  const one: Connection = await client.acquireRawConnection();
  const other: Connection = await client.acquireRawConnection();
  const named = { name: 'hygie_probe', text: 'select 1' };
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      await one.query(named);
      await other.query('begin');
      const again = Promise.resolve(one.query(named));
      // If the pooler has a single server connection, this statement waits for the end of the transaction. So it is not awaited for longer
      // than `WITHIN` here.
      await withinTime(
        again.catch(() => {}),
        WITHIN,
        undefined,
      );
      await other.query('commit');
      await again;
    }
    return false;
  } catch (error) {
    if (isLostStatement(error)) return true;
    throw error;
  } finally {
    await Promise.all([one, other].map((connection) => client.destroyRawConnection(connection)));
  }
}
