// Watches a folder. Decides when its files are complete, when they are imported, and when an import is tried again.

import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isIncoming, newestByName } from '#import/sources/newest-editions.ts';

/** The outcome of one attempt to import the files. */
export type LoadOutcome =
  /** The files were imported, or an earlier import has already brought their content into the FHIR directory. */
  | { kind: 'done' }
  /** The import refused the files. They are tried again when the files or the limits have changed. */
  | { kind: 'refused' }
  /** Another import is running, so the files are tried again at the next check of the folder. `holder` describes the other import. */
  | { kind: 'busy'; holder: string }
  /** The machine failed and not the files, so they are tried again after a pause. */
  | { kind: 'failed' };

interface WatchLog {
  info(entry: object, message: string): void;
  warn(entry: object, message: string): void;
  error(entry: object, message: string): void;
}

interface WatchOptions {
  folder: string;
  /** The files of the folder are taken as complete when nothing has changed in the folder for this number of milliseconds. */
  settleMs: number;
  /** Imports the files and logs the outcome. `signal` is the signal that ends the watch. */
  load(paths: readonly string[], signal: AbortSignal): Promise<LoadOutcome>;
  /**
   * Returns a text that changes whenever the settings change. If the text has changed, refused files are tried again, because the settings
   * contain the limits of the import.
   */
  limitsVersion(): Promise<string>;
  log: WatchLog;
  /** Ends the watch. */
  signal: AbortSignal;
  /** Milliseconds between two checks of the folder. The default is a sixth of `settleMs`, but at least 50 ms and at most 10 s. */
  lookMs?: number;
  /** Milliseconds before a failed import is tried again. The default is a minute. The pause doubles after each failure, up to an hour. */
  retryMs?: number;
}

/** Log message about files with an impossible date. The log entry has the names and the problems of the files. */
export const IMPLAUSIBLE = 'files with an impossible date are passed over: name them as they are published';

const LONGEST_LOOK = 10_000;
const SHORTEST_LOOK = 50;
const LONGEST_RETRY = 3_600_000;

/**
 * Returns the milliseconds between two checks of the folder. The folder is checked regularly, because network folders do not report
 * changes.
 */
function lookEvery(settleMs: number): number {
  return Math.min(LONGEST_LOOK, Math.max(SHORTEST_LOOK, Math.floor(settleMs / 6)));
}

interface Attempt {
  stamps: ReadonlyMap<string, string>;
  limitsVersion: string;
  outcome: LoadOutcome['kind'];
  /** The time of the next attempt, on the clock of `performance.now()`. Infinite unless the last attempt failed. */
  retryAt: number;
}

/** Watches the folder until the signal is aborted. Never rejects: an error is logged, and the next check tries again. */
export async function watchFolder(options: WatchOptions): Promise<void> {
  const { folder, settleMs, load, limitsVersion, log, signal, retryMs = 60_000 } = options;
  const { lookMs = lookEvery(settleMs) } = options;
  let seen: string | undefined;
  let changedAt = 0;
  let last: Attempt | undefined;
  let pause = retryMs;
  /** The text that was last logged about each topic. So a state that lasts is logged only once. */
  const logged = new Map<string, string>();
  const logOnce = (topic: string, text: string, write: () => void) => {
    if (logged.get(topic) !== text) write();
    logged.set(topic, text);
  };

  /** Tells whether nothing has changed in the folder for `settleMs` milliseconds. Logs that it changes. */
  const isQuiet = (files: readonly WatchedFile[]): boolean => {
    const everything = stampOf(files);
    if (everything !== seen) {
      if (seen !== undefined) {
        logOnce('changed', folder, () => log.info({ folder }, 'the watched folder changes: waiting until it is quiet'));
      }
      seen = everything;
      changedAt = performance.now();
    }
    if (performance.now() - changedAt < settleMs) return false;
    logged.delete('changed');
    return true;
  };

  /** Leaves out links that lead to no file, and logs their names. */
  const withoutDangling = (files: readonly WatchedFile[]): WatchedFile[] => {
    const dangling = files.filter((file) => file.dangling).map(({ name }) => name);
    if (dangling.length === 0) logged.delete('links');
    else
      logOnce('links', dangling.join('\n'), () =>
        log.warn({ files: dangling }, 'links that lead to no file are left out: repair or remove them'),
      );
    return files.filter((file) => !file.dangling);
  };

  /** Chooses the files of the newest editions, and logs which files have an impossible date. */
  const newest = (files: readonly WatchedFile[]) => {
    const chosen = newestByName(withoutDangling(files.filter(({ incoming }) => !incoming)));
    const { implausible } = chosen;
    if (implausible.length > 0) {
      const names = implausible.map(({ name }) => name);
      const reasons = implausible.map(({ name, fault }) => `${name}: ${fault}`);
      logOnce('implausible', names.join('\n'), () => log.warn({ files: reasons }, IMPLAUSIBLE));
    }
    return chosen;
  };

  /** Returns the time of the next attempt after an attempt with this outcome. Sets the pause that follows the next attempt. */
  const retryAfter = (outcome: LoadOutcome['kind']): number => {
    if (outcome !== 'failed') {
      pause = retryMs;
      return Number.POSITIVE_INFINITY;
    }
    const retryAt = performance.now() + pause;
    if (!signal.aborted) {
      log.warn({ seconds: Math.round(pause / 1000) }, 'the same files are tried again after a pause');
    }
    pause = Math.min(2 * pause, LONGEST_RETRY);
    return retryAt;
  };

  const look = async () => {
    const files = await listWatched(folder);
    if (logged.delete('folder')) log.info({ folder }, 'the watched folder can be read again');
    if (!isQuiet(files)) return;
    const { taken, older } = newest(files);
    if (taken.length === 0) return;
    const limits = await limitsVersion();
    if (last && isDone(last, taken, limits)) return;
    if (older.length > 0) {
      const names = older.map(({ name }) => name);
      logOnce('older', names.join('\n'), () => log.info({ files: names }, 'files of older editions are passed over'));
    }
    const paths = taken.map(({ path }) => path);
    const outcome = await load(paths, signal);
    if (outcome.kind === 'busy') {
      logOnce('busy', outcome.holder, () =>
        log.warn({ holder: outcome.holder }, 'another import is under way: waiting until it has ended'),
      );
      return;
    }
    logged.delete('busy');
    const retryAt = retryAfter(outcome.kind);
    last = { stamps: stampsOf(taken), limitsVersion: limits, outcome: outcome.kind, retryAt };
  };

  log.info({ folder, settleSeconds: settleMs / 1000 }, 'watching for new editions');
  while (!signal.aborted) {
    await look().catch((error: Error) => {
      seen = undefined;
      logOnce('folder', error.message, () => log.error({ reason: error.message }, 'the watched folder cannot be read'));
    });
    await setTimeout(lookMs, undefined, { signal }).catch(() => {});
  }
}

