// Which process does what only one of them should do, such as removing expired records. Times are seconds since the epoch.

import type { Knex } from 'knex';

const TABLE = 'leases';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable(TABLE, (table) => {
    table.string('name', 16).primary();
    table.string('holder', 36).notNullable();
    table.bigInteger('ends_at').notNullable();
  });
  await knex(TABLE).insert({ name: 'cleanup', holder: '', ends_at: 0 });
}
