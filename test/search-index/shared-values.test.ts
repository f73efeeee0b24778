// What writer and reader share, by value: fields and bounds of a file, words, hashes and their buckets.

import { describe, expect, it } from '@jest/globals';
import { synonymsOf } from '#search-index/abbreviations.ts';
import {
  BITMAP_WORDS,
  BUCKETS_PER_FIELD,
  blobOf,
  bufferOf,
  FIELDS,
  FIRST_LIST,
  fieldsOf,
  hashTermKey,
  isOlderLayout,
  isWideKey,
  LAYOUT,
  LIST_LIMITS,
  NO_DOC_ID,
  NO_VALUE,
  PAGE_SIZE,
  SEGMENTS_PER_LIST,
  SMALL_FILE,
  SORTED_WORDS,
  TABLE_OF,
} from '#search-index/file-layout.ts';
import { bucketOf, buildHashBuckets, docIdsIn, everyDocIdIn, hashedFrom, hashKey } from '#search-index/hash-buckets.ts';
import { joinedWords, joiningOf, suffixOf } from '#search-index/joined-words.ts';
import {
  byType,
  INDEX_FIELDS,
  isResourceType,
  REFERENCES,
  RESOURCE_TYPES,
  SORT_FIELDS,
} from '#search-index/snapshot.ts';
import { fold, foldedWords, tokenize } from '#search-index/tokenizer.ts';

