// Writes a snapshot: chooses the name of its file, builds it in this thread or in others, and gives the finished file its final name.

import { chmodSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LIST_LIMITS, type ListLimits } from '#search-index/file-layout.ts';
import { OtherLayout } from '#search-index/read/reader.ts';
import { byType } from '#search-index/snapshot.ts';
import type { Dictionaries, SnapshotSummary, SnapshotWriter } from '#search-index/snapshot-writer.ts';
import {
  type Builder,
  type BuilderOptions,
  createBuilder,
  flushToDisk,
  openPrevious,
  partialFile,
  removePartialFile,
} from './builder.ts';
import { type BuilderThreads, startBuilderThreads } from './builder-threads.ts';
import type { RecordBatch } from './record-batch.ts';
import type { TypeResult } from './type-builder.ts';
import { connectPorts, createWriterQueue, type QueueEnd, type Reuse } from './writer-queue.ts';

export interface SnapshotWriterOptions {
  /** Folder of the snapshots. It is created if it is missing. */
  folder: string;
  /** Name of the new snapshot: at most 64 letters, digits and `-`. */
  id: string;
  /**
   * Path of the previous finished snapshot. Unchanged resources keep their versions. Resources that are missing now are recorded as
   * removed.
   */
  previous?: string;
  /**
   * True if only the index is built again. The previous snapshot may then have an earlier layout. Its resources must be added type by type,
   * in the order of their ordinals, and keep their versions and dates.
   */
  rebuilds?: boolean;
  /**
   * True if other snapshots, which cannot be read now, may also have given versions to resources, for example after a rollback or a loss.
   * New and changed resources then get the seconds since 1970 as their version, which is higher than any version before. So clients never
   * take two different states for the same version.
   */
  freshVersions?: boolean;
  /**
   * Instant of the edition; now by default. If it is not later than that of the previous edition, because the clock was set back, the
   * instant one millisecond after the previous edition is used instead.
   */
  created?: Date;
  /** Other limits for tests. With them, a few resources give many segments and prefix postings. */
  limits?: Partial<ListLimits>;
  /** A snapshot with at least this many resources is built in other threads; 5000 by default. */
  threadsFrom?: number;
}

/** The name of a snapshot's file in its folder. */
export function snapshotFileName(id: string): string {
  return `${id}.sqlite`;
}

/** Begins a snapshot. No other writer may be writing this snapshot. Throws if its name is invalid, or if it exists already. */
export function createSnapshotWriter(options: SnapshotWriterOptions): SnapshotWriter {
  const { folder, id } = options;
  if (!/^[A-Za-z0-9-]{1,64}$/.test(id)) throw new Error(`"${id}" is no name for a snapshot: letters, digits and -`);
  const finished = join(folder, snapshotFileName(id));
  if (existsSync(finished)) throw new Error(`the snapshot ${id} exists already in ${folder}`);
  mkdirSync(folder, { recursive: true });
  const file = partialFile(finished);
  const previous = readPrevious(options);
  const earliest = typeof previous === 'object' ? previous.created + 1 : 0;
  const created = new Date(Math.max((options.created ?? new Date()).getTime(), earliest));
  removePartialFile(file);
  const builderOptions: BuilderOptions = {
    id,
    file,
    created: created.getTime(),
    limits: { ...LIST_LIMITS, ...options.limits },
    firstVersion: options.freshVersions || previous === 'of another layout' ? Math.floor(created.getTime() / 1000) : 1,
    ...(typeof previous === 'object' ? { previous: previous.file } : {}),
    ...(options.rebuilds && { rebuilds: true }),
  };
  const texts = typeof previous === 'object' ? previous.texts : byType(() => []);
  const target = createBuildTarget(builderOptions, options.threadsFrom ?? 5000);
  const queue = createWriterQueue(texts, target.connect);
  let state: 'open' | 'finished' | 'abandoned' = 'open';

  const abandon = async () => {
    if (state !== 'open') return;
    state = 'abandoned';
    await target.abandon();
    removePartialFile(file);
  };

  return {
    ...queue,
    failure: target.failure,
    add(resource) {
      if (state !== 'open') throw new Error(`the snapshot ${id} is ${state}: nothing can be added`);
      return queue.add(resource);
    },
    handle: () => ({ ports: target.ports(), texts }),
    complete: target.complete,
    async finish(): Promise<SnapshotSummary> {
      if (state !== 'open') throw new Error(`the snapshot ${id} is ${state} already`);
      try {
        await Promise.race([queue.flush(), target.failure]);
        const results = await target.finish();
        flushToDisk(file);
        chmodSync(file, 0o400);
        renameSync(file, finished);
        state = 'finished';
        return {
          id,
          file: snapshotFileName(id),
          created: created.toISOString(),
          bytes: statSync(finished).size,
          counts: byType((type) => (results[type] as TypeResult).count),
          changes: byType((type) => (results[type] as TypeResult).changes),
          samples: byType((type) => (results[type] as TypeResult).samples),
        };
      } catch (error) {
        await abandon();
        throw error;
      }
    },
    abandon,
  };
}

/**
 * Builds a snapshot from batches. At first the batches only wait. The first call of `ports`, or the arrival of `threadsFrom` resources,
 * starts the threads that build. Without either, `finish` builds in this thread.
 */
interface BuildTarget extends BuilderThreads {
  /** Connects the queue of this thread. */
  connect(reuse: Reuse): QueueEnd;
}

function createBuildTarget(options: BuilderOptions, threadsFrom: number): BuildTarget {
  const waiting: RecordBatch[] = [];
  const { promise: failure, reject: fail } = Promise.withResolvers<never>();
  failure.catch(() => {});
  let held = 0;
  let builder: Builder | undefined;
  let threads: BuilderThreads | undefined;
  let own: QueueEnd | undefined;
  let connected: Reuse = () => {};

  const begin = (): BuilderThreads => {
    if (!threads) {
      threads = startBuilderThreads(options);
      threads.failure.catch(fail);
      own = connectPorts(threads.ports(), connected);
      for (const batch of waiting.splice(0)) void own.send(batch);
    }
    return threads;
  };
  return {
    failure,
    connect(reuse) {
      connected = reuse;
      return {
        send(batch) {
          if (own) return own.send(batch);
          waiting.push(batch);
          held += batch.count;
          if (held >= threadsFrom) begin();
        },
        stored: async () => own?.stored(),
      };
    },
    ports: () => begin().ports(),
    complete: (type) => threads?.complete(type),
    finish() {
      if (threads) return threads.finish();
      builder = createBuilder(options);
      const take = builder.queue();
      for (const batch of waiting.splice(0)) take(batch);
      return Promise.resolve(builder.finish());
    },
    async abandon() {
      await threads?.abandon();
      builder?.abandon();
    },
  };
}

type Previous = { file: string; texts: Dictionaries; created: number } | 'of another layout';

/**
 * Reads the data of the previous snapshot that the new one needs. A snapshot with another layout cannot be compared, so all resources are
 * then treated as new. Their versions begin above any version that the previous snapshot can have given.
 */
function readPrevious({ previous: file, rebuilds }: SnapshotWriterOptions): Previous | undefined {
  if (file === undefined) return undefined;
  try {
    const { types, created, close } = openPrevious(file, rebuilds);
    const texts = byType((type) => types[type].texts);
    close();
    return { file, texts, created: created.getTime() };
  } catch (error) {
    if (error instanceof OtherLayout) return 'of another layout';
    throw error;
  }
}
