// A search that finds nothing: which searches are tried, in which order, and what is told of them, word for word. On an index that answers as the
// test says; with real ones: `suggestions.test.ts`.

import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ORGANIZATION } from '#directory/resources/organization.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import { PRACTITIONER } from '#directory/resources/practitioner.ts';
import { PRACTITIONER_ROLE } from '#directory/resources/practitioner-role.ts';
import { CODE_SYSTEM } from '#directory/resources/resource-types.ts';
import { createSearchParser } from '#directory/search/parse-search.ts';
import { createSuggestions, SUGGESTION_LIMITS } from '#directory/search/suggestions.ts';
import {
  Abandoned,
  type SearchPage,
  type SearchQuery,
  type Snapshot,
  type Spellings,
  TooCostly,
  Unavailable,
} from '#search-index/index.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { own } from './understanding.ts';

const EMPTY: SearchPage = { matches: [], more: false, total: 0 };
const UNKNOWN: Spellings = { known: false, near: [], apart: [] };
const near = (...keys: string[]) => keys.map((key, at) => ({ key, count: 9 - at }));

interface Setting {
  table?: ParameterTable;
  limits?: { within: number; share: number };
  /** The total of each search that is tried, or the error with which it fails. */
  totals?: (number | Error | undefined)[];
  words?: Record<string, Partial<Spellings>>;
  /** Is called for each search that is tried. */
  searched?: () => void;
}

function helping({ table = PRACTITIONER, limits, totals = [], words = {}, searched = () => {} }: Setting) {
  const parse = createSearchParser(table, own);
  const tried: SearchQuery[] = [];
  const looked: string[] = [];
  const snapshot = {
    id: 's-1',
    search: async (query: SearchQuery) => {
      const total = totals[tried.push(query) - 1];
      searched();
      if (total instanceof Error) throw total;
      return { ...EMPTY, total: total ?? 0 };
    },
    spellings: async (type: string, { field, word }: { field: string; word: string }) => {
      looked.push(`${type}.${field} ${word}`);
      return { ...UNKNOWN, ...words[word] };
    },
  } as unknown as Snapshot;
  const suggest = createSuggestions(table, parse, limits ?? { within: Number.POSITIVE_INFINITY, share: 1 });
  const ask = async (query: string, page: SearchPage = EMPTY) => {
    const request = parse(query, { lenient: false });
    return (await suggest({ table, request, snapshot, page, abandoned: () => false })).map((issue) => {
      expect(issue).toEqual({ severity: 'information', code: 'informational', diagnostics: issue.diagnostics });
      return issue.diagnostics;
    });
  };
  return { ask, tried, looked };
}
const all = (count: number) => Array<number>(count).fill(4);
const known = (...words: string[]) => Object.fromEntries(words.map((word) => [word, { known: true }]));
const apart = (words: string) => words.split(' ') as [string, string];

