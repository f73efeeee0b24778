// Look-ups in the tables of a file: which lists are found, how many rows are read for them, what is remembered, and where a search is too costly.

import { afterEach, describe, expect, it } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import { BUCKETS_PER_FIELD, blobOf, SCHEMA } from '#search-index/file-layout.ts';
import { BitmapPool } from '#search-index/read/doc-id-bitmap.ts';
import { type OpenField, openTermDictionary, type PostingList } from '#search-index/read/term-dictionary.ts';

const TERM = '\u0002';
const PREFIX = '\u0001';
const JOIN = '\u0003';
const FIELD: OpenField = { number: 4, name: 'name', kind: 'words', bits: 0 };

describe('a term dictionary', () => {
  const opened: BetterSqlite3.Database[] = [];
  afterEach(() => {
    for (const database of opened.splice(0)) database.close();
  });
  /** Terms with their lists: (segment, n, n doc ids)..., or the number of a list with its parts by segment. */
  function dictionary(
    terms: Record<string, number[] | { list: number; parts: Record<number, number[]> }>,
    field = FIELD,
  ) {
    const statements: string[] = [];
    const database = new BetterSqlite3(':memory:', { verbose: (sql) => void statements.push(String(sql)) });
    opened.push(database);
    database.exec(SCHEMA);
    const term = database.prepare('insert into term (field, key, doc_freq, list, members) values (?, ?, ?, ?, ?)');
    const posting = database.prepare('insert into posting (id, members) values (?, ?)');
    let frequency = 0;
    for (const [key, content] of Object.entries(terms)) {
      frequency += 1;
      if (Array.isArray(content)) term.run(field.number, key, frequency, null, blobOf(Uint16Array.from(content)));
      else {
        const segments = Object.keys(content.parts).map(Number);
        term.run(field.number, key, frequency, content.list, blobOf(Uint16Array.from(segments)));
        for (const [segment, members] of Object.entries(content.parts))
          posting.run(content.list * 65_536 + Number(segment), blobOf(Uint16Array.from(members)));
      }
    }
    const bucket = database.prepare('insert into key_hash (id, entries) values (?, ?)');
    const opening = openTermDictionary(database, new BitmapPool());
    statements.length = 0;
    /** Number of statements since the last call. */
    const asked = () => statements.splice(0).length;
    return {
      ...opening,
      asked,
      bucket: (number: number, ...entries: number[]) =>
        bucket.run(field.number * BUCKETS_PER_FIELD + number, blobOf(Uint32Array.from(entries))),
    };
  }
  const shown = (lists: Iterable<PostingList>) =>
    [...lists].map((list) => [
      list.docFreq,
      Object.fromEntries(Array.from(list.segments, (segment) => [segment, [...(list.part(segment) ?? [])]])),
    ]);
  const words = {
    [`${JOIN}lega${TERM}`]: [0, 1, 70],
    [`${JOIN}legall${TERM}`]: [0, 1, 71],
    [`gall${TERM}`]: [0, 1, 1, 3, 2, 4, 9],
    [`le${PREFIX}`]: { list: 2, parts: { 0: [1, 2], 3: [7] } },
    [`le${TERM}`]: [0, 1, 2],
    [`leg${TERM}`]: [3, 1, 7],
    [`lf${TERM}`]: [0, 1, 5],
  };

  it('finds a word by its beginning, by stored unions, as a whole, and as what neighbours make together', () => {
    const { ofWord, wordFrequency, hasBeginning } = dictionary(words);
    const united = [4, { 0: [1, 2], 3: [7] }];
    const lf = [7, { 0: [5] }];
    expect(shown(ofWord(FIELD, { prefix: 'gal', whole: [] }))).toEqual([[3, { 0: [1], 3: [4, 9] }]]);
    expect(shown(ofWord(FIELD, { prefix: 'l', whole: [] }))).toEqual([united, lf]);
    expect(shown(ofWord(FIELD, { prefix: 'le', whole: ['leg', 'lf', 'none'] }))).toEqual([united, lf]);
    expect(shown(ofWord(FIELD, { prefix: 'leg', whole: [] }))).toEqual([[6, { 3: [7] }]]);
    expect(shown(ofWord(FIELD, { whole: ['leg', 'le'] }))).toEqual([
      [6, { 3: [7] }],
      [5, { 0: [2] }],
    ]);
    expect(shown(ofWord(FIELD, { whole: [], joined: ['legall', 'leg'] }))).toEqual([[2, { 0: [71] }]]);
    expect(shown(ofWord(FIELD, { prefix: '', whole: [] }))).toEqual([[3, { 0: [1], 3: [4, 9] }], united, lf]);
    expect(shown(ofWord({ ...FIELD, number: 5 }, { prefix: 'l', whole: ['le'] }))).toEqual([]);
    expect(['le', 'leg', 'l', 'none'].map((word) => wordFrequency(FIELD, word))).toEqual([5, 6, 0, 0]);
    expect(['l', 'le', 'legal', ''].map((prefix) => hasBeginning(FIELD, prefix))).toEqual([true, true, false, true]);
  });

  it('asks the file once for what is looked up again and again', () => {
    const { ofWord, asked } = dictionary(words);
    const look = () => shown(ofWord(FIELD, { prefix: 'le', whole: ['gall'], joined: ['lega'] }));
    const first = look();
    const statements = asked();
    expect(statements).toBeGreaterThanOrEqual(5);
    expect([look(), asked()]).toEqual([first, 0]);
  });

  it('has the keys of a field in order with their numbers, and those of a beginning up to a thousand', () => {
    const keyword = { ...FIELD, kind: 'keyword' as const };
    const all = Object.fromEntries(
      Array.from({ length: 1001 }, (_, at) => [`k${String(at).padStart(4, '0')}${TERM}`, [0, 1, at]]),
    );
    const { everyKey, ofBeginning, ofKey, everyList, ofStoredKey } = dictionary(all, keyword);
    expect([everyKey(keyword).length, everyKey(keyword)[1]]).toEqual([1001, { key: 'k0001', count: 2 }]);
    expect(shown(ofBeginning(keyword, 'k000'))).toHaveLength(10);
    expect(shown(ofBeginning(keyword, 'k1000'))).toEqual([[1001, { 0: [1000] }]]);
    expect(() => ofBeginning(keyword, 'k')).toThrow('more than 1000 texts begin so: give more of the text');
    const { ofBeginning: ofThousand } = dictionary(Object.fromEntries(Object.entries(all).slice(1)), keyword);
    expect(ofThousand(keyword, 'k')).toHaveLength(1000);
    expect([shown(ofKey(keyword, 'k0002')), shown(ofKey(keyword, 'k'))]).toEqual([[[3, { 0: [2] }]], []]);
    expect(shown(ofStoredKey(4, `k0002${TERM}`))).toEqual([[3, { 0: [2] }]]);
    const picked = [...everyList(keyword, (key) => key.endsWith(`0${TERM}`))];
    expect([picked.length, [...everyList(keyword, () => true)].length]).toEqual([101, 1001]);
  });

  it('gives every doc id, 256 buckets at a time', () => {
    const hashed: OpenField = { number: 4, name: 'identifier', kind: 'hash', bits: 10 };
    const { bucket, everyDocId, asked } = dictionary({}, hashed);
    for (let number = 0; number < 600; number += 1) bucket(number, 1, 1, number);
    asked();
    expect([[...everyDocId(hashed)].flat(), asked()]).toEqual([Array.from({ length: 600 }, (_, at) => at), 3]);
  });
});
