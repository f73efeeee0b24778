// Builds a snapshot file, or a part of it with some of the types: opens the file, finishes it and adds the parts. It blocks the thread in
// which it runs.

import { closeSync, fsyncSync, openSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { LAYOUT, type ListLimits, PAGE_SIZE, SCHEMA } from '#search-index/file-layout.ts';
import { openSnapshotFile } from '#search-index/read/reader.ts';
import { continuedHistory, openStoredResources, type PreviousFile } from '#search-index/read/stored-resources.ts';
import { RESOURCE_TYPES, type ResourceType } from '#search-index/snapshot.ts';
import type { RecordBatch } from './record-batch.ts';
import { storeReferenceTargets } from './reference-targets.ts';
import { createTypeBuilder, type TypeBuilder, type TypeResult } from './type-builder.ts';
import { trackVersions } from './versions.ts';

export interface BuilderOptions {
  id: string;
  /** The unfinished file. Spill files are beside it, with its name and a suffix. */
  file: string;
  /**
   * Path of the finished file of the previous snapshot. The new snapshot continues its versions. Ids that only the previous snapshot has
   * are recorded as removed.
   */
  previous?: string;
  /**
   * True if only the index is built again. The previous snapshot then has the same resources in the same order, and perhaps an earlier
   * layout.
   */
  rebuilds?: boolean;
  /** `meta.versionId` of a resource without an earlier version. No new or changed resource gets a lower one. */
  firstVersion: number;
  /** `meta.lastUpdated` of new or changed resources, in milliseconds since 1970. */
  created: number;
  limits: ListLimits;
}

export type BuildResult = Partial<Record<ResourceType, TypeResult>>;

export interface Builder {
  /** Registers a source of batches. Returns the function that takes the batches of this source. */
  queue(): (batch: RecordBatch) => void;
  /** Indexes a type. No more resources of this type may come afterwards. */
  complete(type: ResourceType): void;
  /** Indexes the remaining types, adds the rows of the finished parts, and closes the file. */
  finish(parts?: readonly string[]): BuildResult;
  abandon(): void;
}

/** Creates the file, and a builder that takes the resources of these types. */
export function createBuilder(options: BuilderOptions, types: readonly ResourceType[] = RESOURCE_TYPES): Builder {
  const { file, created, firstVersion, limits } = options;
  const previous = options.previous === undefined ? undefined : openPrevious(options.previous, options.rebuilds);
  const database = openPartialFile(file);
  database.exec(`begin; ${SCHEMA}`);
  const builders = new Map<ResourceType, TypeBuilder>(
    types.map((type) => {
      const texts = previous?.types[type].texts ?? [];
      const versions = (newTexts: readonly string[]) =>
        trackVersions(previous, type, { created, firstVersion, newTexts });
      return [type, createTypeBuilder(database, type, { file, limits, texts, versions })];
    }),
  );
  const results: BuildResult = {};

  const builderOf = (type: ResourceType): TypeBuilder => {
    const builder = builders.get(type);
    if (!builder) throw new Error(`${type} is complete, or is built elsewhere: nothing can be added`);
    return builder;
  };
  const complete = (type: ResourceType) => {
    const builder = builderOf(type);
    results[type] = builder.finish();
    builder.discard();
    builders.delete(type);
  };
  const close = () => {
    for (const builder of builders.values()) builder.discard();
    previous?.close();
    database.close();
  };

  return {
    queue() {
      const queues = new Map([...builders].map(([type, builder]) => [type, builder.queue()]));
      return (batch) => {
        builderOf(batch.type);
        queues.get(batch.type)?.(batch);
      };
    },
    complete,
    finish(parts = []) {
      for (const type of [...builders.keys()]) complete(type);
      const property = database.prepare('insert into property (name, value) values (?, ?)');
      property.run('layout', LAYOUT);
      property.run('id', options.id);
      property.run('created', new Date(created).toISOString());
      // A `firstVersion` above 1 means that other editions, which cannot be read here, may have been made since the previous snapshot, for
      // example before a rollback (`SnapshotWriterOptions.freshVersions`). `apart` records this in the history.
      property.run('history', continuedHistory(previous?.database, { created, apart: firstVersion > 1 }));
      database.exec('commit');
      for (const part of parts) takePart(database, part);
      // The target of a reference may have another type, so targets can only be stored once all types are in the file.
      if (types.length + parts.length === RESOURCE_TYPES.length)
        database.transaction(() => storeReferenceTargets(database))();
      close();
      return results;
    },
    abandon() {
      if (database.open) close();
      rmSync(file, { force: true });
    },
  };
}

/** Opens the previous snapshot. If only the index is built again, the previous snapshot may have an earlier layout. */
export function openPrevious(file: string, rebuilds = false): PreviousFile {
  return rebuilds ? openStoredResources(file) : openSnapshotFile(file);
}

/** The name of the file while the snapshot is being built. The names of its parts and spill files begin with it. */
export function partialFile(finished: string): string {
  return `${finished}.unfinished`;
}

/** Removes an unfinished file, with its parts and spill files. */
export function removePartialFile(file: string): void {
  const folder = dirname(file);
  for (const name of readdirSync(folder)) {
    if (name.startsWith(basename(file))) rmSync(join(folder, name), { force: true });
  }
}

/**
 * Opens the file without a journal on the disk. Nothing waits for the disk until the file is finished. This is safe, because an unfinished
 * file is thrown away if the process is killed.
 */
function openPartialFile(file: string): BetterSqlite3.Database {
  const database = new BetterSqlite3(file);
  database.pragma(`page_size = ${PAGE_SIZE}`);
  database.pragma('journal_mode = MEMORY');
  database.pragma('synchronous = OFF');
  database.pragma('locking_mode = EXCLUSIVE');
  database.pragma('cache_size = -8192');
  return database;
}

/**
 * Moves the rows of a finished part into the file and deletes the part. All tables are copied except the properties of the whole file.
 * SQLite copies tables of the same shape without decoding the rows.
 */
function takePart(database: BetterSqlite3.Database, part: string): void {
  database.prepare('attach ? as part').run(part);
  database.exec('begin');
  const tables = database.prepare<[], string>(
    "select name from part.sqlite_master where type = 'table' and name <> 'property'",
  );
  for (const table of tables.pluck().all()) database.exec(`insert into main.${table} select * from part.${table}`);
  database.exec('commit; detach part');
  rmSync(part, { force: true });
}

/** Makes sure that a finished file is written to the disk. */
export function flushToDisk(file: string): void {
  const descriptor = openSync(file, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
