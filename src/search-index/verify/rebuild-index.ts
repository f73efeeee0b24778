// Rebuilds the index of one resource type from its resources, by the normal writer into a temporary file, and compares it
// row by row with that of the snapshot.

import BetterSqlite3 from 'better-sqlite3';
import { BUCKETS_PER_FIELD, FIELDS, FIRST_LIST, type ListLimits, SCHEMA, SEGMENTS_PER_LIST } from '../file-layout.ts';
import type { IndexedResource, ResourceType } from '../snapshot.ts';
import { openPartialFile } from '../write/builder.ts';
import { NO_CHANGES } from '../write/change-samples.ts';
import { createBatchWriter, type RecordBatch } from '../write/record-batch.ts';
import { createTypeBuilder } from '../write/type-builder.ts';
import type { Findings } from './findings.ts';

export interface IndexRebuild {
  /** Takes the resources in the order of storage. `updated`: milliseconds since 1970. */
  add(resource: Omit<IndexedResource, 'resource'>, updated: number): void;
  /** Builds the index and closes the file. */
  finish(): void;
  /** Closes an unfinished file. */
  abandon(): void;
}

/** @param file a path that is free, for the temporary file; spill files are beside it */
export function rebuildIndex(file: string, type: ResourceType, limits: ListLimits): IndexRebuild {
  const database = openPartialFile(file);
  database.exec(`begin; ${SCHEMA}`);
  // The snapshot has versions and dates already: those of the batch that is being read.
  let dates: number[] = [];
  let next = 0;
  const versions = {
    of: () => ({ version: 1, updated: dates[next++] as number }),
    gone: () => [],
    changes: () => ({ added: 0, changed: 0, unchanged: 0, removed: 0 }),
    samples: () => NO_CHANGES,
  };
  const builder = createTypeBuilder(database, type, { file, limits, versions: () => versions });
  const take = builder.queue();
  const batchWriter = createBatchWriter(type, []);
  const takeBatch = (batch: RecordBatch | undefined) => {
    if (batch === undefined) return;
    take(batch);
    batchWriter.reuse(batch.bytes.buffer);
    dates = [];
    next = 0;
  };
  return {
    add(resource, updated) {
      dates.push(updated);
      // The index does not depend on the text of the resource: it is left out.
      takeBatch(batchWriter.add({ ...resource, resource: { resourceType: type, id: resource.id } }));
    },
    finish() {
      takeBatch(batchWriter.rest());
      builder.finish();
      builder.discard();
      database.exec('commit');
      database.close();
    },
    abandon() {
      if (!database.open) return;
      builder.discard();
      database.close();
    },
  };
}

/** An index table: the columns of its key, those that are compared, and which rows belong to a type. */
interface IndexTable {
  name: string;
  key: readonly string[];
  values: readonly string[];
  range: (type: ResourceType) => { column: string; from: number | string; to: number | string };
}

const fieldRange =
  (factor = 1) =>
  (type: ResourceType) => {
    const numbers = FIELDS.filter((field) => field.type === type).map(({ number }) => number);
    return { from: Math.min(...numbers) * factor, to: (Math.max(...numbers) + 1) * factor - 1 };
  };
const ofFields = (column: string, factor?: number) => (type: ResourceType) => ({
  column,
  ...fieldRange(factor)(type),
});

const TABLES: readonly IndexTable[] = [
  { name: 'field', key: ['number'], values: ['type', 'name', 'kind', 'bits'], range: ofFields('number') },
  {
    name: 'segment',
    key: ['type', 'segment'],
    values: ['ordinals'],
    range: (type) => ({ column: 'type', from: type, to: type }),
  },
  { name: 'item_parent', key: ['field', 'segment'], values: ['parents'], range: ofFields('field') },
  { name: 'term', key: ['field', 'key'], values: ['doc_freq', 'list', 'members'], range: ofFields('field') },
  {
    name: 'posting',
    key: ['id'],
    values: ['members'],
    range: (type) => ({
      column: 'id',
      from: FIRST_LIST[type] * SEGMENTS_PER_LIST,
      to: (FIRST_LIST[type] + 2 ** 30) * SEGMENTS_PER_LIST - 1,
    }),
  },
  { name: 'key_hash', key: ['id'], values: ['entries'], range: ofFields('id', BUCKETS_PER_FIELD) },
  { name: 'instant', key: ['field', 'segment'], values: ['times', 'ends', 'members'], range: ofFields('field') },
];

/** Compares the index of a type with the rebuilt one. Yields after each table the share that is done. */
export function* compareIndex(
  files: { snapshot: string; rebuilt: string },
  type: ResourceType,
  findings: Findings,
): Generator<number, void> {
  const database = new BetterSqlite3(files.rebuilt, { readonly: true });
  try {
    database.prepare('attach ? as snapshot').run(files.snapshot);
    for (const [done, table] of TABLES.entries()) {
      for (const row of differences(database, table, type)) {
        findings.add('index', `${type}, table ${table.name}, ${describe(row)}: it is not what the resources give`);
      }
      yield (done + 1) / TABLES.length;
    }
  } finally {
    database.close();
  }
}

type Key = Record<string, string | number>;

/** Keys of the rows that differ, that only the snapshot has, or that only the rebuilt index has. */
function* differences(
  database: BetterSqlite3.Database,
  { name, key, values, range }: IndexTable,
  type: ResourceType,
): Generator<Key, void> {
  const { column, from, to } = range(type);
  const columns = (table: string, names: readonly string[]) => names.map((one) => `${table}.${one}`).join(', ');
  const same = key.map((one) => `one.${one} = other.${one}`).join(' and ');
  const unlike = `(${columns('one', values)}) is not (${columns('other', values)})`;
  const missing = `other.${key[0]} is null`;
  for (const [one, other, condition] of [
    ['snapshot', 'main', `${missing} or ${unlike}`],
    ['main', 'snapshot', missing],
  ]) {
    yield* database
      .prepare<[typeof from, typeof to], Key>(
        `select ${columns('one', key)} from ${one}.${name} as one left join ${other}.${name} as other on ${same}
         where one.${column} between ? and ? and (${condition})`,
      )
      .iterate(from, to);
  }
}

/** The key of a row in words: its field by name, a term without the character that marks its kind. */
function describe(key: Key): string {
  const parts = Object.entries(key).map(([column, value]) => {
    if (column === 'field' || column === 'number') return `field ${FIELDS[Number(value)]?.name}`;
    return `${column} ${typeof value === 'string' ? JSON.stringify(value.replace(/\p{Cc}$/u, '')) : value}`;
  });
  return parts.join(', ');
}
