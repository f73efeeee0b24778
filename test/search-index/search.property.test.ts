// The answers of a snapshot to random searches, and the totals of dear ones.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { synonymsOf } from '#search-index/abbreviations.ts';
import { ITEM_BREAK } from '#search-index/joined-words.ts';
import type { Clause, IndexedResource, QueryWord } from '#search-index/snapshot.ts';
import { tokenize } from '#search-index/tokenizer.ts';
import { naiveMatches } from '#support/search-index/naive.ts';
import { walked, writtenSnapshot } from '#support/search-index/written-snapshot.ts';
import { runs } from '#support/seed.ts';

// Directory data, section 5: for random fictional people and random queries the store's answer
// equals a naive scan (`naive.ts`), in pages walked to the end and in totals.
describe('search of a snapshot', () => {
  const WORDS = [
    'Martin',
    'MARTINE',
    'Martinez',
    'Mart',
    'ma',
    'm',
    'Jean',
    'Jeanne',
    'Jean-Paul',
    'Œuvrard',
    'Élodie',
    "d'Argent",
    'rue',
    'R',
    'ruelle',
    'St',
    'Saint',
    'Sainte',
    'Ste',
    'bd',
    'Boulevard',
    'boul',
    'Gal',
    'général',
    'Leclerc',
    'Paris',
    'Pari',
    '75012',
    '750',
    '7',
    'cedex',
    'zo',
    'Zoé',
    '\u{20000}\u{20001}',
    '\u{20000}x',
    'ＡＢ',
    'ＡＣ',
    'ß',
  ];

  // biome-ignore format: a list of words
  const word = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 1, arbitrary: fc.stringMatching(/^[abé]{1,3}$/) },
);
  const item = fc
    .tuple(fc.array(word, { maxLength: 6 }), fc.constantFrom(' ', ITEM_BREAK))
    .map(([words, between]) => words.join(between));
  const key = fc.constantFrom('a', 'b', 'sys|a', 'sys|b', 'sys|', '|a', 'c', 'true', 'false', '');

  const resource = fc
    .record({
      sortKey: fc.array(word, { maxLength: 2 }).map((words) => tokenize(words.join(' ')).join(' ')),
      name: fc.array(item, { maxLength: 2 }),
      address: fc.array(item, { maxLength: 4 }),
      identifier: fc.array(key, { maxLength: 4 }),
      qualification: fc.array(key, { maxLength: 4 }),
    })
    .map(({ sortKey, ...index }) => ({ sortKey, index }));

  const edition = fc
    .array(fc.tuple(resource, fc.constantFrom('Practitioner' as const, 'Organization' as const)), { maxLength: 120 })
    .map((drawn) =>
      drawn.map(([{ sortKey, index }, type], at): IndexedResource => {
        const { qualification, ...others } = index;
        return {
          type,
          id: `id-${(at * 7919) % 1009}`,
          sortKey,
          resource: { resourceType: type, id: `id-${(at * 7919) % 1009}` },
          index: type === 'Practitioner' ? index : { ...others, type: qualification },
        };
      }),
    );

  const queryWord: fc.Arbitrary<QueryWord> = fc.tuple(word, fc.nat({ max: 4 })).map(([text, cut]) => {
    const folded = tokenize(text)[0] ?? 'x';
    const prefix = Array.from(folded)
      .slice(0, Math.max(1, Array.from(folded).length - cut))
      .join('');
    if (cut === 3) return { whole: [prefix] };
    return { prefix, whole: synonymsOf(prefix), ...(cut === 2 && { joined: [prefix, `${prefix}martin`, 'jeanpaul'] }) };
  });
  const wordsClause = (field: string): fc.Arbitrary<Clause> =>
    fc
      .array(fc.array(queryWord, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 })
      .map((anyOf) => ({ field, match: 'words', anyOf }));
  const exactClause = (field: string): fc.Arbitrary<Clause> =>
    fc.record({
      field: fc.constant(field),
      match: fc.constant('exact' as const),
      anyOf: fc.array(key, { maxLength: 3 }),
      not: fc.boolean(),
    });
  const beginningClause = (field: string): fc.Arbitrary<Clause> =>
    fc
      .tuple(
        fc.array(fc.constantFrom('s', 'sys', 'sys|', 'a', 't'), { minLength: 1, maxLength: 2 }),
        fc.option(fc.array(key, { maxLength: 2 })),
      )
      .map(([anyOf, whole]) => ({ field, match: 'beginning', anyOf, ...(whole && { whole }) }));
  const presenceClause = (...fields: string[]): fc.Arbitrary<Clause> =>
    fc.record({
      field: fc.constantFrom(...fields, 'id', '_lastUpdated'),
      match: fc.constant('present' as const),
      present: fc.boolean(),
    });
  const clauses = (vocabulary: string) =>
    fc.array(
      fc.oneof(
        wordsClause('name'),
        wordsClause('address'),
        exactClause('identifier'),
        exactClause(vocabulary),
        beginningClause(vocabulary),
        presenceClause('name', 'address', 'identifier', vocabulary, 'telecom'),
      ),
      { maxLength: 3 },
    );
  const query = fc.oneof(
    fc.record({ type: fc.constant('Practitioner' as const), clauses: clauses('qualification') }),
    fc.record({ type: fc.constant('Organization' as const), clauses: clauses('type') }),
  );

  /** Stands for a check of exact texts. */
  const isPicked = ({ id }: { id: string }) => Number(id.slice(3)) % 3 > 0;

  it('answers as a naive scan does, whatever the people, the query, the page and the cut into segments', async () => {
    await fc.assert(
      fc.asyncProperty(
        edition,
        fc.array(query, { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 1, max: 40 }),
        fc.record({
          segment: fc.constantFrom(4, 7, 33, 64_000),
          bitmap: fc.constantFrom(1, 3, 4000),
          inline: fc.constantFrom(0, 2, 512),
          longLists: fc.constantFrom(1, 3),
          shortLists: fc.constantFrom(0, 1, 32),
          postings: fc.constantFrom(1, 20, 6_000_000),
        }),
        async (resources, queries, limit, limits) => {
          const hasText = (_field: string, _texts: unknown, json: string) => isPicked(JSON.parse(json));
          await using snapshot = await writtenSnapshot(resources, { limits }, { hasText });
          for (const asked of queries) {
            const expected = naiveMatches(resources, asked);
            const found = await walked(snapshot, asked, limit);
            expect(found).toEqual({ ids: expected, totals: [expected.length] });
            // All are of one instant, so that both orders are one.
            for (const by of ['alphabet', 'updated'] as const) {
              const down = await walked(snapshot, { ...asked, order: { by, descending: true } }, limit);
              expect(down).toEqual({ ids: expected.toReversed(), totals: [expected.length] });
            }
            const up = await walked(snapshot, { ...asked, order: { by: 'updated', descending: false } }, limit);
            expect(up.ids).toEqual(expected);
            const some = expected.filter((id) => isPicked({ id }));
            const left = await walked(snapshot, { ...asked, exactly: [{ field: 'name', texts: [] }] }, limit);
            expect(left).toEqual({ ids: some, totals: [some.length] });
            const without = await snapshot.search({ ...asked, limit, total: false });
            expect(without.matches.map(({ id }) => id)).toEqual(expected.slice(0, limit));
            expect(without.more).toBe(expected.length > limit);
            expect(without).not.toHaveProperty('total');
            const cheap = await snapshot.search({ ...asked, limit, total: 'unless-costly' });
            expect([undefined, expected.length]).toContain(cheap.total);
            expect(cheap.matches).toEqual(without.matches);
          }
        },
      ),
      { numRuns: runs(12) },
    );
  });
});
