// Directory data, section 5: for random fictional people and random queries the store's answer
// equals a naive scan (`naive.ts`), in pages walked to the end and in totals.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { equivalentsOf, wordsOf } from '../../../src/shared/words.ts';
import type { Clause, IndexedResource, QueryWord, Snapshot } from '../../../src/store/directory/snapshot.ts';
import { openSnapshot } from '../../../src/store/directory/sqlite-reader.ts';
import { createSnapshotWriter } from '../../../src/store/directory/sqlite-writer.ts';
import { naiveMatches } from './naive.ts';

const WORDS = [
  'Martin', 'MARTINE', 'Martinez', 'Mart', 'ma', 'm', 'Jean', 'Jeanne', 'Jean-Paul', 'Œuvrard', 'Élodie', "d'Argent",
  'rue', 'R', 'ruelle', 'St', 'Saint', 'Sainte', 'Ste', 'bd', 'Boulevard', 'boul', 'Gal', 'général', 'Leclerc', 'Paris',
  'Pari', '75012', '750', '7', 'cedex', 'zo', 'Zoé', '\u{20000}\u{20001}', '\u{20000}x', 'ＡＢ', 'ＡＣ', 'ß',
]; // biome-ignore format: a list of words

const word = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 1, arbitrary: fc.stringMatching(/^[abé]{1,3}$/) },
);
const item = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
const key = fc.constantFrom('a', 'b', 'sys|a', 'sys|b', 'sys|', '|a', 'c', 'true', 'false', '');

const resource = fc
  .record({
    sortKey: fc.array(word, { maxLength: 2 }).map((words) => wordsOf(words.join(' ')).join(' ')),
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
  const folded = wordsOf(text)[0] ?? 'x';
  const prefix = Array.from(folded)
    .slice(0, Math.max(1, Array.from(folded).length - cut))
    .join('');
  return { prefix, whole: equivalentsOf(prefix) };
});
const wordsClause = (field: string): fc.Arbitrary<Clause> =>
  fc
    .array(fc.array(queryWord, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((anyOf) => ({ field, match: 'words', anyOf }));
const exactClause = (field: string): fc.Arbitrary<Clause> =>
  fc.array(key, { maxLength: 3 }).map((anyOf) => ({ field, match: 'exact', anyOf }));
const clauses = (vocabulary: string) =>
  fc.array(fc.oneof(wordsClause('name'), wordsClause('address'), exactClause('identifier'), exactClause(vocabulary)), {
    maxLength: 3,
  });
const query = fc.oneof(
  fc.record({ type: fc.constant('Practitioner' as const), clauses: clauses('qualification') }),
  fc.record({ type: fc.constant('Organization' as const), clauses: clauses('type') }),
);

/** Ids of all pages of a walk. */
async function walk(
  snapshot: Snapshot,
  asked: { type: 'Practitioner' | 'Organization'; clauses: Clause[] },
  limit: number,
) {
  const ids: string[] = [];
  const totals = new Set<number | undefined>();
  for (let after: number | undefined; ; ) {
    const page = await snapshot.search({ ...asked, limit, total: true, ...(after === undefined ? {} : { after }) });
    ids.push(...page.matches.map(({ id }) => id));
    totals.add(page.total);
    if (!page.more) return { ids, totals: [...totals] };
    expect(page.matches).toHaveLength(limit);
    after = page.matches.at(-1)?.position as number;
  }
}

describe('search of a snapshot', () => {
  it('answers as a naive scan does, whatever the people, the query, the page and the cut into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        edition,
        fc.array(query, { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 1, max: 40 }),
        fc.record({
          chunk: fc.constantFrom(4, 7, 33, 64_000),
          bitmap: fc.constantFrom(1, 3, 4000),
          inline: fc.constantFrom(0, 2, 512),
          longLists: fc.constantFrom(1, 3),
          shortLists: fc.constantFrom(0, 1, 32),
          postings: fc.constantFrom(1, 20, 6_000_000),
        }),
        async (resources, queries, limit, limits) => {
          const folder = mkdtempSync(join(tmpdir(), 'hygie-search-'));
          try {
            const writer = createSnapshotWriter({ folder, id: 'drawn', limits });
            for (const one of resources) await writer.add(one);
            const { file } = await writer.finish();
            const snapshot = await openSnapshot(join(folder, file));
            try {
              for (const asked of queries) {
                const expected = naiveMatches(resources, asked);
                const found = await walk(snapshot, asked, limit);
                expect(found).toEqual({ ids: expected, totals: [expected.length] });
                const without = await snapshot.search({ ...asked, limit, total: false });
                expect(without.matches.map(({ id }) => id)).toEqual(expected.slice(0, limit));
                expect(without.more).toBe(expected.length > limit);
                expect(without).not.toHaveProperty('total');
                const cheap = await snapshot.search({ ...asked, limit, total: 'unless-costly' });
                expect([undefined, expected.length]).toContain(cheap.total);
                expect(cheap.matches).toEqual(without.matches);
              }
            } finally {
              await snapshot.close();
            }
          } finally {
            rmSync(folder, { recursive: true });
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
