// What is known of a snapshot's file itself: its checksum, and when a check found it damaged (seconds since the epoch).

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // For some hours the migration before made them.
  if (await knex.schema.hasColumn('directory_snapshots', 'file_checksum')) return;
  await knex.schema.alterTable('directory_snapshots', (table) => {
    table.string('file_checksum', 64);
    table.bigInteger('damaged_at');
  });
}
