// What was judged of each edition that was loaded or refused: later ones are compared with its statistics.

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('directory_judgements', (table) => {
    table.increments('id');
    // Seconds since the epoch.
    table.bigInteger('made_at').notNullable().index();
    // The snapshot that was made of it; none where it was refused.
    table.string('snapshot', 64).index();
    // JSON: counts by resource type, editions by register, statistics, the whole report.
    table.text('counts').notNullable();
    table.text('editions').notNullable();
    table.text('statistics').notNullable();
    table.text('report').notNullable();
    // JSON by resource type: what was in the edition before and not in this one.
    table.text('removed').notNullable();
    // JSON: the reasons that the operator accepted.
    table.text('accepted').notNullable();
    // Whether somebody went back from it to the snapshot before.
    table.boolean('left_by_rollback').notNullable().defaultTo(false);
  });
}
