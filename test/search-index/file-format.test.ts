// The file of a snapshot, table by table, as a writer has to make it (README.md, "File format").

import { chmodSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import { FIELDS } from '#search-index/file-layout.ts';
import { positionItem } from '#search-index/positions.ts';
import type { IndexedResource } from '#search-index/snapshot.ts';
import type { SnapshotWriterOptions } from '#search-index/write/writer.ts';
import { written } from '#support/search-index/written-snapshot.ts';

const START = Date.parse('2026-10-08T08:30:00.250Z');

const write = (id: string, resources: readonly IndexedResource[], options: Partial<SnapshotWriterOptions> = {}) =>
  written(resources, { id, created: new Date(START), ...options });

describe('the file of an edition', () => {
  const numbers = { u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f64: Float64Array };
  const read = (kind: keyof typeof numbers, blob: unknown) => {
    const bytes = new Uint8Array(blob as Uint8Array);
    return blob === null ? null : [...new numbers[kind](bytes.buffer)];
  };
  /** Rows of a table, in the order of its key, with blobs as numbers of these kinds. */
  function rowsOf(path: string, sql: string, ...kinds: (keyof typeof numbers | undefined)[]): string[] {
    const database = new BetterSqlite3(path, { readonly: true });
    const rows = database.prepare(sql).raw().all() as unknown[][];
    database.close();
    return rows.map((row) =>
      row
        .map((value, at) => {
          const kind = kinds[at];
          if (kind === undefined)
            return Array.from(String(value), (one) => (one < ' ' ? `^${one.charCodeAt(0)}` : one)).join('');
          const all = read(kind, value) ?? [];
          // Of a bitmap, only what is not empty is shown.
          return all.length < 4000
            ? `[${all}]`
            : `[${all.slice(0, all.findLastIndex(Boolean) + 1)}, ${all.length} in all]`;
        })
        .join(' '),
    );
  }
  const numberOf = (type: string, name: string) =>
    FIELDS.findIndex((field) => field.type === type && field.name === name);

  const structure = (id: string, sortKey: string, index: IndexedResource['index'], elements = {}): IndexedResource => ({
    type: 'Organization',
    id,
    sortKey,
    resource: { resourceType: 'Organization', id, ...elements },
    index,
  });
  const near = (latitude: number, longitude: number) => positionItem({ latitude, longitude });
  const EDITION = [
    structure('o3', 'c', {
      name: ['Le Gall'],
      address: ['12 bis rue', 'Paris'],
      'part-of': ['Organization/o1'],
      near: [near(48.5, -2.25)],
      type: ['x'],
    }),
    structure('o1', 'b', {
      name: ['Legal'],
      type: ['x', 'sys|'],
      identifier: ['1', 'sys|1', 'sys|'],
      near: [near(-1, 2), near(48, 3)],
    }),
    structure(
      'o2',
      'a',
      { name: ['Legato'], 'address-city': ['Paris'], 'part-of': ['Organization/none'], type: ['y'] },
      { active: true },
    ),
    structure(
      'o4',
      'd',
      { name: ['Leg'], 'address-city': ['Albi', 'Zell'], 'part-of': ['Organization/o1'] },
      { active: true },
    ),
  ];

  it('has these rows', async () => {
    const limits = { segment: 2, bitmap: 2, inline: 1, longLists: 1, shortLists: 1 };
    const { path } = await write('format', EDITION, { limits });
    chmodSync(path, 0o444);
    const field = (name: string) => numberOf('Organization', name);
    const terms = (name: string) =>
      rowsOf(
        path,
        `select key, doc_freq, list, members from term where field = ${field(name)} order by key`,
        undefined,
        undefined,
        undefined,
        'u16',
      );
    const tables = {
      property: rowsOf(path, "select * from property where name in ('id', 'created', 'history') order by name"),
      organization: rowsOf(path, 'select * from organization order by ordinal'),
      dictionary: rowsOf(path, 'select * from dictionary order by type, number'),
      segment: rowsOf(path, 'select * from segment order by type, segment', undefined, undefined, 'u32'),
      parents: rowsOf(path, 'select * from item_parent order by field, segment', undefined, undefined, 'u16'),
      names: terms('name'),
      addresses: terms('address'),
      types: terms('type'),
      systems: terms('identifier'),
      posting: rowsOf(
        path,
        'select id / 65536 - 1073741824, id % 65536, members from posting order by id',
        undefined,
        undefined,
        'u16',
      ),
      hashes: rowsOf(path, 'select id / 16777216, id % 16777216, length(entries) / 12 from key_hash order by id'),
      instant: rowsOf(path, 'select * from instant order by field, segment', undefined, undefined, 'f64', 'u32', 'u16'),
      targets: rowsOf(path, 'select * from reference_target order by field, segment', undefined, undefined, 'u32'),
      orders: rowsOf(path, 'select * from field_order order by field, segment', undefined, undefined, 'u16', 'u16'),
      position: rowsOf(
        path,
        'select * from position order by field, segment',
        undefined,
        undefined,
        'i32',
        'i32',
        'u16',
      ),
      field: rowsOf(path, 'select distinct bits from field'),
      page: rowsOf(path, 'pragma page_size'),
    };
    expect(tables).toEqual({
      property: ['created 2026-10-08T08:30:00.250Z', 'history [{"at":1791448200250}]', 'id format'],
      organization: [
        '0 o3 1 1791448200250 }',
        '1 o1 1 1791448200250 }',
        '2 o2 1 1791448200250 ,^1!}',
        '3 o4 1 1791448200250 ,^1!}',
      ],
      dictionary: ['Organization 0 "active":', 'Organization 1 "active":true'],
      segment: ['Organization 0 [2,1]', 'Organization 1 [0]', 'Organization 2 [3]'],
      parents: ['13 1 [0]', '14 2 [0]'],
      names: [
        '^3legall^2 1 null [1,1,0]',
        'gall^2 1 null [1,1,0]',
        'le^1 4 1073741825 [0,1,2]',
        'le^2 1 null [1,1,0]',
        'leg^2 1 null [2,1,0]',
        'lega^1 2 1073741824 [0]',
        'legal^2 1 null [0,1,1]',
        'legato^2 1 null [0,1,0]',
      ],
      addresses: [
        '^312b^2 1 null [1,1,0]',
        '12^2 1 null [1,1,0]',
        'bis^2 1 null [1,1,0]',
        'paris^2 1 null [1,1,1]',
        'rue^2 1 null [1,1,0]',
      ],
      types: ['sys|^2 1 null [0,1,1]', 'x^2 2 1073741826 [0,1]', 'y^2 1 null [0,1,0]'],
      systems: ['sys|^2 1 null [0,1,1]'],
      posting: ['0 0 [3, 4000 in all]', '1 0 [3, 4000 in all]', '1 1 [0]', '1 2 [0]', '2 0 [1]', '2 1 [0]'],
      hashes: ['16 0 2', '17 0 3', '22 0 4'],
      instant: ['23 0 [1791448200250] [2] [0,1]', '23 1 [1791448200250] [1] [0]', '23 2 [1791448200250] [1] [0]'],
      targets: ['17 0 [4294967295,4294967295]', '17 1 [1]', '17 2 [1]'],
      orders: ['14 0 [1,65535] [0,1]', '14 1 [65535] [0]', '14 2 [0] [0]'],
      position: ['21 0 [-1000000,48000000] [2000000,3000000] [1,1]', '21 1 [48500000] [-2250000] [0]'],
      field: ['0'],
      page: ['16384'],
    });
  });
});
