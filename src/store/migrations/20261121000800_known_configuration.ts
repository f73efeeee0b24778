// What the audit trail is known to have told of the configuration: of all instances, and of each of them. No secret is in it.
// Times are seconds since the epoch.

import type { Knex } from 'knex';

const TABLE = 'known_configuration';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable(TABLE, (table) => {
    table.string('part', 16).notNullable();
    // Empty: what was told last, of whichever instance.
    table.string('instance', 300).notNullable();
    // JSON.
    table.text('content').notNullable();
    // JSON: digests of contents of other instances from which this one is known to differ.
    table.text('differs').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.primary(['part', 'instance']);
  });
}
