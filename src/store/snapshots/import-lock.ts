// The lock that prevents two imports of one directory at the same time. It is held in the data folder, against imports of all machines and
// containers that share the folder. With PostgreSQL, it is also held in the database, against imports with other data folders that share
// the database.

import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import type { Knex } from 'knex';
import { type Database, isPostgres } from '#store/database/connection.ts';

interface ImportLock {
  /**
   * Throws `ImportLocked` if the lock in the database was lost with its connection and another import has taken the lock since. If nobody
   * has taken it, it is taken again.
   */
  confirm(): Promise<void>;
  release(): Promise<void>;
}

/** Thrown when another process holds the lock. `holder` is for example `process 4711 on myhost`, or `unknown`. */
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

/**
 * Takes the lock, or throws `ImportLocked` at once if another process holds it. The lock ends with the process, however the process ends.
 */
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
        // If the commit fails, the connection is lost. Then the lock has ended with it, so the error does not matter.
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
 * Locks the data folder for one purpose, which `name` names. The lock is an open transaction on an empty SQLite file, so the system
 * releases it when the process dies. A process number in a file would be no safe lock, because numbers are given again, and a container
 * does not see the processes of another container. Returns the function that unlocks.
 */
export function lockFolder(dataFolder: string, name: string): () => void {
  mkdirSync(dataFolder, { recursive: true });
  const file = join(dataFolder, `${name}.lock`);
  const holder = join(dataFolder, `${name}.holder`);
  // If this process already holds the lock, SQLite itself refuses a second one. Closing the file that was opened for the second one could
  // release the first one too, because the system keeps locks by process, not by open file. SQLite prevents this: it closes that file
  // later.
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

// The transaction needs no journal, because nothing is ever written.
const BEGIN = 'pragma journal_mode = memory; begin exclusive';

function begin(lock: BetterSqlite3.Database, file: string): void {
  try {
    lock.exec(BEGIN);
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_NOTADB') throw error;
    // Somebody wrote into the file. It may be emptied, because nobody can hold a lock on a file that is not a database.
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
  /** Number of the server process that serves the connection. */
  session: number;
}

// The lock belongs to the transaction, not to the session, because a connection pooler may assign another session to each transaction.
async function lockDatabase(database: Database, lost?: number): Promise<HeldLock> {
  const transaction = await database.transaction();
  // If a transaction could not begin, Knex reports the reason only by rejecting this promise.
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

/** PostgreSQL's code for `connection_failure`. An error with this code passes by itself, so the caller tries again. */
const CONNECTION_FAILURE = '08006';

/**
 * Returns the error to throw when the lock is held. If the holder is the lost connection of this process, which the server still thinks
 * alive, the error is one that passes by itself.
 */
async function lockedBy(transaction: Knex.Transaction, lost: number | undefined): Promise<Error> {
  const { rows } = await transaction.raw(
    `select application_name, pid from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and classid = ? and objid = ? and granted
       and database = (select oid from pg_database where datname = current_database())`,
    [...ADVISORY],
  );
  const { application_name: name, pid } = rows[0] ?? {};
  if (lost !== undefined && pid === lost) {
    // The server may notice the loss only after hours, for example behind a firewall that forgets idle connections. So the lost session is
    // ended here; a role may end its own sessions. The name is compared as well, because after a fail-over another server may have given
    // the same number to another process. Only the beginning is compared, because PostgreSQL cuts a long name.
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
