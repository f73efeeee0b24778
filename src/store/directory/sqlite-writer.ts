// Owns the writing of a snapshot from outside: names of files, the thread that builds, the switch from unfinished to
// finished. Does not own how the file is made (`sqlite-builder.ts`) nor which snapshot is current (`catalogue.ts`).

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SnapshotSummary, SnapshotWriter } from './snapshot.ts';
import { type Batch, type BatchMaker, createBatchMaker } from './sqlite-arrivals.ts';
import { type Builder, type BuilderOptions, type BuildResult, createBuilder } from './sqlite-builder.ts';
import type { ToBuilder } from './sqlite-builder-thread.ts';
import { LIST_LIMITS, type ListLimits } from './sqlite-layout.ts';
import { OtherLayout, openSnapshotFile } from './sqlite-reader.ts';

export interface SnapshotWriterOptions {
  /** Folder of the snapshots; made when it is missing. */
  folder: string;
  /** Name of the new snapshot: letters, digits, `-`, at most 64. */
  id: string;
  /** Path of the finished snapshot before it: unchanged resources keep their version, missing ones are remembered. */
  previous?: string;
  /** Instant of the edition; now by default. */
  created?: Date;
  /** For tests that want many chunks and stored unions of few resources. */
  limits?: Partial<ListLimits>;
  /** Resources from which the building goes on in a thread of its own; 5000 by default. */
  threadFrom?: number;
}

/** Batches (of a megabyte) that may wait for the builder. */
const BATCHES_AHEAD = 8;
const DAY = 86_400_000;
const UNFINISHED = '.unfinished';
const OWNER = '.owner';

/** Name of a snapshot's file within its folder. */
export function snapshotFileName(id: string): string {
  return `${id}.sqlite`;
}

/** Name of the snapshot whose finished file this is; `undefined` for every other file. */
export function snapshotNameIn(fileName: string): string | undefined {
  return /^([A-Za-z0-9-]{1,64})\.sqlite$/.exec(fileName)?.[1];
}

/** Begins a snapshot. Throws when the name is no name, is taken, or is being written already. */
export function createSnapshotWriter(options: SnapshotWriterOptions): SnapshotWriter {
  const { folder, id } = options;
  if (!/^[A-Za-z0-9-]{1,64}$/.test(id)) throw new Error(`"${id}" is no name for a snapshot: letters, digits and -`);
  const finished = join(folder, snapshotFileName(id));
  if (existsSync(finished)) throw new Error(`the snapshot ${id} exists already in ${folder}`);
  mkdirSync(folder, { recursive: true });
  const file = `${finished}${UNFINISHED}`;
  const created = options.created ?? new Date();
  const previous = readPrevious(options.previous);
  claim(file);
  const builderOptions: BuilderOptions = {
    id,
    file,
    created: created.getTime(),
    limits: { ...LIST_LIMITS, ...options.limits },
    firstVersion: previous === 'of another layout' ? Math.floor(created.getTime() / DAY) : 1,
    ...(typeof previous === 'object' ? { previous: previous.file } : {}),
  };
  const release = () => {
    ours.delete(file);
    rmSync(file + OWNER, { force: true });
  };

  const maker = createBatchMaker(typeof previous === 'object' ? previous.texts : []);
  const line = createLine(builderOptions, options.threadFrom ?? 5000, maker.reuse);
  let state: 'open' | 'finished' | 'abandoned' = 'open';

  const abandon = async () => {
    if (state !== 'open') return;
    state = 'abandoned';
    await line.abandon();
    removeAll(folder, `${snapshotFileName(id)}${UNFINISHED}`);
    release();
  };

  return {
    add(resource) {
      if (state !== 'open') throw new Error(`the snapshot ${id} is ${state}: nothing can be added`);
      const full = maker.add(resource);
      return full && line.send(full);
    },
    async finish(): Promise<SnapshotSummary> {
      if (state !== 'open') throw new Error(`the snapshot ${id} is ${state} already`);
      try {
        await line.send(maker.flush());
        const result = await line.finish();
        chmodSync(file, 0o444);
        renameSync(file, finished);
        state = 'finished';
        release();
        return {
          id,
          file: snapshotFileName(id),
          created: created.toISOString(),
          bytes: statSync(finished).size,
          ...result,
        };
      } catch (error) {
        await abandon();
        throw error;
      }
    },
    abandon,
  };
}

/** The way of the batches to the builder: in this thread while they are few, else in one of its own. */
interface Line {
  send(batch: Batch): void | Promise<void>;
  finish(): Promise<BuildResult>;
  abandon(): Promise<void>;
}

