// Words of searches, the terms of the index, and the encoded texts of resources.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JOIN_MARK } from '#search-index/file-layout.ts';
import { hashKey } from '#search-index/hash-buckets.ts';
import { repeated } from '#search-index/snapshot-writer.ts';
import { decodeText } from '#search-index/text-dictionary.ts';
import { fold, tokenize } from '#search-index/tokenizer.ts';
import { createDictionaryEncoder, type DictionaryEncoder } from '#search-index/write/dictionary-encoder.ts';
import { createTermTable } from '#search-index/write/term-table.ts';
import { anyText } from '#support/any-text.ts';
import { runs } from '#support/seed.ts';

// fhir-stu3, Search: accents, case, oe / ae, apostrophes and hyphens never matter; directory-data section 2: usual
// abbreviations find each other.
describe('Search: words', () => {
  it.each([
    ["L'Haÿ-les-Roses", ['l', 'hay', 'les', 'roses']],
    ['CŒUR Æthelred', ['coeur', 'aethelred']],
    ['\u01fd \u00e6\u0301', ['ae', 'ae']],
    ['e\u0301lodie ÉLODIE', ['elodie', 'elodie']],
    ['  25304   PONTARLIER CEDEX ', ['25304', 'pontarlier', 'cedex']],
    ['Paris 12e  Arrondissement', ['paris', '12e', 'arrondissement']],
    ['12,rue (bis) "A"', ['12', 'rue', 'bis', 'a']],
    ['Gro\u00df GRO\u1e9eE', ['gross', 'grosse']],
    [
      'Y\u0131lmaz \u0130pek \u0141uk S\u00f8ren \u0110or\u0111e \u00de\u00f3r',
      ['yilmaz', 'ipek', 'luk', 'soren', 'dorde', 'thor'],
    ],
    ['\ufb01nel \uff21\uff22\uff11 m\u00b2 1\u1d49\u02b3 N\u00ba', ['finel', 'ab1', 'm2', '1er', 'no']],
    ['MAR\u200bTIN CHAM\u00adPION \u202bA\u2066b\u2069 \ufeffc', ['martin', 'champion', 'ab', 'c']],
    ['d\u2019Arc d\u02bcArc d\u02bbArc d\uff07Arc', ['d', 'arc', 'd', 'arc', 'd', 'arc', 'd', 'arc']],
    ['jean\u2010luc\u2011paul\u2013marc\u2212a', ['jean', 'luc', 'paul', 'marc', 'a']],
    ['a\u00a0b\u202fc\u2007d\u3000e', ['a', 'b', 'c', 'd', 'e']],
    ['- ’ .', []],
    ['', []],
  ])('of %j are %j', (text, words) => {
    expect(tokenize(text)).toEqual(words);
  });

  it('are the same however the text is written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(tokenize(text.normalize('NFD'))).toEqual(tokenize(text.normalize('NFC')));
        expect(tokenize(fold(text))).toEqual(tokenize(text));
        expect(tokenize(tokenize(text).join('-'))).toEqual(tokenize(text));
      }),
    );
  });
});

// A term table tokenizes bytes: its terms are those of the tokenizer that queries use.
describe('a term table', () => {
  const text = fc.oneof(
    anyText(),
    fc.string({ unit: 'grapheme' }),
    fc
      .array(
        fc.constantFrom(
          ...["D'HERVÉ", 'Jean-Luc', 'cœur', 'Ænès', '75002', 'Saint', 'e\u0301', ...'ÿß²×º¼\u00ad\u200bø\u00a0 ’'],
        ),
      )
      .map((parts) => parts.join('')),
  );

  it('splits and folds as the search does, whatever the text, and gives equal words one number', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 40 }), (texts) => {
        const table = createTermTable();
        const numbers = texts.map((one) => {
          const bytes = Buffer.from(one);
          const found: number[] = [];
          table.addAll(bytes, 0, bytes.length, found);
          return found;
        });
        const words = table.words();
        expect(new Set(words).size).toBe(words.length);
        expect(numbers.map((found) => found.map((number) => words[number]))).toEqual(
          texts.map((one) => tokenize(Buffer.from(one).toString())),
        );
      }),
      // Each run has up to forty texts of all the sorts above.
      { numRuns: runs(50) },
    );
  });

  it('takes words of any length, and what they make together', () => {
    const table = createTermTable();
    const long = [255, 256, 257, 600, 40_000].map((length) => 'x'.repeat(length));
    const text = Buffer.from(`de ${long.join(' ')} 12 ${'b'.repeat(7)} 12 bis 1234 é 12345 b`);
    const numbers: number[] = [];
    table.addAll(text, 0, text.length, numbers);
    table.addJoined('numbers', numbers, 0);
    const words = table.words();
    expect(words.slice(0, 6)).toEqual(['de', ...long]);
    expect(words.filter((word) => word.startsWith(JOIN_MARK))).toEqual(
      ['12b', '1234e'].map((word) => JOIN_MARK + word),
    );
    const names: number[] = [];
    const three = Buffer.from('xx de \u{20000}\u{20001}\u{20002} la tour');
    table.addAll(three, 3, three.length, names);
    table.addJoined('names', names, 0);
    expect(table.words().slice(words.length)).toEqual([
      '\u{20000}\u{20001}\u{20002}',
      'la',
      'tour',
      ...[
        'de\u{20000}\u{20001}\u{20002}',
        'de\u{20000}\u{20001}\u{20002}la',
        '\u{20000}\u{20001}\u{20002}la',
        '\u{20000}\u{20001}\u{20002}latour',
        'latour',
      ].map((word) => JOIN_MARK + word),
    ]);
  });

  it('keeps a hundred thousand words apart', () => {
    const table = createTermTable();
    const all = Array.from({ length: 100_000 }, (_, at) => `w${at.toString(36)}`);
    const bytes = Buffer.from(all.join(' '));
    const first: number[] = [];
    const second: number[] = [];
    table.addAll(bytes, 0, bytes.length, first);
    table.addAll(bytes, 0, bytes.length, second);
    const words = table.words();
    expect([first.length, second.length, words.length]).toEqual([100_000, 100_000, 100_000]);
    expect(all.findIndex((word, at) => first[at] !== at || second[at] !== at || words[at] !== word)).toBe(-1);
  });
});

