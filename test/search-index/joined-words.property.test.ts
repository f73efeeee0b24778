// Issue: words that are written together or apart find each other in names. The rule is written here once more, plainly, and compared with
// the index: searches are parsed by the parameter tables, names are drawn.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ORGANIZATION } from '#directory/resources/organization.ts';
import { PRACTITIONER } from '#directory/resources/practitioner.ts';
import { createSearchParser } from '#directory/search/parse-search.ts';
import { indexResource } from '#import/fhir/index-entries.ts';
import { synonymsOf } from '#search-index/abbreviations.ts';
import type { Snapshot } from '#search-index/snapshot.ts';
import { walked, writtenSnapshot } from '#support/search-index/written-snapshot.ts';
import { runs } from '#support/seed.ts';

const OWN = { base: 'https://hygie.example/directory/v2', namespace: 'https://hygie.example' };
const PARSERS = {
  Practitioner: createSearchParser(PRACTITIONER, OWN),
  Organization: createSearchParser(ORGANIZATION, OWN),
};

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .match(/[a-z0-9]+/g) ?? [];

/** What neighbouring words of one name make together: two, of which the last is no initial; three after short ones; initials in a row. */
function together(words: readonly string[]): string[] {
  const made: string[] = [];
  for (let from = 0; from < words.length; from++) {
    for (let to = from + 2; to <= words.length; to++) {
      const run = words.slice(from, to);
      const [first = '', second = ''] = run;
      const last = run.at(-1) ?? '';
      const two = run.length === 2 && last.length > 1;
      const three = run.length === 3 && first.length <= 3 && second.length <= 3 && last.length > 1;
      const initial = (word = '') => /^[a-z]$/.test(word);
      const initials = run.every(initial) && !initial(words[from - 1]) && !initial(words[to]);
      if (two || three || initials) made.push(run.join(''));
    }
  }
  return made;
}

/** Whether a name, in its parts whose words are no neighbours, has all words of a search. */
function isNamed(parts: readonly string[], searched: string, equivalents: boolean): boolean {
  const words = parts.flatMap(wordsOf);
  const made = parts.flatMap((part) => together(wordsOf(part)));
  const query = wordsOf(searched);
  const isFound = (at: number): boolean => {
    const word = query[at] as string;
    if (words.some((one) => one.startsWith(word))) return true;
    if (equivalents && synonymsOf(word).some((synonym) => words.includes(synonym))) return true;
    if (made.includes(word)) return true;
    // The word is a later part of what neighbours in the search make together.
    for (let from = 0; from < at; from++) {
      for (let to = at; to < query.length; to++) {
        const run = query.slice(from, to + 1);
        const initials = run.every((one) => /^[a-z]$/.test(one)) && isWholeRun(query, from, to);
        if ((initials || isPairOrTriple(run)) && words.includes(run.join(''))) return true;
      }
    }
    return false;
  };
  return query.every((_, at) => isFound(at));
}

function isWholeRun(words: readonly string[], from: number, to: number): boolean {
  return !/^[a-z]$/.test(words[from - 1] ?? '') && !/^[a-z]$/.test(words[to + 1] ?? '');
}

function isPairOrTriple(run: readonly string[]): boolean {
  const last = run.at(-1) ?? '';
  if (last.length < 2) return false;
  return run.length === 2 || (run.length === 3 && run.slice(0, 2).every((word) => word.length <= 3));
}

const PARTS = [
  'le',
  'gall',
  'legall',
  'jean',
  'pierre',
  'jeanpierre',
  'd',
  'herve',
  'dherve',
  'du',
  'de',
  'la',
  'tour',
  'delatour',
  'latour',
  'van',
  'den',
  'berg',
  'vandenberg',
];
const MORE = [
  'c',
  'h',
  'u',
  'chu',
  'st',
  'saint',
  '12',
  'bis',
  '3eme',
  'gal',
  'leg',
  'all',
  'marti',
  'n',
  'martin',
  'ch',
];
/** Three words of which the first two are short enough, or not, and what they make together. Single words hardly ever come in this order. */
const THREE = [
  'de la tour',
  'delatour',
  'van den berg',
  'vandenberg',
  'jean de berg',
  'jeandeberg',
  'du jean berg',
  'dujeanberg',
];
const part = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...PARTS, ...MORE) },
  { weight: 1, arbitrary: fc.constantFrom(...THREE) },
);
const name = fc
  .array(part, { minLength: 1, maxLength: 4 })
  .chain((words) =>
    fc
      .array(fc.constantFrom(' ', '-', "'", '. '), { minLength: words.length, maxLength: words.length })
      .map((signs) => words.map((word, at) => word.toUpperCase() + (at < words.length - 1 ? signs[at] : '')).join('')),
  );
