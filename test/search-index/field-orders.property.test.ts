// Orders by a field: pages in both directions are those of a sorted list, whatever the resources, the criteria and the page.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type Clause,
  type IndexedResource,
  RESOURCE_TYPES,
  type ResourceType,
  SORT_FIELDS,
} from '#search-index/snapshot.ts';
import { compareByField } from '#support/search-index/field-order.ts';
import { naiveMatches } from '#support/search-index/naive.ts';
import { walked, writtenSnapshot } from '#support/search-index/written-snapshot.ts';
import { runs } from '#support/seed.ts';

const WORDS = ['Le', 'Havre', 'LEA', 'Saint', 'st', 'Œuilly', 'Ôz', 'a', 'A-a', '75', '--', '\u{20000}', 'ＡＢ', 'lé'];
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }).map((words) => words.join(' '));
/** Texts that differ in the eighth word count, those that differ in the ninth do not. */
const long = fc.constantFrom('a b c d e f g h', 'a b c d e f g i', 'a b c d e f g h z', 'a b c d e f g h y');
const items = fc.array(fc.oneof({ weight: 2, arbitrary: text }, { weight: 1, arbitrary: long }), { maxLength: 3 });

const reference = (type: string) =>
  fc.option(fc.nat({ max: 150 }).map((at) => `${type}/${idAt(at)}`)).map((key) => (key === null ? [] : [key]));
const idAt = (at: number) => `id-${(at * 7919) % 1009}`;

const edition = fc
  .array(
    fc.record({
      type: fc.constantFrom<ResourceType>('Practitioner', 'Organization', 'PractitionerRole'),
      sortKey: fc.constantFrom('', 'b', 'c'),
      given: items,
      'address-city': items,
      practitioner: reference('Practitioner'),
      organization: reference('Organization'),
    }),
    { maxLength: 200, size: 'max' },
  )
  .map((drawn) =>
    drawn.map(({ type, sortKey, ...all }, at): IndexedResource => {
      const id = idAt(at);
      const index = Object.fromEntries(Object.entries(all).filter(([field]) => SORT_FIELDS[type].includes(field)));
      return { type, id, sortKey, resource: { resourceType: type, id }, index };
    }),
  );

const clause = (field: string): fc.Arbitrary<Clause> => {
  const others = fc.oneof(
    fc.boolean().map((present): Clause => ({ field, match: 'present', present })),
    fc.constantFrom(0, 7, 91).map((at): Clause => ({ field: 'id', match: 'exact', anyOf: [idAt(at)], not: true })),
    fc.array(fc.nat({ max: 150 })).map((some): Clause => ({ field: 'id', match: 'exact', anyOf: some.map(idAt) })),
  );
  const words = fc
    .constantFrom('a', 'le', 'sa', 'h', 'zz')
    .map((prefix): Clause => ({ field, match: 'words', anyOf: [[{ prefix, whole: [] }]] }));
  return field === 'organization' ? others : fc.oneof(words, others);
};
const queries = (field: string) => fc.array(fc.array(clause(field), { maxLength: 2 }), { minLength: 1, maxLength: 4 });

/** Positions by reference. */
function positionIn(resources: readonly IndexedResource[]) {
  const positions = RESOURCE_TYPES.flatMap((type) =>
    naiveMatches(resources, { type, clauses: [] }).map((id, position) => [`${type}/${id}`, position] as const),
  );
  const known = new Map<string, number>(positions);
  return (reference: string) => known.get(reference);
}

describe('an order by a field', () => {
  it('is that of the first item, or of what a reference leads to, none last, ties in alphabetical order, and turned round', async () => {
    await fc.assert(
      fc.asyncProperty(
        edition,
        fc.record({
          Practitioner: queries('address-city'),
          Organization: queries('address-city'),
          PractitionerRole: queries('organization'),
        }),
        fc.constantFrom(1, 3, 9, 40),
        fc.constantFrom(4, 33, 64_000),
        async (resources, queries, limit, segment) => {
          await using snapshot = await writtenSnapshot(resources, { limits: { segment } });
          for (const type of RESOURCE_TYPES) {
            for (const field of SORT_FIELDS[type]) {
              for (const clauses of queries[type]) {
                const byId = new Map(resources.map((one) => [one.id, one.index]));
                const compare = compareByField(field, positionIn(resources));
                const expected = naiveMatches(resources, { type, clauses }).sort((a, b) =>
                  compare(byId.get(a) ?? {}, byId.get(b) ?? {}),
                );
                const order = { by: 'field', field } as const;
                const totals = [expected.length];
                const up = await walked(snapshot, { type, clauses, order: { ...order, descending: false } }, limit);
                expect(up).toEqual({ ids: expected, totals });
                const down = await walked(snapshot, { type, clauses, order: { ...order, descending: true } }, limit);
                expect(down).toEqual({ ids: expected.toReversed(), totals });
              }
            }
          }
        },
      ),
      { numRuns: runs(3) },
    );
  });
});