function createLine(options: BuilderOptions, threadFrom: number, reuse: BatchMaker['reuse']): Line {
  const waiting: Batch[] = [];
  let held = 0;
  let thread: Line | undefined;
  let builder: Builder | undefined;
  return {
    send(batch) {
      if (thread) return thread.send(batch);
      waiting.push(batch);
      held += batch.count;
      if (held < threadFrom) return;
      thread = startThread(options, reuse);
      return Promise.all(waiting.splice(0).map((early) => thread?.send(early))).then(() => undefined);
    },
    async finish() {
      if (thread) return thread.finish();
      builder = createBuilder(options);
      for (const batch of waiting.splice(0)) builder.add(batch);
      return builder.finish();
    },
    async abandon() {
      await thread?.abandon();
      builder?.abandon();
    },
  };
}

function startThread(options: BuilderOptions, reuse: BatchMaker['reuse']): Line {
  const worker = new Worker(new URL('./sqlite-builder-thread.ts', import.meta.url), { workerData: options });
  const tell = (message: ToBuilder, moved: ArrayBuffer[] = []) => worker.postMessage(message, moved);
  let sent = 0;
  let stored = 0;
  let failure: Error | undefined;
  const wake: (() => void)[] = [];
  const waitFor = async (done: () => boolean) => {
    while (!done()) {
      if (failure) throw failure;
      await new Promise<void>((resolve) => wake.push(resolve));
    }
  };
  const wakeAll = () => {
    for (const resolve of wake.splice(0)) resolve();
  };
  let result: BuildResult | undefined;
  let ended = false;
  worker.on('message', (message: { stored: number; buffer: ArrayBuffer } | { finished: BuildResult }) => {
    if ('stored' in message) {
      stored = message.stored;
      reuse(message.buffer);
    } else result = message.finished;
    wakeAll();
  });
  worker.on('error', (error) => {
    failure = error as Error;
    wakeAll();
  });
  worker.on('exit', () => {
    ended = true;
    if (result === undefined) failure ??= new Error('the thread that builds the snapshot ended early');
    wakeAll();
  });
  return {
    send(batch) {
      if (failure) throw failure;
      tell({ number: ++sent, batch }, [batch.bytes.buffer]);
      if (sent - stored > BATCHES_AHEAD) return waitFor(() => sent - stored <= BATCHES_AHEAD / 2);
    },
    async finish() {
      tell('finish');
      await waitFor(() => result !== undefined);
      return result as BuildResult;
    },
    async abandon() {
      if (!ended) await worker.terminate();
    },
  };
}

/**
 * What the new snapshot needs of the one before. One of another release's layout cannot be compared with: all resources
 * then are new, and their versions begin beyond any that it can have given.
 */
function readPrevious(
  file: string | undefined,
): { file: string; texts: readonly string[] } | 'of another layout' | undefined {
  if (file === undefined) return undefined;
  try {
    const { texts, close } = openSnapshotFile(file);
    close();
    return { file, texts };
  } catch (error) {
    if (error instanceof OtherLayout) return 'of another layout';
    throw error;
  }
}

/** Unfinished files that this process is writing. */
const ours = new Set<string>();

/** Notes who writes the file, so that a leftover of a killed run is told from a load under way. */
function claim(file: string): void {
  if (isBeingWritten(file)) throw new Error(`${file} is being written by another import`);
  removeAll(dirname(file), basename(file));
  ours.add(file);
  writeFileSync(file + OWNER, String(process.pid));
}

function isBeingWritten(file: string): boolean {
  if (ours.has(file)) return true;
  if (!existsSync(file + OWNER)) return false;
  const pid = Number(readFileSync(file + OWNER, 'utf8'));
  // In a fresh container an earlier run may have had our own number.
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Removes what killed runs left in the folder; loads under way stay untouched. Returns the names of the snapshots. */
export function removeUnfinishedSnapshots(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.includes(`.sqlite${UNFINISHED}`));
  const begun = new Set(names.map((name) => name.slice(0, name.indexOf(UNFINISHED) + UNFINISHED.length)));
  const dead = [...begun].filter((name) => !isBeingWritten(join(folder, name)));
  for (const name of dead) removeAll(folder, name);
  return dead.map((name) => name.slice(0, -`.sqlite${UNFINISHED}`.length));
}

function removeAll(folder: string, beginning: string): void {
  for (const name of readdirSync(folder)) if (name.startsWith(beginning)) rmSync(join(folder, name), { force: true });
}
