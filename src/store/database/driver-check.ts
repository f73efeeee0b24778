// Checks at the start that Knex, its pool and node-postgres have the undocumented members that this folder uses (decision 105). Without
// this check, an upgrade that removes such a member could go unnoticed, and queries would lose their time-out, or the pool its connections.

import type { Knex } from 'knex';

type Members = readonly (readonly [owner: string, value: unknown, members: readonly string[]])[];

/** Checks Knex and its pool. Throws if a member is missing. */
export function checkDrivers(database: Knex): void {
  const { client } = database;
  check([
    [
      'Knex',
      client,
      ['acquireConnection', 'releaseConnection', 'acquireRawConnection', 'destroyRawConnection', 'emit'],
    ],
    ['the pool of Knex', client.pool, ['numUsed', 'numFree', 'numPendingAcquires', 'on']],
  ]);
}

/** Checks a connection of node-postgres. Throws if a member is missing. */
export function checkConnection(connection: object): void {
  const { connection: wire } = connection as { connection?: { stream?: object } };
  check([
    ['pg.Client', connection, ['query', 'getTransactionStatus', 'once']],
    ['the stream of pg.Client', wire?.stream, ['destroy']],
    ['the connection of pg.Client', wire, ['on']],
  ]);
  for (const name of ['processID', 'secretKey', 'host', 'port']) {
    if (!(name in connection)) throw new Error(`pg.Client has no ${name}${REMEDY}`);
  }
}

const REMEDY = ': install the versions that package.json names (npm ci), or adapt src/store/database.';

function check(all: Members): void {
  for (const [owner, value, members] of all) {
    for (const name of members) {
      const member = (value as Record<string, unknown> | undefined)?.[name];
      if (typeof member !== 'function') throw new Error(`${owner} has no function ${name}${REMEDY}`);
    }
  }
}
