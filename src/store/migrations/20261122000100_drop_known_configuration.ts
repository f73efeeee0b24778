// The service no longer remembers its configuration: each start records the digest of its settings in the audit trail.

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.dropTable('known_configuration');
}
