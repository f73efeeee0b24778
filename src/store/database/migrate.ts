// Brings the schema to its newest version. Several instances may start at the same time, and a process may be killed at any moment.
// `migration-source.ts` tells whether a database is too old or too new; `server/backup/manifest.ts` refuses backups of such databases.

import { setTimeout } from 'node:timers/promises';
import { counted, hygie, Refusal } from '#shared/operator-messages.ts';
import { type Database, isPostgres } from './connection.ts';
import { migrationNames, readMigration, unknownMigrations } from './migration-source.ts';

// These tables have the names and columns that Knex gives them, so that the Knex command line works.
const APPLIED = 'knex_migrations';
const LOCK = 'knex_migrations_lock';

/** Milliseconds between two tries while another process migrates, or holds a table. */
const PAUSE = 500;
/**
 * Maximum milliseconds of waiting for Knex' own lock. The wait is short, because the lock remains when its owner is killed, and then no
 * wait would be long enough.
 */
const FOREIGN_LOCK = 30_000;
/**
 * Maximum milliseconds of waiting for locks of the database itself. The wait may be long, because such a lock ends with its owner, and
 * because a backup holds such locks while it reads all tables.
 */
const IN_USE = 600_000;

/**
 * Error codes of a lock that somebody else holds. On PostgreSQL: a lock that was not available in time, or a deadlock. On SQLite: another
 * writer.
 */
const HELD = /^(55P03|40P01|SQLITE_BUSY.*)$/;

/**
 * Applies the missing migrations and returns their names. Each migration is one transaction, which also locks the row of Knex' lock. So
 * other instances, older releases and the Knex command line wait, and a killed process leaves nothing behind. `waiting` is called at the
 * beginning of each wait for another process. Throws a `Refusal` if a newer release or a version before 1.0.0 has migrated the database, or
 * if the migration of another process does not end.
 */
export async function migrate(database: Database, waiting: (reason: string) => void = () => {}): Promise<string[]> {
  const applied: string[] = [];
  let since: number | undefined;
  for (;;) {
    const outcome = await tryNext(database);
    if (outcome === undefined) return applied;
    if ('name' in outcome) {
      if (outcome.name !== undefined) applied.push(outcome.name);
      since = undefined;
      continue;
    }
    const now = performance.now();
    if (since === undefined) waiting(REASONS[outcome.held]);
    since ??= now;
    if (now - since > (outcome.held === 'foreign' ? FOREIGN_LOCK : IN_USE)) throw new Refusal(REFUSALS[outcome.held]);
    await setTimeout(PAUSE);
  }
}

const REASONS = {
  foreign: 'the Knex command line or an older release migrates the database: waiting for it',
  busy: 'another process migrates the database or reads all of it, as for a backup: waiting for it',
} as const;

const REFUSALS = {
  foreign: [
    'The lock of the migrations is taken: the Knex command line or an older release migrates the database, or was killed while it did.',
    'Remedy: wait until it has ended. If none of them runs: npx knex migrate:unlock',
  ],
  busy: [
    `Another process has held the tables of the database for ${IN_USE / 60_000} minutes: a migration, or a backup.`,
    'Remedy: wait until it has ended, and start again.',
  ],
};

/**
 * Result of one try to apply the next migration: the migration's name, or the kind of lock that is in the way. The name is undefined if
 * another instance has applied the last missing migration during the try. The whole result is undefined if no migration was missing before
 * the try.
 */
type Try = { name: string | undefined } | { held: keyof typeof REASONS } | undefined;

async function tryNext(database: Database): Promise<Try> {
  try {
    await makeMigrationTables(database);
    const { pending } = await migrationStatus(database);
    return pending.length === 0 ? undefined : await applyNext(database);
  } catch (error) {
    if (HELD.test(String((error as { code?: unknown }).code))) return { held: 'busy' };
    throw error;
  }
}

function applyNext(database: Database): Promise<Try> {
  return database.transaction(async (transaction) => {
    await limitWaiting(transaction);
    // This update changes nothing. But it locks PostgreSQL's row, or SQLite's file, until the transaction ends.
    const free = await transaction(LOCK).where({ is_locked: 0 }).update({ is_locked: 0 });
    if (free === 0) return { held: 'foreign' };
    const [name] = (await migrationStatus(transaction)).pending;
    if (name === undefined) return { name };
    const { up } = await readMigration(name);
    await up(transaction);
    const last = await transaction(APPLIED).max('batch as batch').first();
    await transaction(APPLIED).insert({ name, batch: Number(last?.batch ?? 0) + 1, migration_time: new Date() });
    return { name };
  });
}

