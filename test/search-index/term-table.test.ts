// A term table tokenizes bytes: its terms are those of the tokenizer that queries use.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { tokenize } from '#search-index/tokenizer.ts';
import { createTermTable } from '#search-index/write/term-table.ts';
import '#support/seed.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.constantFrom(
        "D'HERVÉ",
        'Jean-Luc',
        'cœur',
        'Ænès',
        'ÿ',
        'ß',
        '²',
        '×',
        'º',
        '¼',
        '\u00ad',
        '\u200b',
        'ø',
        '\u00a0',
        'e\u0301',
        '75002',
        ' ',
        '’',
        'Saint',
      ),
    )
    .map((parts) => parts.join('')),
);

describe('a term table', () => {
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
      { numRuns: 500 },
    );
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
