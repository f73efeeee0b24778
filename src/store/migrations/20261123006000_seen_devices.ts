// Families of browser and system that each account was signed in to with, for a notice when a new one comes.

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('seen_devices', (table) => {
    table.string('account_id', 36).notNullable().references('id').inTable('accounts').onDelete('CASCADE');
    // As `shared/device.ts` names them: "Firefox, Windows".
    table.string('device', 64).notNullable();
    // Seconds since the epoch, exact to a day.
    table.bigInteger('seen_at').notNullable();
    table.primary(['account_id', 'device']);
  });
}