/**
 * Tells whether no new import is needed. After a successful import, none is needed as long as all files were part of it. After a refused or
 * failed import, none is needed as long as neither the files nor the limits have changed. But after a failure, a new import is needed as
 * soon as the pause is over.
 */
function isDone(last: Attempt, taken: readonly WatchedFile[], limits: string): boolean {
  if (performance.now() >= last.retryAt) return false;
  const known = taken.every(({ name, stamp }) => last.stamps.get(name) === stamp);
  if (last.outcome === 'done') return known;
  return known && taken.length === last.stamps.size && limits === last.limitsVersion;
}

function stampsOf(files: readonly WatchedFile[]): Map<string, string> {
  return new Map(files.map(({ name, stamp }) => [name, stamp]));
}

function stampOf(files: readonly WatchedFile[]): string {
  return files.map(({ name, stamp }) => `${name} ${stamp}\n`).join('');
}

interface WatchedFile {
  path: string;
  /** Path within the watched folder, with `/` as its separator. */
  name: string;
  /** A text that changes with the size, the modification time and the inode of the file. */
  stamp: string;
  /** True if the name of the file says that a program is still writing it. */
  incoming: boolean;
  /** True for a link if its target cannot be read at present. */
  dangling: boolean;
}

/** Lists the files of the folder and its sub-folders, and the links to files, sorted by name. Rejects if the folder cannot be read. */
async function listWatched(folder: string): Promise<WatchedFile[]> {
  const files: WatchedFile[] = [];
  const walk = async (within: string): Promise<void> => {
    for (const entry of await readdir(join(folder, within), { withFileTypes: true })) {
      const name = within === '' ? entry.name : `${within}/${entry.name}`;
      if (entry.isDirectory()) {
        // Hidden folders are left out, because they contain partial transfers, or snapshots of a file server. It is no error if a folder
        // disappears while it is listed.
        if (!entry.name.startsWith('.')) await walk(name).catch(ignore(GONE));
        continue;
      }
      const file = await watchedFile(join(folder, name), name, entry.isSymbolicLink());
      if (file) files.push(file);
    }
  };
  await walk('');
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Describes a file or a link. Undefined if it is something else, such as a link to a folder, or if it exists no more. */
async function watchedFile(path: string, name: string, isLink: boolean): Promise<WatchedFile | undefined> {
  const found = await stat(path).catch(ignore(isLink ? LEADS_NOWHERE : GONE));
  const dangling = !found && isLink;
  if (!found?.isFile() && !dangling) return undefined;
  const stamp = found ? `${found.size} ${found.mtimeMs} ${found.ino}` : 'nowhere';
  return { path, name, stamp, incoming: isIncoming(basename(name)), dangling };
}

/**
 * Error codes for a file that no longer exists. `ENAMETOOLONG` comes from deeply nested folders with paths that are too long for the
 * system.
 */
const GONE: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'];
/**
 * Error codes for a link that cannot be followed: its target does not exist, is the link itself, or may not be read by the service. The
 * link is then listed as dangling, and the other files are not affected.
 */
const LEADS_NOWHERE = [...GONE, 'ELOOP', 'EACCES'];

function ignore(codes: readonly unknown[]): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (!codes.includes(error.code)) throw error;
  };
}
