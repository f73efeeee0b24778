// The keys of `service.yaml` below `database`. They concern PostgreSQL only.

import { z } from 'zod';
import { duration, wholeNumber } from '#config/schema/fields.ts';

export const database = {
  connections: wholeNumber(2, 100)
    .default(10)
    .describe(
      'Connections to PostgreSQL of one process at most; SQLite has none. All processes of all instances together must stay below its max_connections.',
    ),
  preparedStatements: z
    .boolean()
    .default(true)
    .describe(
      'Whether statements have names, by which the server keeps their plans. false: for PgBouncer before 1.21, or without max_prepared_statements, where pool_mode is transaction.',
    ),
  statementTimeout: duration('30s', { most: '10m' }).describe(
    'Time after which the service gives up a statement (503), and the server ends it. Migrations and backups have none.',
  ),
  lockTimeout: duration('10s', { most: '10m' }).describe('Time for which a statement waits for a lock.'),
  idleTransactionTimeout: duration('60s', { most: '1h' }).describe(
    'Time after which the server ends a transaction whose instance says nothing more, such as one on a machine that is gone.',
  ),
  waitAtStart: duration('30s', { least: '0s', most: '1h' }).describe(
    'Time for which a start waits for a PostgreSQL that does not let it in yet; 0: not at all.',
  ),
};