const person = fc.record({ family: name, given: fc.array(name, { minLength: 1, maxLength: 2 }) });
const searched = fc
  .array(part, { minLength: 1, maxLength: 4 })
  .map((words) => words.join(' '))
  .filter((text) => text.replaceAll(' ', '').length > 1);

/** Ids of all pages in their order, and the total that each page tells. */
async function walk(snapshot: Snapshot, type: 'Practitioner' | 'Organization', query: string) {
  const { clauses } = PARSERS[type](query, { lenient: false });
  const { ids, totals } = await walked(snapshot, { type, clauses }, 3);
  return { ids: ids.sort(), totals };
}

const limits = fc.record({
  segment: fc.constantFrom(3, 64_000),
  inline: fc.constantFrom(0, 512),
  shortLists: fc.constantFrom(0, 12),
  postings: fc.constantFrom(1, 4_000_000),
});

describe('words written together or apart', () => {
  it('in names of people find what the rule says, with exact totals on every page', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(person, { maxLength: 12 }),
        fc.array(searched, { minLength: 1, maxLength: 12 }),
        limits,
        async (people, searches, some) => {
          const id = (at: number) => `person-${String(at).padStart(2, '0')}`;
          const resources = people.map((one, at) =>
            indexResource({ resourceType: 'Practitioner', id: id(at), name: [one] }),
          );
          const expected = (parts: (one: (typeof people)[number]) => readonly string[], text: string) =>
            people.flatMap((one, at) => (isNamed(parts(one), text, false) ? [id(at)] : []));
          await using snapshot = await writtenSnapshot(resources, { limits: some });
          for (const text of searches) {
            for (const [parameter, parts] of [
              ['name', ({ family, given }: (typeof people)[number]) => [family, given.join(' ')]],
              ['family', ({ family }: (typeof people)[number]) => [family]],
              ['given', ({ given }: (typeof people)[number]) => [given.join(' ')]],
            ] as const) {
              const ids = expected(parts, text);
              const found = await walk(snapshot, 'Practitioner', `${parameter}=${encodeURIComponent(text)}`);
              expect({ parameter, text, ...found }).toEqual({ parameter, text, ids, totals: [ids.length] });
            }
          }
        },
      ),
      { numRuns: runs(15) },
    );
  });

  it('in names of structures do so beside the usual abbreviations', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(name, { maxLength: 12 }),
        fc.array(searched, { minLength: 1, maxLength: 12 }),
        limits,
        async (names, searches, some) => {
          const id = (at: number) => `structure-${String(at).padStart(2, '0')}`;
          const resources = names.map((one, at) =>
            indexResource({ resourceType: 'Organization', id: id(at), name: one }),
          );
          await using snapshot = await writtenSnapshot(resources, { limits: some });
          for (const text of searches) {
            const ids = names.flatMap((one, at) => (isNamed([one], text, true) ? [id(at)] : []));
            const found = await walk(snapshot, 'Organization', `name=${encodeURIComponent(text)}`);
            expect({ text, ...found }).toEqual({ text, ids, totals: [ids.length] });
          }
        },
      ),
      { numRuns: runs(15) },
    );
  });

  it('legall finds who has le and gall as neighbours, and who has a word that begins so', async () => {
    const FAMILIES = [
      'LE GALL',
      'LEGALL',
      'LEGALLOU',
      'LE GALLOU',
      'GALL LE',
      'LE MARTIN GALL',
      "LE'GALL",
      'LEGAL L',
      'LEGAL',
    ];
    const resources = FAMILIES.map((family, at) =>
      indexResource({ resourceType: 'Practitioner', id: `p-${at}`, name: [{ family }] }),
    );
    await using snapshot = await writtenSnapshot(resources);
    const idsOf = async (text: string) => (await walk(snapshot, 'Practitioner', `family=${text}`)).ids;
    expect(await idsOf('legall')).toEqual(['p-0', 'p-1', 'p-2', 'p-6']);
    expect(await idsOf('le+gall')).toEqual(['p-0', 'p-1', 'p-3', 'p-4', 'p-5', 'p-6']);
  });
});
