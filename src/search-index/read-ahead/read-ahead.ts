// Reads a snapshot file into the system's page cache before the file is searched. Other reads may displace parts of it from the cache
// later; these parts are read again as long as there is enough memory. A thread of its own does the reading.
// `store/snapshots/current-snapshot.ts` waits for the first reading before it switches to a new snapshot, and `server/readiness-checks.ts`
// waits for it before the service is ready. This file also calculates how much memory a snapshot file may take without displacing other
// data that is in use.

import { createReadStream, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { SMALL_FILE } from '#search-index/file-layout.ts';
import type { FromReadAhead, ToReadAhead } from './read-ahead-thread.ts';

export type ReadAheadEvent =
  /** The whole file was read. */
  | { event: 'read'; bytes: number; milliseconds: number }
  /** Part of the file had left memory, and was read again. */
  | { event: 'lost'; bytes: number; milliseconds: number }
  /** The file would take more than its share of the available memory, so it is not read, or is no longer kept in memory. */
  | { event: 'too-large'; bytes: number; available: number }
  | { event: 'failed'; error: string };

interface ReadAheadOptions {
  onEvent?(event: ReadAheadEvent): void;
  /** Milliseconds between two checks whether the file is still in memory; 30 000 by default. */
  everyMs?: number;
  /** Returns the bytes of available memory; by default, the number that the system reports. A file may take a share of them. */
  available?: () => number;
  /** A file of at most this many bytes is read without a thread and is not checked again; `SMALL_FILE` by default. */
  small?: number;
}

interface ReadAhead {
  /**
   * Reads a file into memory. From then on this file is kept there, and no longer the file that was read before. Never rejects: a failure
   * is reported as an event.
   */
  read(file: string): Promise<void>;
  /** Checks whether the file was the last one that was read into memory. Returns false once the available memory is too small for it. */
  holds(file: string): boolean;
  close(): Promise<void>;
}

/** The share of the available memory that a file may take. */
const SHARE = 0.8;
/**
 * Share of a file that may leave memory between two checks. If more has left, an event reports the loss, and the time until the next check
 * doubles.
 */
const WORTH_REPORTING = 0.02;
/** The time until the next check is at most this many times `everyMs`. */
const LONGEST = 32;

export function startReadAhead(options: ReadAheadOptions = {}): ReadAhead {
  const { onEvent = () => {}, everyMs = 30_000, available = availableMemory, small = SMALL_FILE } = options;
  const stop = new Int32Array(new SharedArrayBuffer(4));
  let thread: ReturnType<typeof startThread> | undefined;
  let kept: { file: string; bytes: number; reported: boolean } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let delay = 1;
  let held: string | undefined;

  const work = async (file: string, kind: ToReadAhead['work']) => {
    thread ??= startThread(() => {
      thread = undefined;
    });
    return thread.run({ file, work: kind, stop });
  };
  /** Checks whether a file fits into memory. If it does not, this is reported, but only once for each reading. */
  const fits = (one: { bytes: number; reported: boolean }): boolean => {
    const left = available();
    if (one.bytes <= left * SHARE) return true;
    held = undefined;
    if (!one.reported) onEvent({ event: 'too-large', bytes: one.bytes, available: left });
    one.reported = true;
    return false;
  };

  const keepWarm = () => {
    clearTimeout(timer);
    // A check that was running when `close` was called must not start another one.
    if (Atomics.load(stop, 0) !== 0) return;
    timer = setTimeout(() => void look().finally(keepWarm), everyMs * delay).unref();
  };
  const look = async () => {
    const one = kept;
    if (!one || !fits(one)) return;
    const done = await work(one.file, 'lost');
    if ('error' in done || one !== kept) return;
    held = one.file;
    const much = done.bytes > one.bytes * WORTH_REPORTING;
    if (much) onEvent({ event: 'lost', ...done });
    delay = much ? Math.min(LONGEST, delay * 2) : 1;
  };

  const read = async (file: string): Promise<void> => {
    const { size: bytes } = await stat(file);
    if (Atomics.load(stop, 0) !== 0) return;
    if (bytes <= small) {
      for await (const _ of createReadStream(file, { highWaterMark: 2 ** 20 }));
      [kept, held] = [undefined, file];
      return;
    }
    const one = { file, bytes, reported: false };
    if (fits(one)) {
      const done = await work(file, 'all');
      if (Atomics.load(stop, 0) !== 0) return;
      onEvent('error' in done ? { event: 'failed', error: done.error } : { event: 'read', ...done });
      held = 'error' in done ? undefined : file;
    }
    [kept, delay] = [one, 1];
    keepWarm();
  };

  return {
    read: (file) => read(file).catch((error: Error) => onEvent({ event: 'failed', error: error.message })),
    holds: (file) => file === held,
    async close() {
      Atomics.store(stop, 0, 1);
      clearTimeout(timer);
      kept = undefined;
      await thread?.end();
    },
  };
}

function startThread(ended: () => void) {
  const worker = new Worker(new URL('./read-ahead-thread.ts', import.meta.url));
  worker.unref();
  const exit = new Promise<FromReadAhead>((resolve) => {
    let message = 'the thread ended early';
    worker.on('error', (error) => {
      message = (error as Error).message;
    });
    worker.once('exit', () => {
      ended();
      resolve({ error: message });
    });
  });
  const run = (message: ToReadAhead): Promise<FromReadAhead> => {
    const { promise, resolve } = Promise.withResolvers<FromReadAhead>();
    worker.once('message', resolve);
    worker.postMessage(message);
    return Promise.race([promise, exit]);
  };
  // Each message waits for the answer to the previous one, so that answers cannot be mixed up.
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(message: ToReadAhead): Promise<FromReadAhead> {
      const next = last.then(() => run(message));
      last = next;
      return next;
    },
    async end() {
      await last;
      await worker.terminate();
    },
  };
}

