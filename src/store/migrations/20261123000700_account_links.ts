// What is known of the records of the directory that accounts are linked to: who they were, and which links an edition has suspended.

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('accounts', (table) => {
    // JSON by record; null: nothing is known yet, as of every account that was there before.
    table.text('linked_as');
    // JSON by record; null: every link holds.
    table.text('link_changes');
  });
  await knex.schema.alterTable('directory_snapshots', (table) => {
    // When all linked accounts were compared with it; null: by no release that does.
    table.bigInteger('links_compared_at');
  });
}
