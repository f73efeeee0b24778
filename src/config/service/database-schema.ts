// The keys below `database` of `service.yaml`: connections to PostgreSQL and their time limits.

import { z } from 'zod';
import { duration, wholeNumber } from '#config/schema/fields.ts';

/** The keys below `database`. They concern PostgreSQL only. */
export const database = {
  connections: wholeNumber(2, 100)
    .default(10)
    .describe(
      'Maximum number of connections of one process to PostgreSQL; SQLite has none. All processes of all instances together must stay below max_connections of PostgreSQL.',
    ),
  preparedStatements: z
    .boolean()
    .default(true)
    .describe(
      'true: statements have names, so that the server can keep their plans. false: for PgBouncer with pool_mode = transaction before 1.21, or without max_prepared_statements.',
    ),
  statementTimeout: duration('30s', { most: '10m' }).describe(
    'Time after which the service gives up a statement (503) and the server ends it. Migrations and backups have no such limit.',
  ),
  lockTimeout: duration('10s', { most: '10m' }).describe('Maximum time for which a statement waits for a lock.'),
  idleTransactionTimeout: duration('60s', { most: '1h' }).describe(
    'Time after which the server ends an idle transaction, for example of an instance whose machine is gone.',
  ),
  waitAtStart: duration('30s', { least: '0s', most: '1h' }).describe(
    'Time for which a start waits until PostgreSQL accepts connections. 0: it does not wait.',
  ),
};
