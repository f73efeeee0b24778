// Pictures are made of initials: what people uploaded goes, and there is a key for the addresses. The table of uploaded pictures stays,
// empty: instances of the release before ask it.

import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // A path is that of an uploaded picture; what an operator gave is an address.
  await knex('accounts').where('picture', 'like', '/%').update({ picture: null });
  await knex('pictures').delete();
  await knex.schema.createTable('picture_key', (table) => {
    table.integer('id').primary();
    table.string('secret', 43).notNullable();
  });
  await knex('picture_key').insert({ id: 1, secret: randomBytes(32).toString('base64url') });
}
