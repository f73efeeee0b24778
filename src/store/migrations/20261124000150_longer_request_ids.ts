// Room for the request ids of proxies, of which many are UUIDs. SQLite knows no lengths.

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  if (knex.client.config.client === 'pg')
    await knex.raw('alter table audit_events alter column request_id type varchar(64)');
}

/** Nothing that is stored would have to be cut. */
export async function down(): Promise<void> {}
