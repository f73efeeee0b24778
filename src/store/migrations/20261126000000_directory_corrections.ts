// Adds the table of corrections. With a correction, an operator hides something that the register publishes wrongly.

import type { Knex } from 'knex';
import { SCHEMA } from '#store/schema.ts';
import { createTable } from '#store/table-definition.ts';

export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'directory_corrections', SCHEMA.directory_corrections);
}
