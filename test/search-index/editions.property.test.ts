// Properties of chains of editions: what is found by the time of a change, and which tables are written.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import fc from 'fast-check';
import { SCHEMA } from '#search-index/file-layout.ts';
import { openInstants, storeInstants } from '#search-index/last-updated-index.ts';
import { positionItem } from '#search-index/positions.ts';
import { BitmapPool } from '#search-index/read/doc-id-bitmap.ts';
import { openSnapshot } from '#search-index/read/reader.ts';
import {
  type Clause,
  INDEX_FIELDS,
  type IndexedResource,
  type InstantRange,
  type Order,
  RESOURCE_TYPES,
  type ResourceType,
  type Snapshot,
} from '#search-index/snapshot.ts';
import { createSnapshotWriter } from '#search-index/write/writer.ts';
import { naiveMatches, practitioner } from '#support/search-index/naive.ts';
import { walked } from '#support/search-index/written-snapshot.ts';
import { runs } from '#support/seed.ts';

// Renewal: `_lastUpdated` in a snapshot. After any chain of editions a range of time, alone or with other criteria,
// finds what a naive scan finds; and so it does where the editions are thousands.
describe('Renewal: _lastUpdated', () => {
  const START = Date.parse('2026-10-08T08:30:00.250Z');
  /** Editions come hours or milliseconds apart, and not always later than the one before. */
  const instant = fc
    .integer({ min: -3, max: 30 })
    .chain((hour) => fc.constantFrom(-1, 0, 1).map((ms) => atHour(hour, ms)));
  const atHour = (hour: number, ms = 0) => START + hour * 3_600_000 + ms;

  const range: fc.Arbitrary<InstantRange> = fc.record({ from: instant, to: instant }, { requiredKeys: [] });
  const ranges: fc.Arbitrary<Clause> = fc
    .array(range, { maxLength: 3 })
    .map((anyOf) => ({ field: '_lastUpdated', match: 'range', anyOf }));
  const named: fc.Arbitrary<Clause> = fc
    .constantFrom('a', 'an', 'anne', 'b', 'jean')
    .map((prefix) => ({ field: 'name', match: 'words', anyOf: [[{ prefix, whole: [] }]] }));
  const clauses = fc
    .tuple(ranges, fc.array(fc.oneof(ranges, named), { maxLength: 2 }))
    .chain(([first, others]) => fc.shuffledSubarray([first, ...others], { minLength: others.length + 1 }));

  /** What an edition says of each person: missing, or the state of the entry. */
  const states = fc.array(fc.constantFrom(0, 1, 1, 1, 2), { minLength: 40, maxLength: 40 });
  const NAMES = ['Anne', 'Annie', 'Jean Anne', 'Bruno', 'Zoé'];
  const person = (at: number, state: number) =>
    practitioner(
      `p${(at * 7) % 40}`,
      `${at % 5}`,
      { name: [NAMES[at % 5] as string] },
      { birthDate: `196${state}-01-01` },
    );

  /** Ids of all pages, of which each one tells how many there are. */
  async function walk(snapshot: Snapshot, clauses: Clause[], limit: number, order?: Order): Promise<string[]> {
    const { ids, totals } = await walked(snapshot, { type: 'Practitioner', clauses, ...(order && { order }) }, limit);
    expect(totals).toEqual([ids.length]);
    return ids;
  }

  function numbersOf(members: Uint16Array | Uint32Array | undefined): number[] {
    if (members === undefined) return [];
    if (members instanceof Uint16Array) return Array.from(members);
    return Array.from({ length: members.length * 32 }, (_, at) => at).filter(
      (at) => ((members[at >>> 5] as number) >>> (at & 31)) & 1,
    );
  }

  it('finds by any ranges, in pages and in totals, what was new or changed then', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(instant, states), { minLength: 1, maxLength: 4 }),
        fc.array(clauses, { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 1, max: 30 }),
        fc.constantFrom(3, 7, 64_000),
        async (editions, queries, limit, segment) => {
          const folder = mkdtempSync(join(tmpdir(), 'hygie-instants-'));
          try {
            const updated = new Map<string, number>();
            let before = new Map<string, number>();
            let file: string | undefined;
            for (const [number, [created, drawn]] of editions.entries()) {
              const previous = file === undefined ? {} : { previous: join(folder, file) };
              const options = { folder, id: `e${number}`, created: new Date(created), limits: { segment } };
              const writer = createSnapshotWriter({ ...options, ...previous });
              const now = new Map<string, number>();
              for (const [at, state] of drawn.entries()) {
                if (state === 0) continue;
                const one = person(at, state);
                await writer.add(one);
                now.set(one.id, state);
              }
              const finished = await writer.finish();
              // An edition is later than the one before it, whatever the clock says.
              for (const [id, state] of now)
                if (before.get(id) !== state) updated.set(id, Date.parse(finished.created));
              before = now;
              file = finished.file;
            }
            const people = (editions.at(-1)?.[1] ?? []).flatMap((state, at) =>
              state === 0 ? [] : [person(at, state)],
            );
            const snapshot = await openSnapshot(join(folder, file as string));
            try {
              for (const asked of queries) {
                const query = { type: 'Practitioner' as const, clauses: asked };
                const expected = naiveMatches(people, query, (id) => updated.get(id) as number);
                expect(await walk(snapshot, asked, limit)).toEqual(expected);
                const byTime = (id: string) => updated.get(id) as number;
                const inTime = expected.toSorted((a, b) => byTime(a) - byTime(b));
                const by = 'updated';
                expect(await walk(snapshot, asked, limit, { by, descending: false })).toEqual(inTime);
                expect(await walk(snapshot, asked, limit, { by, descending: true })).toEqual(inTime.toReversed());
              }
            } finally {
              await snapshot.close();
            }
          } finally {
            rmSync(folder, { recursive: true });
          }
        },
      ),
      { numRuns: runs(4) },
    );
  });

  it('finds among thousands of instants, within one list whatever the range', () => {
    const count = 9000;
    const instants = Array.from({ length: 3000 }, (_, number) => atHour((number * 1009) % 3000));
    const order = Uint32Array.from({ length: count }, (_, position) => (position * 7) % count);
    const segmentStarts = Uint32Array.from([0, 4000, 4001, count]);
    const instantOf = Uint32Array.from({ length: count }, (_, ordinal) => (ordinal * ordinal) % 3000);
    const database = new BetterSqlite3(':memory:');
    database.exec(SCHEMA);
    storeInstants(database, 5, { instantOf, instants }, { order, segmentStarts });
    const lookUp = openInstants(database, new BitmapPool());
    const within = fc.record({ from: fc.nat(3100), to: fc.nat(3100) }).map(({ from, to }) => ({
      from: atHour(from),
      to: atHour(to, 1),
    }));
    fc.assert(
      fc.property(fc.array(within, { maxLength: 4 }), (asked) => {
        const list = lookUp(5, asked);
        const expected = new Set<number>();
        order.forEach((ordinal, position) => {
          const updated = instants[instantOf[ordinal] as number] as number;
          if (asked.some(({ from, to }) => from <= updated && updated < to)) expected.add(position);
        });
        expect(list.docFreq).toBe(expected.size);
        const found = [0, 1, 2].flatMap((segment) =>
          numbersOf(list.part(segment)).map((member) => (segmentStarts[segment] as number) + member),
        );
        // As text: the matcher for thousands of numbers takes longer than the search.
        expect(found.join()).toBe([...expected].join());
        for (const segment of [0, 1, 2]) {
          expect(Array.from(list.segments).includes(segment)).toBe(numbersOf(list.part(segment)).length > 0);
        }
      }),
      { numRuns: runs(10) },
    );
    database.close();
  });

  it('refuses other matches, and index entries of a caller', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hygie-instants-'));
    const writer = createSnapshotWriter({ folder, id: 'one' });
    expect(() => writer.add(practitioner('a', 'a', { _lastUpdated: ['2026'] }))).toThrow('no field _lastUpdated');
    await writer.add(practitioner('b', 'b', {}));
    const snapshot = await openSnapshot(join(folder, (await writer.finish()).file));
    for (const clause of [
      { field: '_lastUpdated', match: 'exact', anyOf: ['2026'] },
      { field: 'identifier', match: 'range', anyOf: [{}] },
    ] as const) {
      const query = { type: 'Practitioner' as const, clauses: [clause], limit: 1, total: false };
      await expect(snapshot.search(query)).rejects.toThrow('not indexed for matching');
    }
    await snapshot.close();
    rmSync(folder, { recursive: true });
  });
});

