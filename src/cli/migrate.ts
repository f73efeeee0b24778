// The command `migrate`: brings the database to the newest schema, or lists the missing migrations.

import { loadSettings } from '#config/index.ts';
import { isAbsent, printDatabase, withCurrentDatabase, withDatabase, withOpenDatabase } from '#server/open-database.ts';
import { Refusal } from '#shared/operator-errors.ts';
import { printNotice } from '#shared/print-notice.ts';
import { migrate, migrationStatus } from '#store/database/migrate.ts';
import { rewrite } from '#store/database/vacuum.ts';
import { action, type Command, flag, type Values } from './support/command.ts';

const OPTIONS = {
  status: flag('Prints what is applied and what is pending; changes nothing.'),
  vacuum: flag(
    'Rewrites the SQLite file without the space that removed rows have left. Needed once for a file of an earlier release that is too large for the start to do so by itself (64 MiB); from then on the service gives space back while it runs. Stop the service first: nothing else can be written meanwhile. Takes a second or two per 100 MiB, and as much free space on the disk again.',
  ),
  json: flag('Prints one JSON object: { "applied": [...], "pending": [...] }.'),
} as const;

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Brings the database to the newest schema',
  action: action({
    forms: ['[--status] [--json]', '--vacuum'],
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
  if (values.vacuum) return vacuum();
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

function vacuum(): Promise<number> {
  return withCurrentDatabase(
    async (database, { database: place }) => {
      if (place.engine !== 'sqlite') {
        throw new Refusal('--vacuum is for SQLite. PostgreSQL does so by itself (autovacuum).');
      }
      const { before, after } = await rewrite(database, place.file);
      const mib = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
      printNotice(`Rewritten: ${mib(before)} MiB before, ${mib(after)} MiB now.`);
      return 0;
    },
    { writes: true },
  );
}

function print(text: string): void {
  if (text !== '') process.stdout.write(`${text}\n`);
}
