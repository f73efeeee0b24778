// The command `migrate`: brings the database to the newest schema (`store/database/migrate.ts`), or lists the missing migrations.

import { join } from 'node:path';
import { loadSettings } from '#config/index.ts';
import { isOfOlderLayout } from '#search-index/index.ts';
import { isAbsent, printDatabase, withDatabase, withOpenDatabase } from '#server/open-database.ts';
import { printNotice } from '#shared/operator-messages.ts';
import type { Database } from '#store/database/connection.ts';
import { migrate, migrationStatus } from '#store/database/migrate.ts';
import { hasOtherLayout, lacksFile, snapshotFolder } from '#store/snapshots/folder.ts';
import { findCurrentSnapshot } from '#store/snapshots/registry.ts';
import { action, type Command, flag, type Values } from './support/command.ts';

const OPTIONS = {
  status: flag(
    'Prints applied and pending migrations, and whether this release has to rebuild the index of the directory. Changes nothing.',
  ),
  json: flag('Prints one JSON object: { "applied": [...], "pending": [...] }; with --status also "directory".'),
} as const;

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Brings the database to the newest schema',
  action: action({
    options: OPTIONS,
    text: `
Applies the migrations that the database lacks, and prints their names. \`serve\` does the same when it starts.
Database: DATABASE_URL, else the SQLite file in HYGIE_DATA (./data).`,
    run: bringUpToDate,
  }),
  examples: [['migrate --status', 'what a new release would do']],
};

async function bringUpToDate(values: Values<typeof OPTIONS>): Promise<void> {
  if (values.status) {
    const { database, dataFolder } = await loadSettings(process.env);
    // Opening a missing database would create it. So an empty database in memory is examined instead. It lacks every migration, as a
    // missing database does.
    const looked = isAbsent(database) ? { engine: 'sqlite' as const, file: ':memory:' } : database;
    const status = await withOpenDatabase({ database: looked }, async (opened) => ({
      ...(await migrationStatus(opened)),
      directory: await upgradeOfDirectory(opened, dataFolder),
    }));
    const lines = [
      ...status.applied.map((name) => `applied  ${name}`),
      ...status.pending.map((name) => `pending  ${name}`),
    ];
    print(values.json ? JSON.stringify(status) : lines.join('\n'));
    if (status.directory !== 'none') printNotice(`directory: ${DIRECTORY[status.directory]}`);
    return;
  }
  return withDatabase(async (database, settings) => {
    printDatabase(settings);
    const applied = await migrate(database, printNotice);
    print(values.json ? JSON.stringify({ applied, pending: [] }) : applied.join('\n'));
    process.stderr.write(
      applied.length === 0 ? 'The database has the newest schema.\n' : `Applied: ${applied.length}.\n`,
    );
  });
}

/**
 * Texts for the operator about the edition in force: this release can read it, rebuilds its index, cannot read it, or does not find its
 * file.
 */
const DIRECTORY = {
  read: 'this release reads the edition in force as it is',
  rebuilt:
    'this release rebuilds the index of the edition in force by itself, which takes minutes. Then its first instance is ready; instances of the release before serve meanwhile',
  'other release': 'this release cannot read the edition in force, which a later one made: import the edition again',
  'not here':
    'the file of the edition in force is not in this data folder: ask where it is, unless instances get it from the database',
} as const;

async function upgradeOfDirectory(database: Database, dataFolder: string): Promise<keyof typeof DIRECTORY | 'none'> {
  // Tables of an earlier release may lack newer columns. So only columns that are as old as their table are read here.
  const isThere = await database.schema.hasTable('directory_snapshots');
  const entry = isThere ? await findCurrentSnapshot(database) : undefined;
  if (!entry) return 'none';
  if (lacksFile(entry, dataFolder)) return 'not here';
  if (isOfOlderLayout(join(snapshotFolder(dataFolder), entry.file))) return 'rebuilt';
  return hasOtherLayout(entry, dataFolder) ? 'other release' : 'read';
}

function print(text: string): void {
  if (text !== '') process.stdout.write(`${text}\n`);
}
