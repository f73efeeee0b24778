// SEC-81: what is served with corrections is the register less what is hidden, whatever is asked, and nothing is ever added.

import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { correctionKey } from '#directory/corrections/affected.ts';
import { matches, searched } from '#directory/corrections/matches.ts';
import { TABLES } from '#directory/resources/resource-types.ts';
import { orderValue } from '#directory/search/near.ts';
import { createSearchParser } from '#directory/search/parse-search.ts';
import { isChained, type SearchQuery, type Snapshot, type StoredResource } from '#search-index/index.ts';
import { INDEX_FIELDS, type IndexedResource, RESOURCE_TYPES, type ResourceType } from '#search-index/snapshot.ts';
import type { Correction } from '#store/snapshots/corrections.ts';
import { corrected, correction, entriesOf, indexedEdition } from '#support/directory/corrected.ts';
import { NAMESPACE } from '#support/directory/edition.ts';
import { openIndex } from '#support/directory/open-index.ts';
import { openedForAll } from '#support/opened.ts';
import { runs } from '#support/seed.ts';
import { fuzzQueries } from '../search/fuzz-queries.ts';

describe('corrected snapshots', () => {
  const QUERIES = Number(process.env['HYGIE_FUZZ'] ?? 300);
  const ALL = 100_000;
  const EDITION = indexedEdition();
  const RECORDS = EDITION.filter(({ type }) => type !== 'PractitionerRole').map(({ type, id }) => `${type}/${id}`);
  const NAMED = RECORDS.filter((record) => !record.includes('crowd'));

  const raw = openedForAll(() => openIndex(EDITION));
  let stored: Record<ResourceType, StoredResource[]>;
  beforeAll(async () => {
    const all = async (type: ResourceType) =>
      (await raw.search({ type, clauses: [], limit: ALL, total: false })).matches;
    stored = Object.fromEntries(
      await Promise.all(RESOURCE_TYPES.map(async (type) => [type, await all(type)])),
    ) as never;
  });

  const PARSERS = new Map(
    TABLES.map((table) => [table.type, createSearchParser(table, { base: 'https://d.example', namespace: NAMESPACE })]),
  );

  /** Queries as the directory makes them of random searches; those that it refuses are left out. */
  const queries = fuzzQueries
    .map(({ type, query }): SearchQuery | undefined => {
      try {
        const parsed = PARSERS.get(type as ResourceType)?.(query, { lenient: true });
        if (!parsed) return undefined;
        const { clauses, exactly, order } = parsed;
        return {
          type: type as ResourceType,
          clauses,
          limit: ALL,
          total: true,
          ...(order && { order }),
          ...(exactly.length > 0 && { exactly }),
        };
      } catch {
        return undefined;
      }
    })
    .filter((query) => query !== undefined);

  /** Corrections of every kind, of values that stand in the edition; one in four has ended. */
  const somewhere = fc.oneof(fc.constantFrom(...NAMED), fc.constantFrom(...RECORDS));
  const part = fc.constantFrom<readonly [Correction['what'], string | undefined]>(
    ['record', undefined],
    ['mailbox', undefined],
    ['mailbox', 'Crowd.0@mssante.example'],
    ['mailbox', 'jean2@other.example'],
    ['phone', undefined],
    ['phone', '0033 1 40 00 00 01'],
    ['address', undefined],
    ['address', '67000'],
    ['address', 'rue haute'],
  );
  const corrections = fc.array(
    fc.tuple(somewhere, part, fc.nat({ max: 3 })).map(([record, [what, value], dice]) => {
      const endedAt = new Date('2026-11-21T09:00:00Z');
      const key = value === undefined ? undefined : correctionKey(what, value);
      return correction(record, what, key, dice === 0 ? { endedAt } : {});
    }),
    { maxLength: 30 },
  );

  const plain = (query: SearchQuery) => JSON.stringify(query);

  const whole = { clauses: [], limit: ALL, total: true } as const;
  /** What random searches ask too seldom. */
  const FIXED: readonly SearchQuery[] = [
    ...RESOURCE_TYPES.flatMap((type) =>
      Object.keys(INDEX_FIELDS[type]).flatMap((field) =>
        [true, false].map((present) => ({ ...whole, type, clauses: [{ field, match: 'present' as const, present }] })),
      ),
    ),
    { ...whole, type: 'Practitioner', exactly: [{ field: 'given', texts: ['Paula'] }] },
    { ...whole, type: 'Practitioner', exactly: [{ field: 'given', texts: ['PAULA'] }] },
  ];

  it('a query on one resource finds what the search index finds, for random queries of every parameter', async () => {
    const all = RESOURCE_TYPES.flatMap((type) =>
      stored[type].map((one) => ({
        type,
        id: one.id,
        resource: searched(type, one, entriesOf(JSON.parse(one.json))),
      })),
    );
    let seen = 0;
    const check = async (query: SearchQuery) => {
      const clauses = query.clauses.filter((clause) => !isChained(clause));
      if (clauses.length < query.clauses.length) return;
      const page = await raw.search(query).catch(() => undefined);
      if (!page) return;
      const own = all.filter(({ type, resource }) => type === query.type && matches(resource, { ...query, clauses }));
      const ids = page.matches.map(({ id }) => id);
      expect([plain(query), own.map(({ id }) => id).sort()]).toEqual([plain(query), ids.sort()]);
      if (ids.length > 0) seen++;
    };
    for (const query of FIXED) await check(query);
    await fc.assert(fc.asyncProperty(queries, check), { numRuns: QUERIES });
    expect(seen).toBeGreaterThan(QUERIES / 20);
  });

  describe('a snapshot with corrections', () => {
    it('is searched like one that was built without what is hidden, page by page', async () => {
      await fc.assert(
        fc.asyncProperty(
          corrections,
          fc.array(queries, { minLength: 20, maxLength: 20 }),
          fc.integer({ min: 1, max: 60 }),
          async (made, asked, size) => {
            const served = corrected(raw, () => made);
            const rebuilt = await openIndex(await leftOf(served));
            try {
              for (const query of asked) {
                // The rebuilt one has other instants. Roles keep the place of a structure that is hidden.
                if (query.order?.by === 'field' && query.order.field === 'organization') continue;
                if (query.order?.by === 'updated' || query.clauses.some(({ match }) => match === 'range')) continue;
                const expected = await rebuilt.search(query).catch(() => undefined);
                if (!expected) continue;
                const walked = await walk(served, { ...query, limit: size });
                expect([plain(query), walked.ids]).toEqual([plain(query), expected.matches.map(({ id }) => id)]);
                expect(new Set(walked.totals)).toEqual(new Set([expected.total]));
                expect(await back(served, { ...query, limit: size })).toEqual(walked.ids);
              }
            } finally {
              await rebuilt.close();
            }
          },
        ),
        { numRuns: Math.max(1, Math.round(QUERIES / 100)) },
      );
    });

    it('is in the order of its own instants, each resource once', async () => {
      await fc.assert(
        fc.asyncProperty(corrections, fc.boolean(), fc.integer({ min: 7, max: 90 }), async (made, descending, size) => {
          const served = corrected(raw, () => made);
          for (const type of RESOURCE_TYPES) {
            const query = {
              type,
              clauses: [],
              limit: size,
              total: true,
              order: { by: 'updated' as const, descending },
            };
            const { ids, totals, instants } = await walk(served, query);
            const shown = await Promise.all(stored[type].map(({ id }) => served.read(type, id)));
            expect(ids.toSorted()).toEqual(shown.flatMap((one) => (one ? [one.id] : [])).sort());
            expect(new Set(totals)).toEqual(new Set([ids.length]));
            const sorted = instants.toSorted();
            expect(instants).toEqual(descending ? sorted.reverse() : sorted);
            const since = Date.parse('2026-11-20T00:00:00Z');
            const clauses = [{ field: '_lastUpdated', match: 'range' as const, anyOf: [{ from: since }] }];
            const changed = await walk(served, { ...query, clauses });
            expect(changed.ids).toEqual(ids.filter((_, at) => Date.parse(instants[at] as string) >= since));
          }
        }),
        { numRuns: runs(5) },
      );
    });

    it('has no trace of what ended before a resource changed, and no version twice', async () => {
      const before = stored.Practitioner.find(({ json }) => json.includes('"phone"'));
      const record = `Practitioner/${before?.id}`;
      const changedAt = Date.parse(before?.lastUpdated ?? '');
      const one = (id: number, over?: number) => ({
        ...correction(record, 'phone'),
        id,
        ...(over !== undefined && { endedAt: new Date(changedAt + over) }),
      });
      const versionOf = async (...made: Correction[]) => {
        const found = await corrected(raw, () => made).read('Practitioner', before?.id ?? '');
        return found?.versionId;
      };
      expect(await versionOf(one(1, 0))).toBe(before?.versionId);
      const versions = [[], [one(1)], [one(1, 1000)], [one(1, 1000), one(2)], [one(3)], [one(3, 1000)]];
      const served = await Promise.all(versions.map((made) => versionOf(...made)));
      expect(new Set(served).size).toBe(versions.length);
    });

    it('adds nothing: each element was there before, and every way to read says the same', async () => {
      await fc.assert(
        fc.asyncProperty(corrections, async (made) => {
          const served = corrected(raw, () => made);
          for (const type of RESOURCE_TYPES) {
            const lines = (await served.scan(type, { from: 0, to: ALL })).split('\n').filter(Boolean);
            const scanned = new Map(lines.map((line) => [JSON.parse(line).id, line]));
            const gone = new Map((await served.listGone(type, { limit: ALL })).map((one) => [one.id, one]));
            const { matches: found } = await served.search({ type, clauses: [], limit: ALL, total: false });
            expect(found.map(({ json }) => json).sort()).toEqual([...scanned.values()].sort());
            for (const before of stored[type]) {
              const after = await served.read(type, before.id);
              expect(scanned.get(before.id)).toBe(after?.json);
              expect(await served.gone(type, before.id)).toEqual(gone.get(before.id));
              expect(gone.has(before.id)).toBe(after === undefined);
              // What is shown as it was has nothing new.
              if (!after || after.json === before.json) continue;
              const [old, now] = [before, after].map(({ json }) => JSON.parse(json));
              expect([now.meta.versionId, now.meta.lastUpdated]).toEqual([after.versionId, after.lastUpdated]);
              expect(after.versionId).not.toBe(before.versionId);
              expect(after.json).not.toMatch(/\{\}|\[\]/);
              const had = new Set(leavesOf({ ...old, meta: undefined }));
              expect(leavesOf({ ...now, meta: undefined }).filter((leaf) => !had.has(leaf))).toEqual([]);
            }
          }
        }),
        { numRuns: runs(6) },
      );
    });
  });

  /** The resources that are served, as an import would load them. */
  async function leftOf(served: Snapshot): Promise<IndexedResource[]> {
    const left = EDITION.map(async (one) => {
      const { json } = (await served.read(one.type, one.id)) ?? {};
      if (json === undefined) return [];
      const { meta: _, ...resource } = JSON.parse(json);
      return [{ ...one, resource, index: entriesOf(resource) }];
    });
    return (await Promise.all(left)).flat();
  }

  /** The values of a resource with their paths, without the numbers of lists. */
  function leavesOf(value: unknown, path = ''): string[] {
    if (typeof value !== 'object' || value === null) return [`${path}=${String(value)}`];
    return Object.entries(value).flatMap(([key, one]) => leavesOf(one, Array.isArray(value) ? path : `${path}.${key}`));
  }

  /** The value of a resource in the order of a query, as page links carry it. */
  function cursorOf({ order, clauses }: SearchQuery, resource: StoredResource) {
    const instant = orderValue(order, clauses)(resource);
    return instant === undefined ? {} : { instant };
  }

  async function walk(snapshot: Snapshot, query: SearchQuery) {
    const ids: string[] = [];
    const instants: string[] = [];
    const totals: (number | undefined)[] = [];
    let cursor = {};
    for (let more = true; more; ) {
      const page = await snapshot.search({ ...query, ...cursor });
      totals.push(page.total);
      for (const { id, lastUpdated } of page.matches) {
        ids.push(id);
        instants.push(lastUpdated);
      }
      const last = page.matches.at(-1);
      more = page.more;
      if (!last) {
        expect(more).toBe(false);
        break;
      }
      cursor = { after: last.position, ...cursorOf(query, last) };
    }
    return { ids, instants, totals };
  }

  /** The same from the last page to the first. */
  async function back(snapshot: Snapshot, query: SearchQuery): Promise<string[]> {
    const { order } = query;
    const ids: string[] = [];
    let edge: Partial<SearchQuery> = order?.descending ? { before: -1, instant: -1 } : { before: ALL, instant: 1e15 };
    for (let more = true; more; ) {
      const page = await snapshot.search({ ...query, ...edge });
      ids.unshift(...page.matches.map(({ id }) => id));
      more = page.more;
      const [first] = page.matches;
      if (!first) break;
      edge = { before: first.position, ...cursorOf(query, first) };
    }
    return ids;
  }
});