// An edition of 5,000 resources and more is built in threads, one for each type, and their files are joined. Whatever the resources, that
// file and the one of its renewal have the rows that one thread writes, in every table.
describe('a snapshot built in threads', () => {
  const WORDS = ['rue', 'de', 'la', 'paix', 'paris', 'st', 'Élodie', 'martin', 'martine', 'mart', '75002'];
  const KEYS = ['true', 'sys|a', 'sys|', '|b', 'c'];

  interface Drawn {
    type: ResourceType;
    name: string[];
    keys: string[];
  }
  const drawn: fc.Arbitrary<Drawn> = fc.record({
    type: fc.constantFrom(...RESOURCE_TYPES),
    name: fc.array(
      fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }).map((words) => words.join(' ')),
      { maxLength: 3 },
    ),
    keys: fc.array(fc.constantFrom(...KEYS), { maxLength: 3 }),
  });

  /** Whatever is drawn, each type has resources with several items, and some that the renewal changes and removes. */
  const EACH = RESOURCE_TYPES.flatMap((type) =>
    Array.from({ length: 9 }, (): Drawn => ({ type, name: ['rue de paris', 'st martin'], keys: ['sys|', 'true'] })),
  );

  /** Every field of the type has the drawn words or keys. */
  function resourceOf({ type, name, keys }: Drawn, at: number, elements: object): IndexedResource {
    const id = `r${(at * 7919) % 1009}`;
    const positions = keys.map((_, nth) => positionItem({ latitude: (at * 7) % 90, longitude: nth - (at % 180) }));
    const items = { words: name, exact: keys, position: positions };
    const fields = Object.entries(INDEX_FIELDS[type]).map(([field, match]) => [field, items[match]]);
    const resource = { resourceType: type, id, name, ...elements };
    return { type, id, sortKey: name[0] ?? '', resource, index: Object.fromEntries(fields) };
  }

  /** Writes an edition, and upon it another one that lacks each third resource and changes each fourth. */
  async function write(folder: string, all: readonly Drawn[], threadsFrom: number): Promise<string[]> {
    const limits = { inline: 2, segment: 16, longLists: 1, shortLists: 1 };
    const files: string[] = [];
    for (const [id, created, left] of [
      ['first', new Date('2026-11-20T05:00:00Z'), () => true],
      ['renewed', new Date('2026-11-21T05:00:00Z'), (at: number) => at % 3 > 0],
    ] as const) {
      const previous = files[0];
      const options = { folder, id, created, limits, threadsFrom, ...(previous !== undefined && { previous }) };
      const writer = createSnapshotWriter(options);
      for (const [at, one] of all.entries())
        if (left(at)) await writer.add(resourceOf(one, at, at % 4 === 0 ? { edition: id } : {}));
      files.push(join(folder, (await writer.finish()).file));
    }
    return files;
  }

  function tablesOf(file: string): Record<string, unknown[]> {
    const database = new BetterSqlite3(file, { readonly: true });
    const names = database.prepare<[], string>("select name from sqlite_master where type = 'table'").pluck().all();
    const tables = names.map((name) => [name, database.prepare(`select * from ${name} order by 1, 2`).raw().all()]);
    database.close();
    return Object.fromEntries(tables);
  }

  it('has the rows of one that was built in one thread, and so has its renewal', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(drawn, { maxLength: 60 }), async (some) => {
        const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'hygie-builders-'))) as [string, string];
        try {
          const all = [...EACH, ...some];
          const [one, many] = [await write(folders[0], all, 1e6), await write(folders[1], all, 1)];
          for (const at of [0, 1]) {
            const expected = tablesOf(one[at] as string);
            expect(tablesOf(many[at] as string)).toEqual(expected);
            const empty = Object.keys(expected).filter((name) => expected[name]?.length === 0);
            expect(empty).toEqual(at === 0 ? ['gone'] : []);
          }
        } finally {
          for (const folder of folders) rmSync(folder, { recursive: true, force: true });
        }
      }),
      // EACH fills every table in every run.
      { numRuns: runs(1) },
    );
  });
});