describe('the fields of the index', () => {
  const of = (type: (typeof RESOURCE_TYPES)[number], kind: string) =>
    FIELDS.filter((field) => field.type === type && field.kind === kind).map(({ name }) => name);

  it('are of these kinds, in the order of their numbers', () => {
    expect(FIELDS.map(({ number }) => number)).toEqual(FIELDS.map((_, at) => at));
    expect(FIELDS.map(({ type }) => type)).toEqual(
      RESOURCE_TYPES.flatMap((type) => Array(Object.keys(INDEX_FIELDS[type]).length + 2).fill(type)),
    );
    const person = ['name', 'family', 'given', 'address', 'address-city', 'address-postalcode'];
    expect([of('Practitioner', 'words'), of('Organization', 'words'), of('PractitionerRole', 'words')]).toEqual([
      person,
      ['name', 'address', 'address-city', 'address-postalcode'],
      [],
    ]);
    expect([of('Practitioner', 'keyword'), of('Organization', 'keyword'), of('PractitionerRole', 'keyword')]).toEqual([
      ['qualification', 'active'],
      ['type', 'active'],
      ['role', 'specialty', 'active'],
    ]);
    expect([of('Practitioner', 'hash'), of('Organization', 'hash'), of('PractitionerRole', 'hash')]).toEqual([
      ['identifier', 'telecom', 'id'],
      ['identifier', 'part-of', 'telecom', 'id'],
      ['practitioner', 'organization', 'id'],
    ]);
    expect([of('Organization', 'position'), of('Practitioner', 'instant')]).toEqual([['near'], ['_lastUpdated']]);
    const targets = FIELDS.flatMap(({ name, target }) => (target ? [[name, target]] : []));
    expect(targets).toEqual([
      ['part-of', 'Organization'],
      ['practitioner', 'Practitioner'],
      ['organization', 'Organization'],
    ]);
    expect(REFERENCES.Practitioner).toEqual({});
    expect(SORT_FIELDS).toEqual({
      Practitioner: ['given', 'address-city'],
      Organization: ['address-city'],
      PractitionerRole: ['practitioner', 'organization'],
    });
  });

  it('are carried in groups', () => {
    const groups = Object.entries(fieldsOf('Organization')).map(([group, fields]) => [
      group,
      fields.map(({ name }) => name),
    ]);
    expect(Object.fromEntries(groups)).toEqual({
      all: [
        'name',
        'address',
        'address-city',
        'address-postalcode',
        'identifier',
        'part-of',
        'type',
        'telecom',
        'active',
        'near',
        'id',
        '_lastUpdated',
      ],
      words: ['name', 'address', 'address-city', 'address-postalcode'],
      keyed: ['identifier', 'part-of', 'type', 'telecom', 'active', 'id'],
      paired: ['identifier', 'part-of', 'telecom', 'near', 'id'],
    });
  });

  it('are stored within these bounds', () => {
    expect(LIST_LIMITS).toEqual({
      segment: 64_000,
      bitmap: 4000,
      inline: 512,
      longLists: 3,
      shortLists: 12,
      postings: 4_000_000,
    });
    expect([BITMAP_WORDS, PAGE_SIZE, SEGMENTS_PER_LIST, BUCKETS_PER_FIELD, SORTED_WORDS, SMALL_FILE]).toEqual([
      2000, 16_384, 65_536, 16_777_216, 8, 33_554_432,
    ]);
    expect([FIRST_LIST, NO_DOC_ID, NO_VALUE]).toEqual([
      { Practitioner: 0, Organization: 2 ** 30, PractitionerRole: 2 ** 31 },
      0xffff_ffff,
      { narrow: 0xffff, wide: 0xffff_ffff },
    ]);
    expect(TABLE_OF).toEqual({
      Practitioner: 'practitioner',
      Organization: 'organization',
      PractitionerRole: 'practitioner_role',
    });
    expect([LAYOUT, ...['4-abcdef01', '5-abcdef01', '6-x', '0', undefined].map(isOlderLayout)]).toEqual([
      expect.stringMatching(/^5-[0-9a-f]{8}$/),
      true,
      false,
      false,
      true,
      false,
    ]);
    expect([isWideKey('sys|'), isWideKey('sys|a'), hashTermKey(255, 4096)]).toEqual([true, false, '#ff.1000']);
    const numbers = Uint16Array.from([1, 2, 3]).subarray(1);
    expect([...blobOf(numbers)]).toEqual([2, 0, 3, 0]);
    expect([...new Uint16Array(bufferOf(blobOf(numbers)))]).toEqual([2, 3]);
    expect(() => bufferOf(undefined)).toThrow('a part of the file is missing: import the edition again');
  });

  it('belong to three types', () => {
    expect([RESOURCE_TYPES, byType((type) => type.length)]).toEqual([
      ['Practitioner', 'Organization', 'PractitionerRole'],
      { Practitioner: 12, Organization: 12, PractitionerRole: 16 },
    ]);
    expect(['Practitioner', 'PractitionerRole', 'practitioner', '', undefined].map(isResourceType)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('words', () => {
  it('of addresses and structures stand for these others, and for no more', () => {
    const CLASSES =
      `saint st|sainte ste|boulevard bd bld boul blvd bvd|avenue av ave|rue r|place pl|route rte|chemin che chem|allee all|
      impasse imp|square sq|faubourg fg fbg|quartier qua|residence res|batiment bat|general gal gen|docteur dr|professeur pr|marechal mal|
      president pdt|centre ctre`
        .split('|')
        .map((words) => words.trim().split(' '));
    for (const words of CLASSES)
      for (const word of words) expect(synonymsOf(word)).toEqual(words.filter((one) => one !== word));
  });

  it('of special letters are spelt out, apostrophes that count as letters too', () => {
    expect(fold('ŒœÆæßÞþıØøĐđÐðŁłĦħŦŧŊŋς™')).toBe('oeoeaeaessththiooddddllhhttnnσtm');
    expect(fold('aʹbʺcʻdʼeʽfʾgʿhˈiˮjꞌk')).toBe("a'b'c'd'e'f'g'h'i'j'k");
    expect([fold('A b9'), foldedWords('A  b-É'), foldedWords('a b'), foldedWords(' A'), tokenize(' a  b ')]).toEqual([
      'a b9',
      'a b e',
      'a b',
      'a',
      ['a', 'b'],
    ]);
  });

  it('behind a number have one form, and fields that join words are these', () => {
    const forms = 'b bis t ter q quater e eme ieme er ere re nd nde z'.split(' ').map(suffixOf);
    expect(forms).toEqual('b b t t q q e e e er er er nd nd z'.split(' '));
    expect(['', 'bi', '1', 'é', 'rue', 'aa'].map(suffixOf)).toEqual(Array(6).fill(undefined));
    const joining = ['name', 'family', 'given', 'address', 'address-city', 'address-postalcode', 'toString'].map(
      joiningOf,
    );
    expect(joining).toEqual(['names', 'names', 'names', 'numbers', 'numbers', undefined, undefined]);
    expect(joinedWords('name', 'abc abc x abcd c 3 h u')).toEqual(['abcabc', 'abcxabcd', 'xabcd', 'hu']);
  });
});

describe('keys by their hash', () => {
  const hashOf = (key: string, from?: number) => {
    const hash = new Uint32Array(2);
    hashKey(key, hash, from);
    return [...hash];
  };

  it('have these, which a file of this layout has', () => {
    expect([hashOf(''), hashOf('a'), hashOf('urn:oid:1.2|810000000001')]).toEqual([
      [1217125560, 451841411],
      [303239758, 3661977055],
      [2601739486, 2200324223],
    ]);
    expect([hashOf('Practitioner/a', 13), hashedFrom('Practitioner/a', 'Practitioner')]).toEqual([hashOf('a'), 13]);
    expect(
      ['a', 'Practitioner', 'Practitioners/a', 'Organization/a'].map((key) => hashedFrom(key, 'Practitioner')),
    ).toEqual([0, 0, 0, 0]);
    expect(hashedFrom('Practitioner/a', undefined)).toBe(0);
    expect([
      bucketOf(0xffff_ffff, 0),
      bucketOf(0xf000_0000, 4),
      bucketOf(0x0fff_ffff, 4),
      bucketOf(0x8000_0000, 1),
    ]).toEqual([0, 15, 0, 1]);
  });

  it('stand in buckets of 64 on average, in their order, each doc id once; a key of more has a list', () => {
    const build = (
      entries: [high: number, low: number, ordinal: number][],
      docIds = (ordinal: number) => ordinal * 10,
    ) => {
      const buckets: [number, number[]][] = [];
      const lists: unknown[] = [];
      const spill = Uint32Array.from(entries.flat());
      const docIdOf = Uint32Array.from({ length: 200 }, (_, ordinal) => docIds(ordinal));
      const bits = buildHashBuckets(spill, docIdOf, {
        bucket: (bucket, row) => void buckets.push([bucket, [...row]]),
        longList: (...list) => void lists.push(list),
      });
      return { bits, buckets, lists };
    };
    const entries: [number, number, number][] = [
      [9, 1, 3],
      [9, 1, 2],
      [9, 0, 4],
      [7, 5, 1],
      [9, 1, 3],
    ];
    expect(build(entries)).toEqual({ bits: 0, buckets: [[0, [7, 5, 10, 9, 0, 40, 9, 1, 20, 9, 1, 30]]], lists: [] });
    const group = (count: number) => Array.from({ length: count }, (_, at): [number, number, number] => [5, 6, at]);
    expect(build(group(64)).lists).toEqual([]);
    const long = build([...group(65), [5, 7, 1]]);
    expect(long.lists).toEqual([[5, 6, Uint32Array.from({ length: 65 }, (_, at) => at * 10)]]);
    expect(long.buckets).toEqual([[0, [5, 6, NO_DOC_ID, 5, 7, 10]]]);
    expect([
      docIdsIn(Uint32Array.from(long.buckets[0]?.[1] ?? []), 5, 6),
      docIdsIn(Uint32Array.from([1, 2, 3, 1, 2, 4, 1, 3, 5]), 1, 2),
    ]).toEqual([undefined, [3, 4]]);
    expect(everyDocIdIn(Uint32Array.from([5, 6, NO_DOC_ID, 5, 7, 10, 5, 8, 11]))).toEqual([10, 11]);
    const bitsOf = (count: number) =>
      build(Array.from({ length: count }, (_, at) => [at * 30_000_000, at, at % 200])).bits;
    expect([bitsOf(1), bitsOf(64), bitsOf(65), bitsOf(128), bitsOf(129)]).toEqual([0, 0, 1, 1, 2]);
    const split = build([[0x7fff_ffff, 0, 1], [0x8000_0000, 0, 2], ...group(63)]);
    expect([split.bits, split.buckets.map(([bucket, row]) => [bucket, row.length / 3])]).toEqual([
      1,
      [
        [0, 64],
        [1, 1],
      ],
    ]);
  });
});
