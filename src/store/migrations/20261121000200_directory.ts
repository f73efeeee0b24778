// The catalogue of directory snapshots and the pointer to the current one. Times are seconds since the epoch.

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('directory_snapshots', (table) => {
    table.string('id', 64).primary();
    table.string('engine', 16).notNullable();
    // Name within the folder of snapshots.
    table.string('file', 128).notNullable();
    table.bigInteger('created_at').notNullable();
    // JSON: lines and date by register; resources by type.
    table.text('editions').notNullable();
    table.text('counts').notNullable();
    table.string('sources_checksum', 128).notNullable();
    table.bigInteger('bytes').notNullable();
  });
  await knex.schema.createTable('directory_pointer', (table) => {
    // One row, number 1: switching is one update of it.
    table.integer('id').primary();
    table.string('current', 64).references('id').inTable('directory_snapshots');
    table.string('previous', 64).references('id').inTable('directory_snapshots');
    table.bigInteger('changed_at').notNullable();
  });
  await knex('directory_pointer').insert({ id: 1, current: null, previous: null, changed_at: 0 });
}
