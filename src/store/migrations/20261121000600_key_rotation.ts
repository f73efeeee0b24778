// Keys of several algorithms, each with the second from which it is used; one row that decides between instances.
// Times are seconds since the epoch.

import type { Knex } from 'knex';

const TABLE = 'service_keys';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable(TABLE, (table) => {
    table.bigInteger('active_at').notNullable().defaultTo(0);
  });
  await knex(TABLE).where({ purpose: 'lock' }).delete();
  await knex(TABLE).insert({ id: 'lock', purpose: 'lock', material: '', created_at: 0, active_at: 0 });
  await knex(TABLE).where({ purpose: 'signing' }).update({ purpose: 'RS256' });
  await knex(TABLE)
    .whereNot({ purpose: 'lock' })
    .update({ active_at: knex.ref('created_at') });
}