// The text of a resource comes out of a snapshot as it went in: its encoding is never seen.
describe('encoded texts', () => {
  const json = fc.dictionary(
    anyText().map((name) => `x${name}`),
    fc.jsonValue({ maxDepth: 4 }),
    {
      maxKeys: 8,
      noNullPrototype: true,
    },
  );

  const pack = (encoder: DictionaryEncoder, resource: Record<string, unknown>) => encoder.encode(resource).toString();

  function unpacked(encoded: string, texts: readonly string[]): Record<string, unknown> {
    return JSON.parse(`{"resourceType":"T","id":"1"${decodeText(encoded, texts)}`);
  }

  it('decode to the same JSON, whatever it holds, with and without repeated parts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(json, fc.boolean()), { maxLength: 30 }), (resources) => {
        const encoder = createDictionaryEncoder();
        for (const [resource, again] of resources) {
          if (again)
            for (const part of Object.values(resource)) if (typeof part === 'object' && part !== null) repeated(part);
          const encoded = pack(encoder, { resourceType: 'T', id: '1', ...resource });
          expect(unpacked(encoded, encoder.texts)).toEqual({
            resourceType: 'T',
            id: '1',
            ...JSON.parse(JSON.stringify(resource)),
          });
        }
      }),
      { numRuns: runs(35) },
    );
  });

  it('go on when there are no marks left', () => {
    const encoder = createDictionaryEncoder();
    const all = Array.from({ length: 13_000 }, (_, at) => repeated({ code: `code-${at}` }));
    const encoded = all.map((part) => pack(encoder, { part, use: 'work' }));
    expect(encoder.texts.length).toBeLessThan(13_000);
    // As texts, of which thousands are compared at once.
    const shown = ({ part, use }: Record<string, unknown>) => JSON.stringify({ part, use });
    expect(encoded.map((text) => shown(unpacked(text, encoder.texts)))).toEqual(
      all.map((part) => shown({ part, use: 'work' })),
    );
  });

  it('are the same for the same resource in the next edition, and shorter than the JSON', () => {
    const resource = () => ({ identifier: [{ use: 'official', system: 'urn:oid:1.2.3', value: '42' }], active: true });
    const first = createDictionaryEncoder();
    const before = pack(first, resource());
    const second = createDictionaryEncoder(first.texts);
    pack(second, { other: 'thing' });
    expect(pack(second, resource())).toBe(before);
    expect(before.length).toBeLessThan(JSON.stringify(resource()).length / 3);
  });

  it('are the same from an encoder that learned and from one that loaded its dictionary', () => {
    const resource = fc.record({
      use: fc.constantFrom('work', 'home', 'é'),
      city: fc.string(),
      code: fc.array(
        fc.constantFrom(...['a', 'b', 'c'].map((code) => repeated({ coding: [{ code, system: 'urn:x' }] }))),
      ),
    });
    fc.assert(
      fc.property(fc.array(resource, { minLength: 40, maxLength: 60 }), fc.array(resource), (before, after) => {
        const learner = createDictionaryEncoder();
        for (const one of before) learner.encode(one);
        learner.freeze();
        const follower = createDictionaryEncoder();
        follower.freeze(learner.texts);
        for (const one of after.reverse()) {
          const encoded = pack(follower, one);
          expect(encoded).toBe(pack(learner, one));
          expect(unpacked(encoded, follower.texts)).toEqual({ resourceType: 'T', id: '1', ...one });
        }
      }),
      { numRuns: runs(35) },
    );
  });
});

it('the hash of a key has 64 bits: hardly two of many thousand keys have the same half', () => {
  const KEYS = 65_536;
  const hash = new Uint32Array(2);
  const [high, low] = [new Set<number>(), new Set<number>()];
  for (let number = 0; number < KEYS; number++) {
    hashKey(`urn:oid:1.2.250.1.71.4.2.1|8${10_000_000_000 + number}`, hash);
    high.add(hash[0] as number);
    low.add(hash[1] as number);
  }
  // By chance one pair would be expected.
  expect(KEYS - high.size).toBeLessThan(6);
  expect(KEYS - low.size).toBeLessThan(6);
});