describe('what is told where a search finds nothing', () => {
  withOwnSnapshots(import.meta.filename);
  afterEach(() => void jest.restoreAllMocks());

  it.each<[what: string, query: string, setting: Setting]>([
    [
      'spellings, then a word apart',
      'name=martim',
      {
        totals: all(8),
        words: { martim: { near: near('martin', 'martir', 'marti'), apart: ['mar tim', 'ma rtim'].map(apart) } },
      },
    ],
    [
      'all wrong words at once, first',
      'name=ane+matin',
      { totals: [1, 2, 3], words: { ane: { near: near('anne') }, matin: { near: near('martin') } } },
    ],
    ['words together, and as towns', 'name=mar+ti', { totals: [0, 1, 2], words: known('mar', 'ti') }],
    ['a word alone as a town', 'name=rennes', { totals: [5], words: known('rennes') }],
    [
      'a profession among the words of an address',
      'address=brest+cardiologue',
      { totals: [0, 6], words: known('brest', 'cardiologue') },
    ],
    ['labels', 'qualification=cardiolgue', { totals: [2, 3] }],
    ['a label with a comma', 'qualification=x%5C,y', { totals: [2] }],
    [
      'every criterion, titles aside',
      'name=dr+martim&identifier=1&qualification:not=10&given=a,b',
      { totals: [0, 7], words: { martim: { near: near('martin') } } },
    ],
    [
      'through a chain',
      'practitioner.name=martin+brest&_sort=_id',
      { table: PRACTITIONER_ROLE, totals: [0, 8], words: known('martin', 'brest') },
    ],
  ])('%s', async (_what, query, setting) => {
    expect((await helping(setting).ask(query)).join('\n')).toMatchSnapshot();
  });

  it('tries the likeliest first: eight searches at most, each once, and looks up three words with two spellings of each', async () => {
    const words = Object.fromEntries(
      ['aab', 'bbc', 'ccd', 'dde'].map((word) => [
        word,
        { near: near(`${word}x`, `${word}y`, `${word}z`), apart: [apart(`${word[0]} ${word.slice(1)}`)] },
      ]),
    );
    const { ask, tried, looked } = helping({ words });
    expect(await ask('name=aab+bbc+ccd+dde&active=true')).toEqual([]);
    expect(looked).toEqual(['Practitioner.name aab', 'Practitioner.name bbc', 'Practitioner.name ccd']);
    const prefixes = tried.map(({ type, limit, total, clauses: [clause, ...others] }) => {
      expect([type, limit, total, others]).toEqual([
        'Practitioner',
        0,
        'unless-costly',
        [{ field: 'active', match: 'exact', anyOf: ['true'] }],
      ]);
      return (clause as unknown as { anyOf: { prefix?: string }[][] }).anyOf[0]?.map(({ prefix }) => prefix).join(' ');
    });
    expect(prefixes).toEqual([
      'aabx bbcx ccdx dde',
      'aabx bbc ccd dde',
      'aaby bbc ccd dde',
      'a ab bbc ccd dde',
      'aab bbcx ccd dde',
      'aab bbcy ccd dde',
      'aab b bc ccd dde',
      'aab bbc ccdx dde',
    ]);
  });

  it('looks for a known word too where every word is known', async () => {
    const { ask, looked, tried } = helping({ words: { ab: { known: true, near: near('ac') } }, table: ORGANIZATION });
    await ask('name=ab');
    expect([looked, tried.length]).toEqual([['Organization.name ab'], 2]);
  });

  it('remembers what it told, until the edition is another', async () => {
    const { ask, tried } = helping({ totals: [5], words: known('rennes') });
    const told = await ask('name=rennes');
    expect(await ask('name=rennes&_count=3')).toEqual(told);
    expect(tried).toHaveLength(1);
  });

  it('remembers that nothing helps, but looks again after a search thread was busy or the time was over', async () => {
    let time = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => time);
    const asked = async (first: number | Error, took: number) => {
      const searched = () => {
        time += took;
      };
      const limits = { within: 12, share: 1 };
      const { ask, tried } = helping({ limits, totals: [first, 5], words: known('rennes'), searched });
      return [(await ask('name=rennes')).length, (await ask('name=rennes')).length, tried.length];
    };
    expect(await asked(0, 11)).toEqual([0, 0, 1]);
    expect(await asked(0, 12)).toEqual([0, 2, 2]);
    expect(await asked(new Unavailable('busy', 1), 1)).toEqual([0, 2, 2]);
    expect(await asked(new Abandoned(), 1)).toEqual([0, 2, 2]);
  });

  it.each<[what: string, query: string, setting: Setting, page?: SearchPage]>([
    ['something was found', 'name=rennes', {}, { ...EMPTY, total: 1 }],
    ['a page has matches', 'name=rennes', {}, { matches: [{} as never], more: false }],
    ['more follows', 'name=rennes', {}, { matches: [], more: true }],
    ['the total alone is asked for', 'name=rennes&_summary=count', {}],
    ['only exact values are asked for', 'identifier=1&active=true&family:exact=x', {}],
    ['there are alternatives', 'name=rennes,brest', {}],
    ['the type is one of definitions', 'name=rennes', { table: CODE_SYSTEM }],
    ['no time is left', 'name=rennes', { limits: { within: 0, share: 1 } }],
  ])('nothing is tried where %s', async (_what, query, setting, page = undefined) => {
    const { ask, tried } = helping({ totals: all(8), ...setting });
    expect([await ask(query, page), tried]).toEqual([[], []]);
  });

  it('what a text decides letter for letter is not counted', async () => {
    const { ask, tried } = helping({ totals: all(8) });
    expect([await ask('name=rennes&family:exact=X'), tried]).toEqual([[], []]);
  });

  it('a search that is too costly or not one of the type is passed over, and a busy thread ends the help', async () => {
    const words = { martim: { near: near('martin', 'martir'), apart: [apart('mar tim')] } };
    const texts = async (...totals: (number | Error)[]) =>
      (await helping({ words, totals }).ask('name=martim')).slice(1);
    const second = 'Practitioner?name=martir finds 2: martir instead of martim.';
    const third = 'Practitioner?name=mar+tim finds 3: mar tim apart.';
    expect(await texts(new TooCostly('too many'), 2, 3)).toEqual([second, third]);
    expect(await texts(0, 2, new Unavailable('busy', 1), 4)).toEqual([second]);
    expect(await texts(0, 2, new Abandoned(), 4)).toEqual([second]);
    await expect(texts(0, new Error('disk'))).rejects.toThrow('disk');
    const short = helping({ words: { ab: { near: near('a') } }, totals: all(8) });
    expect(await short.ask('name=ab')).toEqual([
      'Nothing was found with all of: name with words that begin with ab.',
      'Practitioner?address-city=ab finds 4: ab as a town.',
    ]);
  });

  it('SEC-54 rests as long as its share of the time asks, and helps nobody else meanwhile', async () => {
    expect(SUGGESTION_LIMITS).toEqual({ within: 12, share: 0.1 });
    const { ask, tried } = helping({
      limits: { within: 1e6, share: 1e-9 },
      totals: all(8),
      words: known('rennes'),
    });
    const [first, during] = await Promise.all([ask('name=rennes'), ask('name=brest')]);
    expect([first.length, during, await ask('name=lyon'), tried.length]).toEqual([2, [], [], 1]);
  });
});
