// Reads a snapshot file into the system's page cache before it is searched. As long as there is enough memory, it keeps the file there,
// because other reads displace it. A thread of its own does the reading. `store/snapshots/current-snapshot.ts` waits for it before a
// switch, and `server/readiness-checks.ts` before the service is ready. Calculates how much memory the file may take without displacing
// other data that is in use.

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
  /** The file would take more than its share of the available memory, so it is not read, or not kept in memory any longer. */
  | { event: 'too-large'; bytes: number; available: number }
  | { event: 'failed'; error: string };

interface ReadAheadOptions {
  onEvent?(event: ReadAheadEvent): void;
  /** Milliseconds between two checks whether the file is still in memory; 30 000 by default. */
  everyMs?: number;
  /** Bytes of memory that a file may take; by default the number that the system reports. */
  available?: () => number;
  /** A file of at most this many bytes is read without a thread and is not checked again; `SMALL_FILE` by default. */
  small?: number;
}

interface ReadAhead {
  /** Reads a file, and from then on keeps this file in memory instead of the one before. Never rejects. */
  read(file: string): Promise<void>;
  /** Checks whether the file is the one that is kept in memory. */
  holds(file: string): boolean;
  close(): Promise<void>;
}

/** The share of the available memory that a file may take. */
const SHARE = 0.8;
/** Share of a file that may leave memory. If more has left, the loss is reported, and the time until the next check doubles. */
const WORTH_REPORTING = 0.02;
/** The time until the next check grows at most to this many times `everyMs`. */
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
  /** Checks whether a file fits into memory. If not, this is reported once. */
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

/** Reads a text file. Returns an empty text if that fails. */
type ReadText = (file: string) => string;

const readText: ReadText = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/**
 * Bytes of memory that files may take. This is the available memory of the machine (Linux: MemAvailable, which includes memory of files).
 * If the process has a control group with a limit, such as a container, the limit applies too, less what the group uses for other purposes.
 */
export function availableMemory(read: ReadText = readText): number {
  const machine = /^MemAvailable:\s+(\d+) kB/m.exec(read('/proc/meminfo'))?.[1];
  const available = machine === undefined ? freemem() : Number(machine) * 1024;
  return Math.min(available, ...groupsOf(read('/proc/self/cgroup')).map((group) => leftIn(group, read)));
}

/** The folder of a control group, and the names of its files in version 2 or 1 (docs.kernel.org, cgroup-v2 and memcg). */
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
  // Both paths are tried, because in a container its group is at the root, whatever the name of the group is outside.
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
