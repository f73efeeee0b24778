// Keeps SQLite's database file and its write-ahead log small: moves commits from the log into the database file, and returns the space of
// removed rows to the file system (PostgreSQL's autovacuum does that by itself). A separate thread moves commits, because the file system
// takes milliseconds to flush. If the serving thread did it, a request to authorize with the request to token after it would take 2.2
// instead of 1.5 ms of processor time, and three times as long at the 99th percentile.

import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type BetterSqlite3 from 'better-sqlite3';
import { type Database, isPostgres } from './connection.ts';

/** Milliseconds between two checkpoints. */
const EVERY = 500;
/**
 * Pages beyond which the log is restarted (16 MiB). Under constant writing, the log is never moved as a whole, and would grow for ever.
 * Writers wait for the restart, so everything that can be moved without making them wait is moved first. The service then takes its own
 * connection from the pool. So its statements wait in the pool's queue. If they waited in SQLite, the whole process would stand still.
 */
const LONGEST_LOG = 4096;
/**
 * Milliseconds for which a restart waits for readers, while writers wait for the restart. If readers take longer, or the pool has no
 * connection to give, the next try is made after PAUSE milliseconds.
 */
const WAIT = 50;
const PAUSE = 10_000;

// The path is resolved here, because the thread's program would look for the package from the working folder, which may be outside the
// installation.
const ENGINE = createRequire(import.meta.url).resolve('better-sqlite3');

const program = `
  const { workerData, parentPort } = require('node:worker_threads');
  const { file, engine, every, longest, wait, pause } = workerData;
  const database = new (require(engine))(file, { timeout: wait });
  database.pragma('synchronous = NORMAL');
  const move = (how) => database.pragma('wal_checkpoint(' + how + ')')[0];
  let next = 0;
  const timer = setInterval(() => {
    try {
      if (move('PASSIVE').log <= longest || performance.now() < next) return;
      move('PASSIVE');
      next = performance.now() + pause;
      parentPort.postMessage('moved');
    } catch { /* The database is busy: the next checkpoint does the work. */ }
  }, every);
  const restart = () => {
    try {
      if (!move('RESTART').busy) next = 0;
    } catch { /* The next try does the work. */ }
    parentPort.postMessage('restarted');
  };
  const end = () => {
    clearInterval(timer);
    parentPort.close();
    database.close();
  };
  parentPort.on('message', (message) => (message === 'restart' ? restart() : end()));
`;

/**
 * Checkpoints the database in this file until stopped, and so keeps the log short. If the thread that does this dies, the connections
 * checkpoint by themselves, but only once the log is far longer.
 * @param database the connection of this process to the file
 * @param onEnd called with the reason if the thread dies
 */
export function startCheckpoints(
  { client }: Database,
  file: string,
  onEnd: (error: Error) => void = () => {},
): { stop(): Promise<void> } {
  const workerData = { file, engine: ENGINE, every: EVERY, longest: LONGEST_LOG, wait: WAIT, pause: PAUSE };
  const worker = new Worker(program, { eval: true, workerData });
  // An error ends the thread. From then on, the connections checkpoint by themselves: slower, but nothing is lost.
  worker.on('error', onEnd);
  const ended = once(worker, 'exit').then(
    () => {},
    () => {},
  );
  const holdForRestart = async () => {
    const connection = await client.acquireConnection();
    worker.postMessage('restart');
    await Promise.race([once(worker, 'message'), ended]).catch(() => {});
    client.releaseConnection(connection);
  };
  worker.on('message', (message) => {
    if (message === 'moved') holdForRestart().catch(() => {});
  });
  worker.unref();
  return {
    stop: () => {
      // Until now, the thread has not kept the process alive. From here on it does, so that the process does not end before the thread has
      // closed the database.
      worker.ref();
      worker.postMessage('stop');
      return ended;
    },
  };
}

/** Free pages that stay in the file for new data: 8 MiB, or KEPT_SHARE of the file if that is more. */
const KEPT_PAGES = 2048;
const KEPT_SHARE = 0.1;

/**
 * Makes a function that gives at most `most` free pages of the file back to the file system. It moves pages from the end of the file to
 * free places, and truncates the file. It resolves with the number of pages by which the file shrank. That is 0 if no more pages are free
 * than should stay, or if `auto_vacuum = incremental` was not set before the first table of the file (`connection.ts`).
 */
export function openPageRelease(database: Database): (most: number) => Promise<number> {
  if (isPostgres(database)) return async () => 0;
  const { client } = database;
  return async (most) => {
    const connection: BetterSqlite3.Database = await client.acquireConnection();
    try {
      const count = (name: string) => Number(connection.pragma(name, { simple: true }));
      const free = count('freelist_count');
      const pages = count('page_count');
      const excess = Math.floor(free - Math.max(KEPT_PAGES, pages * KEPT_SHARE));
      if (excess <= 0) return 0;
      // `exec` runs this pragma to its end; a query would stop after one page.
      connection.exec(`pragma incremental_vacuum(${Math.min(most, excess)})`);
      return pages - count('page_count');
    } finally {
      client.releaseConnection(connection);
    }
  };
}