/**
 * Limits the waiting in this transaction on PostgreSQL. It waits for a lock for half a second at most: requests to running instances queue
 * behind a lock that somebody waits for, and PostgreSQL starts a costly search for deadlocks after a whole second. Between its statements,
 * the transaction may be idle for a minute at most, because the server does not learn that the machine of its client has vanished.
 */
async function limitWaiting(transaction: Database): Promise<void> {
  if (!isPostgres(transaction)) return;
  await transaction.raw(
    `set local lock_timeout = '500ms'; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = '60s'`,
  );
}

/** Key of the advisory lock that `makeMigrationTables` takes on PostgreSQL: "hygi" and "migr" in ASCII. */
const ADVISORY = [0x68796769, 0x6d696772] as const;

/**
 * Creates the tables in which Knex records applied migrations, if they are missing. Knex itself creates them without a lock. So if two
 * instances started with an empty database, one would fail, or both would add a row to the table of Knex' lock, and then nobody could take
 * that lock again.
 */
export async function makeMigrationTables(database: Database): Promise<void> {
  if (await database.schema.hasTable(LOCK)) return;
  await database.transaction(async (transaction) => {
    await limitWaiting(transaction);
    // SQLite needs no lock: it has one writer at a time, and IfNotExists leaves existing tables alone.
    if (isPostgres(database)) await transaction.raw('select pg_advisory_xact_lock(?, ?)', [...ADVISORY]);
    await transaction.schema.createTableIfNotExists(APPLIED, (table) => {
      table.increments();
      table.string('name');
      table.integer('batch');
      table.timestamp('migration_time');
    });
    await transaction.schema.createTableIfNotExists(LOCK, (table) => {
      table.increments('index').primary();
      table.integer('is_locked');
    });
    await transaction.raw(`insert into ${LOCK} (is_locked) select 0 where not exists (select 1 from ${LOCK})`);
  });
}

interface MigrationStatus {
  applied: string[];
  pending: string[];
}

/**
 * Lists the applied migrations in their order, and the missing ones. Changes nothing. Throws a `Refusal` if a newer release or a version
 * before 1.0.0 has migrated the database.
 */
export async function migrationStatus(database: Database): Promise<MigrationStatus> {
  const names = migrationNames();
  const applied: string[] = (await database.schema.hasTable(APPLIED))
    ? await database(APPLIED).orderBy('id').pluck('name')
    : [];
  refuseUnknown(applied);
  return { applied, pending: names.filter((name) => !applied.includes(name)) };
}

// Refuses a database with migrations that this release does not know. Knex would only say that its folder of migrations is corrupt. And an
// older release must not run on a newer schema, because it would ignore what newer migrations added, such as the end of sessions.
function refuseUnknown(applied: readonly string[]): void {
  const { early, newer } = unknownMigrations(applied);
  if (early.length > 0) {
    throw new Refusal([
      'A version before 1.0.0 made this database, and no release can upgrade it.',
      'Remedy: set HYGIE_DATA or DATABASE_URL to an empty place, and add the accounts and the directory again.',
    ]);
  }
  if (newer.length === 0) return;
  throw new Refusal([
    `A newer release has migrated the database: this one does not know ${newer.join(', ')}.`,
    'Remedy: use that release here too, or restore the backup from before the upgrade.',
  ]);
}

/**
 * Throws a `Refusal` if migrations are missing. Commands that need the current schema call it, because only the command `migrate` and the
 * start of the service apply migrations.
 */
export function refusePending(pending: readonly string[]): void {
  if (pending.length === 0) return;
  throw new Refusal(
    `The database lacks ${counted(pending.length, 'migration')}.\nRemedy: run \`${hygie('migrate')}\` first.`,
  );
}

/**
 * Checks whether a database has never held anything. This is also true while another process is creating the tables, and after a process
 * was killed while it created them.
 */
export async function isUnused(database: Database): Promise<boolean> {
  for (const table of ['accounts', 'directory_snapshots', 'service_keys']) {
    if (!(await database.schema.hasTable(table))) continue;
    const rows = database(table);
    // The row `lock` does not matter, because the first migration inserts it.
    if (await (table === 'service_keys' ? rows.whereNot({ purpose: 'lock' }) : rows).first()) return false;
  }
  return true;
}