/** Reads a text file. Returns an empty text if the file cannot be read. */
type ReadText = (file: string) => string;

const readText: ReadText = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/**
 * Returns the bytes of memory that files may take. On Linux this is the available memory of the machine (MemAvailable, which includes
 * memory that files take already). If the process has a control group with a limit, as in a container, the result is at most this limit
 * less the memory that the group uses for other purposes than files.
 */
export function availableMemory(read: ReadText = readText): number {
  const machine = /^MemAvailable:\s+(\d+) kB/m.exec(read('/proc/meminfo'))?.[1];
  const available = machine === undefined ? freemem() : Number(machine) * 1024;
  return Math.min(available, ...groupsOf(read('/proc/self/cgroup')).map((group) => leftIn(group, read)));
}

/**
 * A control group: its folder, the names of its files with the limit and the usage of memory, and a pattern for the memory of files in its
 * `memory.stat`. Names and pattern differ between version 2 and 1 (docs.kernel.org, cgroup-v2 and memcg).
 */
interface Group {
  folder: string;
  limit: string;
  usage: string;
  files: RegExp;
}

function groupsOf(own: string): Group[] {
  const v2 = { limit: 'memory.max', usage: 'memory.current', files: /^(?:in)?active_file (\d+)$/gm };
  const v1 = {
    limit: 'memory.limit_in_bytes',
    usage: 'memory.usage_in_bytes',
    files: /^total_(?:in)?active_file (\d+)$/gm,
  };
  const [, unified = '/'] = /^0::(\/.*)$/m.exec(own) ?? [];
  const [, memory = '/'] = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(\/.*)$/m.exec(own) ?? [];
  // The root is tried in addition to the path of the group. Inside a container, the group of the container is at the root, even if the path
  // is the one that the group has outside.
  return [
    ...['/', unified].map((path) => ({ ...v2, folder: join('/sys/fs/cgroup', path) })),
    ...['/', memory].map((path) => ({ ...v1, folder: join('/sys/fs/cgroup/memory', path) })),
  ];
}

function leftIn({ folder, limit, usage, files }: Group, read: ReadText): number {
  const most = Number.parseInt(read(join(folder, limit)), 10);
  const used = Number.parseInt(read(join(folder, usage)), 10);
  if (Number.isNaN(most) || Number.isNaN(used)) return Number.POSITIVE_INFINITY;
  let ofFiles = 0;
  for (const [, bytes] of read(join(folder, 'memory.stat')).matchAll(files)) ofFiles += Number(bytes);
  return Math.max(0, most - Math.max(0, used - ofFiles));
}
