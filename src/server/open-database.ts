// Opens the database for a command, checks its schema, and closes it at the end.

import { existsSync } from 'node:fs';
import { loadSettings } from '#config/index.ts';
import type { Settings } from '#config/settings.ts';
import { redactText } from '#shared/log/redaction.ts';
import { hygie, printNotice, Refusal } from '#shared/operator-messages.ts';
import { hostsOf, parseAddresses } from '#shared/postgres-url.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { isUnused, migrate, migrationStatus, refusePending } from '#store/database/migrate.ts';
import { refuseUnfinishedRestore } from './backup/unfinished-restore.ts';
import { databaseRemedy } from './database-remedy.ts';
import { keepPrivate } from './private-data-folder.ts';
import { awaitDatabase } from './start/connect-database.ts';
import { refuseForeignDatabase } from './start/fictional-people.ts';
import { secureKeys } from './start/secure-keys.ts';

export type Work<Result> = (database: Database, settings: Settings) => Promise<Result>;

/**
 * Runs `work` with the database, whatever version its schema has. Before that, makes the data folder private. Throws a `Refusal` if a
 * restore in this folder is unfinished, or if the database does not answer.
 */
export async function withDatabase<Result>(work: Work<Result>): Promise<Result> {
  const settings = await loadSettings(process.env);
  refuseUnfinishedRestore(settings.dataFolder);
  return withOpenDatabase(settings, (database) => {
    keepPrivate(settings, printNotice);
    return work(database, settings);
  });
}

/** The statement before a message of the database that an operator can do something about. */
const OF_KNEX = /^.* - (?=permission denied|could not |cannot execute |database or disk is full)/s;

/** Does the same as `withDatabase` with settings that are loaded already, but does nothing with the data folder. */
export async function withOpenDatabase<Result>(
  settings: Pick<Settings, 'database'>,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  let database: Database | undefined;
  try {
    database = openDatabase(settings.database);
    return await work(database);
  } catch (error) {
    const remedy = databaseRemedy(error, settings.database);
    if (remedy !== undefined) {
      const { code = 'TLS', message } = error as { code?: string; message: string };
      // PostgreSQL's own error codes begin with a digit, so a code with a digit shows that PostgreSQL answered. Knex puts the SQL statement
      // before the message of the database. The statement does not help an operator, so it is cut off.
      const verb = /^(\d|SQLITE_FULL)/.test(code) ? 'refuses' : 'does not answer';
      const said = message.replace(OF_KNEX, '');
      throw new Refusal(
        `The database ${verb} (${code}): ${redactText(said || nameOf(settings.database))}\nRemedy: ${remedy}`,
      );
    }
    throw error;
  } finally {
    await database?.destroy();
  }
}

/** How a command uses the database. */
export interface Access {
  writes?: boolean;
  /** True if an operator may run the command before the first start. Then a missing or empty database is created. */
  creates?: boolean;
  /**
   * True if the command waits while PostgreSQL does not let it in yet, for example because PostgreSQL is starting. The service does the
   * same at its start.
   */
  waits?: boolean;
  /**
   * True for a trial run, which creates no database. With `creates`, it uses an empty database in memory in place of a missing or empty
   * one. With `dryRun`, `writes` has no effect, and `work` must not write.
   */
  dryRun?: boolean | undefined;
}

/**
 * Does the same as `withDatabase`, but refuses a database with an older schema: an older release may be running on it, and an upgrade needs
 * a backup first. Refuses a missing or empty database, too. But if `creates` is set, it fills such a database like a first start, and tells
 * the operator where the database is.
 *
 * If `writes` is set, it first prints the name of the database. If the command runs without the variables of the service, it would use
 * another database, and the operator can see that by the name. With `writes`, it also refuses some databases: in production the database of
 * a sandbox, and in a sandbox a database that has other data already.
 */
export async function withCurrentDatabase<Result>(work: Work<Result>, access: Access = {}): Promise<Result> {
  const { writes = false, creates = false, waits = false, dryRun = false } = access;
  const settings = await loadSettings(process.env);
  refuseUnfinishedRestore(settings.dataFolder);
  if (isAbsent(settings.database) && dryRun && creates) return inMemory((database) => work(database, settings));
  if (isAbsent(settings.database) && !creates) throw emptyDatabase(settings);
  if (waits) await awaitDatabase(settings, { warn: printNotice });
  return withOpenDatabase(settings, async (database) => {
    keepPrivate(settings, printNotice);
    const { applied, pending } = await migrationStatus(database);
    if (creates && pending.length > 0 && (await isUnused(database))) {
      if (dryRun) return inMemory((empty) => work(empty, settings));
      return work(database, await createDatabase(database, settings));
    }
    if (applied.length === 0) throw emptyDatabase(settings);
    refusePending(pending);
    if (writes && !dryRun) {
      printDatabase(settings);
      await refuseForeignDatabase(database, settings);
    }
    return work(database, settings);
  });
}

function inMemory<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  return withOpenDatabase({ database: { engine: 'sqlite', file: ':memory:' } }, async (database) => {
    await migrate(database);
    return work(database);
  });
}

/** Creates schema and keys like the first start. Resolves with the settings, which now also have the secret that encrypts the keys. */
async function createDatabase(database: Database, settings: Settings): Promise<Settings> {
  await migrate(database, printNotice);
  printNotice(`a new database was made at ${nameOf(settings.database)} (${settings.mode})`);
  await refuseForeignDatabase(database, settings);
  const say = (details: object, message: string) => printNotice([message, ...Object.values(details)].join(': '));
  return secureKeys(database, settings, { info: say, warn: say });
}

/** Checks whether the database is a file that does not exist. Opening such a file would create it. */
export function isAbsent(database: Settings['database']): boolean {
  return database.engine === 'sqlite' && !existsSync(database.file);
}

/** Prints the database to which a command writes. */
export function printDatabase({ database, mode }: Pick<Settings, 'database' | 'mode'>): void {
  printNotice(`database: ${nameOf(database)} (${mode})`);
}

function emptyDatabase({ database }: Pick<Settings, 'database'>): Refusal {
  return new Refusal([
    `The database at ${nameOf(database)} is empty.`,
    'Remedy: set HYGIE_DATA (or DATABASE_URL) as for the service. A new one is made by the first start, by',
    `accounts add or import, by directory import, and by ${hygie('migrate')}`,
  ]);
}

// Names the database without its user, password and parameters. Parameters are left out because they may hold a password, too.
function nameOf(database: Settings['database']): string {
  if (database.engine === 'sqlite') return database.file;
  const urls = parseAddresses(database.url);
  return urls ? `${urls[0].protocol}//${hostsOf(urls)}${urls[0].pathname}` : 'DATABASE_URL';
}
