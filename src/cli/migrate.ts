// The command `migrate`: brings the database to the newest schema, or lists the missing migrations.

import { loadSettings } from '#config/index.ts';
import { isAbsent, printDatabase, withDatabase, withOpenDatabase } from '#server/open-database.ts';
import { printNotice } from '#shared/print-notice.ts';
import { migrate, migrationStatus } from '#store/database/migrate.ts';
import { action, type Command, flag, type Values } from './support/command.ts';

const OPTIONS = {
  status: flag('Prints what is applied and what is pending; changes nothing.'),
  json: flag('Prints one JSON object: { "applied": [...], "pending": [...] }.'),
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

async function bringUpToDate(values: Values<typeof OPTIONS>): Promise<number> {
  if (values.status) {
    const { database } = await loadSettings(process.env);
    // An absent database lacks the same migrations as an empty one. A look must not create it.
    const looked = isAbsent(database) ? { engine: 'sqlite' as const, file: ':memory:' } : database;
    const status = await withOpenDatabase({ database: looked }, migrationStatus);
    const lines = [
      ...status.applied.map((name) => `applied  ${name}`),
      ...status.pending.map((name) => `pending  ${name}`),
    ];
    print(values.json ? JSON.stringify(status) : lines.join('\n'));
    return 0;
  }
  return withDatabase(async (database, settings) => {
    printDatabase(settings);
    const applied = await migrate(database, printNotice);
    print(values.json ? JSON.stringify({ applied, pending: [] }) : applied.join('\n'));
    process.stderr.write(
      applied.length === 0 ? 'The database has the newest schema.\n' : `Applied: ${applied.length}.\n`,
    );
    return 0;
  });
}

function print(text: string): void {
  if (text !== '') process.stdout.write(`${text}\n`);
}
