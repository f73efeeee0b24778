// When the sign-ins of an account last ended all together, and whether its password has to be replaced at the next one.

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('accounts', (table) => {
    // Seconds since the epoch: what a sign-in before it gave is over (`store/accounts/sign-in-validity.ts`).
    table.bigInteger('sessions_not_before');
    // Public identifier of the one session to which that does not apply: in which the person made the change.
    table.string('kept_session', 64);
    table.boolean('password_change_required').notNullable().defaultTo(false);
  });
}
