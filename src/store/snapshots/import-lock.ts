// The lock that keeps two imports of one directory apart. It is held in the data folder, for all machines and containers that share that.
// With PostgreSQL, it is also held in the database, for all data folders that share that.

import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import type { Knex } from 'knex';
import { type Database, isPostgres } from '#store/database/connection.ts';

interface ImportLock {
  /** Throws `ImportLocked` if the lock in the database was lost with its connection, and another import has taken it since. */
  confirm(): Promise<void>;
  release(): Promise<void>;
}

/** Thrown when another process holds the lock. `holder` is `process 4711 on myhost`, or `unknown` if that cannot be known. */
export class ImportLocked extends Error {
  override name = 'ImportLocked';
  readonly holder: string;

  constructor(holder: string) {
    super(`the lock is held (${holder})`);
    this.holder = holder;
  }
}

const LOCK = 'directory-import';
/** Key of PostgreSQL's advisory lock: "hygi" and "impo" in ASCII. */
const ADVISORY = [0x68796769, 0x696d706f] as const;

/** Takes the lock, or throws `ImportLocked` at once. The lock ends with the process, however the process ends. */
export async function takeImportLock(dataFolder: string, database: Database): Promise<ImportLock> {
  const unlockFolder = lockFolder(dataFolder, LOCK);
  try {
    let held = isPostgres(database) ? await lockDatabase(database) : undefined;
    return {
      async confirm() {
        const alive = await held?.transaction.raw('select 1').catch(() => undefined);
        if (!held || alive) return;
        await held.transaction.rollback().catch(() => {});
        held = await lockDatabase(database, held.session);
      },
      async release() {
        // If the commit fails, the connection is lost, and the lock with it.
        await held?.transaction.commit().catch(() => {});
        unlockFolder();
      },
    };
  } catch (error) {
    unlockFolder();
    throw error;
  }
}

/**
 * Locks the data folder for a purpose by an open transaction on an empty SQLite file. The system releases the lock when the process dies. A
 * process number in a file could not promise that: numbers are given again, and a container does not see those of another.
 */
export function lockFolder(dataFolder: string, name: string): () => void {
  mkdirSync(dataFolder, { recursive: true });
  const file = join(dataFolder, `${name}.lock`);
  const holder = join(dataFolder, `${name}.holder`);
  // SQLite itself handles a second attempt in this process. It delays closing the second file, because that would release the system's lock
  // of the first one.
  const lock = new BetterSqlite3(file, { timeout: 0 });
  try {
    begin(lock, file);
  } catch (error) {
    lock.close();
    throw (error as { code?: string }).code === 'SQLITE_BUSY' ? new ImportLocked(readHolder(holder)) : error;
  }
  writeFileSync(holder, self());
  return () => {
    if (!lock.open) return;
    rmSync(holder, { force: true });
    lock.close();
  };
}

// No journal is needed, because nothing is ever written.
const BEGIN = 'pragma journal_mode = memory; begin exclusive';

function begin(lock: BetterSqlite3.Database, file: string): void {
  try {
    lock.exec(BEGIN);
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_NOTADB') throw error;
    // Somebody wrote into the file. It can be emptied, because nobody can hold a lock on a file that is not a database.
    truncateSync(file);
    lock.exec(BEGIN);
  }
}

function readHolder(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim() || 'unknown';
  } catch {
    return 'unknown';
  }
}

interface HeldLock {
  transaction: Knex.Transaction;
  /** Process number of the session at the server. */
  session: number;
}

// The lock belongs to the transaction, not to the session, so that it survives connection poolers that assign connections by transaction.
async function lockDatabase(database: Database, lost?: number): Promise<HeldLock> {
  const transaction = await database.transaction();
  // If a transaction could not begin, Knex tells the reason only by this promise.
  if (transaction.isCompleted()) await transaction.executionPromise;
  try {
    await transaction.raw('set local idle_in_transaction_session_timeout = 0');
    const { rows } = await transaction.raw(
      'select pg_try_advisory_xact_lock(?, ?) as taken, pg_backend_pid() as session',
      [...ADVISORY],
    );
    if (!rows[0].taken) throw await lockedBy(transaction, lost);
    await transaction.raw("select set_config('application_name', ?, true)", [`${HOLDS}${self()}`]);
    return { transaction, session: rows[0].session };
  } catch (error) {
    await transaction.rollback().catch(() => {});
    throw error;
  }
}

const HOLDS = 'hygie import, ';

/** Code of PostgreSQL for `connection_failure`, which passes by itself. */
const CONNECTION_FAILURE = '08006';

/** Returns the error for a held lock. Until the server notices that a connection is lost, that connection still holds its lock. */
async function lockedBy(transaction: Knex.Transaction, lost: number | undefined): Promise<Error> {
  const { rows } = await transaction.raw(
    `select application_name, pid from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and classid = ? and objid = ? and granted
       and database = (select oid from pg_database where datname = current_database())`,
    [...ADVISORY],
  );
  const { application_name: name, pid } = rows[0] ?? {};
  if (lost !== undefined && pid === lost) {
    // The server may notice only after hours, as behind a firewall that forgets idle connections. A role may end its own sessions. The name
    // is compared as well, because after a fail-over another server gives the same numbers. PostgreSQL cuts a long name.
    if (`${HOLDS}${self()}`.startsWith(name) && name.startsWith(HOLDS))
      await transaction.raw('select pg_terminate_backend(?)', [pid]).catch(() => {});
    const text = 'the lost connection of this import still holds the lock of imports in the database';
    return Object.assign(new Error(text), { code: CONNECTION_FAILURE });
  }
  return new ImportLocked(typeof name === 'string' && name.startsWith(HOLDS) ? name.slice(HOLDS.length) : 'unknown');
}

function self(): string {
  return `process ${process.pid} on ${hostname()}`;
}
