// Writes a snapshot: names its file, builds it in this thread or in others, and turns the partial file into a finished one.

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
  /** Folder of the snapshots. It is created if missing. */
  folder: string;
  /** Name of the new snapshot: letters, digits, `-`, at most 64. */
  id: string;
  /** Path of the previous finished snapshot. Unchanged resources keep their versions, and missing ones are remembered as gone. */
  previous?: string;
  /**
   * True if the snapshot makes the index of the previous one anew. The previous one may have an earlier layout. The resources must come in the order
   * of its storage, type by type. They keep versions and dates.
   */
  rebuilds?: boolean;
  /**
   * True if an unreadable snapshot may have assigned versions too, for example after a rollback or a loss. New and changed resources then
   * get versions beyond any of those, the seconds since 1970, so that no client takes two states for the same one.
   */
  freshVersions?: boolean;
  /** Instant of the edition; now by default. It is always later than that of the edition before, whatever the clock says. */
  created?: Date;
  /** Other limits, for tests that want many segments and prefix postings with few resources. */
  limits?: Partial<ListLimits>;
  /** From this number of resources on, separate threads go on with the building; 5000 by default. */
  threadsFrom?: number;
}

/** Name of a snapshot's file within its folder. */
export function snapshotFileName(id: string): string {
  return `${id}.sqlite`;
}

/** Begins a snapshot, on which no other writer may be at work. Throws if the name is invalid or taken. */
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

/** The place where batches are built into the snapshot: this thread while they are few, otherwise separate threads. */
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

/**
 * Reads the data for the new snapshot from the previous one. A snapshot with another layout cannot be compared. All resources are then new,
 * and their versions begin beyond any that it can have assigned.
 */
function readPrevious({
  previous: file,
  rebuilds,
}: Pick<SnapshotWriterOptions, 'previous' | 'rebuilds'>):
  | { file: string; texts: Dictionaries; created: number }
  | 'of another layout'
  | undefined {
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
