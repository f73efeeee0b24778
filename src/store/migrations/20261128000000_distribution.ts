// Adds the tables through which instances get the snapshots of the directory from one another, and the table in which each instance reports
// what it serves.

import type { Knex } from 'knex';
import { SCHEMA } from '#store/schema.ts';
import { createTable } from '#store/table-definition.ts';

export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'instances', SCHEMA.instances);
  await createTable(knex, 'directory_parts', SCHEMA.directory_parts);
  await createTable(knex, 'directory_snapshot_parts', SCHEMA.directory_snapshot_parts);
  await knex.schema.alterTable('directory_snapshots', (table) => void table.string('seal', 40));
  await knex('leases').insert({ name: 'distribution', holder: '', ends_at: 0 });
  // The content is compressed already, so PostgreSQL is told not to compress it again.
  if (knex.client.config.client === 'pg')
    await knex.raw('alter table directory_parts alter column content set storage external');
}
