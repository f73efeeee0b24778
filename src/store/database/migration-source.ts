// The migrations by name, as Knex and `migrate.ts` run them. They only go forward.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { Refusal } from '#shared/operator-errors.ts';

const FOLDER = join(import.meta.dirname, '..', 'migrations');

/** The Knex command line uses this. It lists pending migrations by `file`. */
export const migrationSource: Knex.MigrationSource<{ file: string }> = {
  getMigrations: async () => migrationNames().map((file) => ({ file })),
  getMigrationName: ({ file }) => file,
  getMigration: ({ file }) => readMigration(file),
};

/**
 * Reads a file of `migrations/`, which exports `up`. No migration can be undone: the Knex command line requires a `down`, which refuses.
 */
export async function readMigration(name: string): Promise<Knex.Migration> {
  const { up } = (await import(join(FOLDER, name))) as Pick<Knex.Migration, 'up'>;
  return { up, down: refuseDown };
}

/** Names that this release does not know. Those of versions before 1.0.0 were removed; others belong to newer releases. */
export function unknownMigrations(applied: readonly string[]): { early: string[]; newer: string[] } {
  const known = migrationNames();
  const unknown = applied.filter((name) => !known.includes(name));
  const [baseline = ''] = known;
  return { early: unknown.filter((name) => name < baseline), newer: unknown.filter((name) => name > baseline) };
}

/** The names of all migrations, in order. Each begins with the time at which the migration was written. */
export function migrationNames(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.ts'))
    .sort();
}

// Undoing one would drop data stored since then, such as accounts' second factors or the audit trail.
async function refuseDown(): Promise<never> {
  throw new Refusal([
    'Migrations only go forward: to undo one would lose what was stored since.',
    'Remedy: restore the backup from before the upgrade (docs/operating/upgrade.md).',
  ]);
}
