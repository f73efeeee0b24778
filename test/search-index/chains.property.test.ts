// STU3 search 3.1.1.5.6 and 3.1.1.5.7: chains and `_has` find what a naive join over the resources finds (`naive.ts`), in pages walked to
// the end and in totals, in one thread and in several.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type ChainedClause,
  type Clause,
  type FieldClause,
  type IndexedResource,
  REFERENCES,
  RESOURCE_TYPES,
  type ResourceType,
} from '#search-index/snapshot.ts';
import { startSearchThreads } from '#search-index/threads/search-threads.ts';
import { naiveMatches } from '#support/search-index/naive.ts';
import { walked, writtenFile, writtenSnapshot } from '#support/search-index/written-snapshot.ts';
import { runs } from '#support/seed.ts';

const word = fc.constantFrom('anne', 'anna', 'martin', 'martine', 'maison', 'paris', 'p');
const name = fc.array(word, { maxLength: 3 }).map((words) => words.join(' '));
const key = fc.constantFrom('a', 'b', 'sys|a', 'sys|', 'c');
/** Whom a reference leads to: mostly somebody, often the same few, sometimes nobody. */
const target = fc.oneof(fc.nat({ max: 4 }), fc.nat({ max: 89 }), fc.constantFrom(undefined, 'nobody', 'elsewhere'));
type Target = number | string | undefined;

const drawn = fc.record({
  type: fc.constantFrom(...RESOURCE_TYPES),
  name,
  keys: fc.array(key, { maxLength: 3 }),
  one: target,
  other: target,
});

/** An edition in which the resources of each type are numbered. */
const edition = fc.array(drawn, { minLength: 20, maxLength: 270, size: 'max' }).map((all) => {
  const count: Record<ResourceType, number> = { Practitioner: 0, Organization: 0, PractitionerRole: 0 };
  return all.map(({ type, name: text, keys, one, other }): IndexedResource => {
    const id = idOf(count[type]++);
    const index = {
      Practitioner: { name: [text], identifier: keys },
      Organization: { name: [text], type: keys, 'part-of': reference('Organization', one) },
      PractitionerRole: {
        practitioner: reference('Practitioner', one),
        organization: reference('Organization', other),
        specialty: keys,
      },
    }[type];
    return { type, id, sortKey: text, resource: { resourceType: type, id }, index };
  });
});

function idOf(number: number): string {
  return `id-${(number * 7919) % 1009}`;
}

function reference(type: ResourceType, to: Target): string[] {
  if (to === undefined) return [];
  if (to === 'elsewhere') return [`https://other.example/${type}/1`];
  return [`${type}/${typeof to === 'number' ? idOf(to) : to}`];
}

const inNames: fc.Arbitrary<FieldClause> = fc
  .array(fc.array(word, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 })
  .map((alternatives) => ({
    field: 'name',
    match: 'words',
    anyOf: alternatives.map((words) => words.map((prefix) => ({ prefix, whole: [] }))),
  }));
const exact = (field: string, keys: fc.Arbitrary<string>): fc.Arbitrary<FieldClause> =>
  fc
    .record({ anyOf: fc.array(keys, { maxLength: 3 }), not: fc.boolean() })
    .map((rest) => ({ field, match: 'exact', ...rest }));
const present = (...fields: string[]): fc.Arbitrary<FieldClause> =>
  fc.record({ field: fc.constantFrom(...fields), match: fc.constant('present' as const), present: fc.boolean() });
const keyOf = (type: ResourceType) => target.map((to) => reference(type, to)[0] ?? 'x');

const CRITERIA: Record<ResourceType, fc.Arbitrary<FieldClause>> = {
  Practitioner: fc.oneof(
    inNames,
    exact('identifier', key),
    present('name', 'identifier', 'id'),
    exact('id', fc.nat({ max: 30 }).map(idOf)),
  ),
  Organization: fc.oneof(
    inNames,
    exact('type', key),
    exact('part-of', keyOf('Organization')),
    present('part-of', 'type'),
  ),
  PractitionerRole: fc.oneof(
    exact('specialty', key),
    exact('practitioner', keyOf('Practitioner')),
    exact('organization', keyOf('Organization')),
    present('practitioner', 'specialty'),
  ),
};

const PATHS = RESOURCE_TYPES.flatMap((type) =>
  Object.entries(REFERENCES[type]).flatMap(([field, of]) => [
    { type, path: { match: 'chained' as const, field, of } },
    { type: of, path: { match: 'has' as const, field, of: type } },
  ]),
);

const chainOf = (type: ResourceType): fc.Arbitrary<ChainedClause> =>
  fc.constantFrom(...PATHS.filter((one) => one.type === type).map(({ path }) => path)).chain((path) =>
    fc
      .record(
        {
          clauses: fc.array(CRITERIA[path.of], { minLength: 1, maxLength: 2 }),
          also: fc.array(fc.nat({ max: 60 }).map(idOf), { minLength: 1, maxLength: 3 }),
        },
        { requiredKeys: ['clauses'] },
      )
      .map((rest) => ({ ...path, ...rest })),
  );
const query = fc.constantFrom(...RESOURCE_TYPES).chain((type) =>
  fc
    .tuple(chainOf(type), fc.array(fc.oneof(CRITERIA[type] as fc.Arbitrary<Clause>, chainOf(type)), { maxLength: 2 }))
    .chain(([first, others]) => fc.shuffledSubarray([first, ...others], { minLength: others.length + 1 }))
    .map((clauses) => ({ type, clauses })),
);

const limits = fc.record({
  segment: fc.constantFrom(4, 33, 64_000),
  bitmap: fc.constantFrom(1, 4000),
  inline: fc.constantFrom(0, 512),
});

describe('chains', () => {
  it('find what a naive join finds, whatever the edition, the criteria, the page and the cut into segments', async () => {
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(
        edition,
        fc.array(query, { minLength: 10, maxLength: 30 }),
        limits,
        fc.integer({ min: 1, max: 40 }),
        async (resources, queries, cut, limit) => {
          await using snapshot = await writtenSnapshot(resources, { limits: cut });
          for (const asked of queries) {
            const expected = naiveMatches(resources, asked);
            if (expected.length > 0) seen++;
            expect(await walked(snapshot, asked, limit)).toEqual({ ids: expected, totals: [expected.length] });
            const down = { ...asked, order: { by: 'updated' as const, descending: true } };
            expect((await walked(snapshot, down, limit)).ids).toEqual(expected.toReversed());
            const cheap = await snapshot.search({ ...asked, limit: 0, total: 'unless-costly' });
            expect([undefined, expected.length]).toContain(cheap.total);
          }
        },
      ),
      { numRuns: runs(8) },
    );
    expect(seen).toBeGreaterThan(50);
  });

  it('find the same in several threads, in an edition that was built in several', async () => {
    await fc.assert(
      fc.asyncProperty(edition, fc.array(query, { minLength: 30, maxLength: 60 }), async (resources, queries) => {
        const file = await writtenFile(resources, { threadsFrom: 1, limits: { segment: 16 } });
        const searches = startSearchThreads({ threads: 2 });
        const snapshot = await searches.open(file);
        const found = await Promise.all(queries.map((asked) => walked(snapshot, asked, 25)));
        for (const [at, asked] of queries.entries()) expect(found[at]?.ids).toEqual(naiveMatches(resources, asked));
        await snapshot.close();
        await searches.close();
      }),
      { numRuns: runs(1) },
    );
  });
});
