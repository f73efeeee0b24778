// The migrations by name, for Knex and `migrate.ts`. No migration can be undone. If a database has the name of a migration that is not
// listed here, a version before 1.0.0 or a newer release has migrated it.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { Refusal } from '#shared/operator-messages.ts';

const FOLDER = join(import.meta.dirname, '..', 'migrations');

/** The source of migrations for the Knex command line, which shows the `file` of each pending migration. */
export const migrationSource: Knex.MigrationSource<{ file: string }> = {
  getMigrations: async () => migrationNames().map((file) => ({ file })),
  getMigrationName: ({ file }) => file,
  getMigration: ({ file }) => readMigration(file),
};

/**
 * Reads a file of `migrations/`, which exports `up`. The Knex command line also requires a function `down`. This one always refuses,
 * because no migration can be undone.
 */
export async function readMigration(name: string): Promise<Knex.Migration> {
  const { up } = (await import(join(FOLDER, name))) as Pick<Knex.Migration, 'up'>;
  return { up, down: refuseDown };
}

/**
 * Returns the names in `applied` that this release does not know. `early` are migrations of versions before 1.0.0. Their files were
 * removed. `newer` are migrations of newer releases.
 */
export function unknownMigrations(applied: readonly string[]): { early: string[]; newer: string[] } {
  const known = migrationNames();
  const unknown = applied.filter((name) => !known.includes(name));
  const [baseline = ''] = known;
  return { early: unknown.filter((name) => name < baseline), newer: unknown.filter((name) => name > baseline) };
}

/** Returns the names of all migrations, in order. Each name begins with the time at which the migration was written. */
export function migrationNames(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.ts'))
    .sort();
}

// Undoing a migration would drop data stored since then, such as accounts' second factors or the audit trail.
async function refuseDown(): Promise<never> {
  throw new Refusal([
    'Migrations only go forward: to undo one would lose what was stored since.',
    'Remedy: restore the backup from before the upgrade (docs/operating/upgrade.md).',
  ]);
}
