// The forms of texts that index and searches must agree on: joined words, keys, plain text, and the marks of encoded resources.

import { describe, expect, it } from '@jest/globals';
import {
  contactKeys,
  hashedKey,
  labelKey,
  nationalNumber,
  numberKeys,
  referenceKey,
  systemKey,
  tokenKeys,
} from '#search-index/exact-keys.ts';
import { joinedWords, writtenForms } from '#search-index/joined-words.ts';
import { repeated } from '#search-index/snapshot-writer.ts';
import { decodeText, MARKS, markOf, scalarOf } from '#search-index/text-dictionary.ts';
import { isInvisible, plainText, withoutInvisible } from '#search-index/tokenizer.ts';
import { createDictionaryEncoder } from '#search-index/write/dictionary-encoder.ts';

describe('what neighbouring words make together', () => {
  it.each([
    ['name', 'Le Gall', ['legall']],
    ['name', 'de la Tour', ['dela', 'delatour', 'latour']],
    ['family', 'Abc de Tour', ['abcde', 'abcdetour', 'detour']],
    ['family', 'Abcd de Tour', ['abcdde', 'detour']],
    ['family', 'Abc deux Tour', ['abcdeux', 'deuxtour']],
    ['given', 'Michel E', []],
    ['given', 'de la E', ['dela']],
    ['name', 'C.H.U.', ['chu']],
    ['name', 'Nord C.H.', ['ch']],
    ['name', '1 2', []],
    ['name', 'Le\nGall', []],
    ['address', 'Z.A. Nord', ['za']],
    ['address', '12 bis rue Haute', ['12b']],
    ['address', '12 B', ['12b']],
    ['address', '12 quater', ['12q']],
    ['address-city', '1 er', ['1er']],
    ['address', '2 ieme', ['2e']],
    ['address', '3 nde', ['3nd']],
    ['address', '1234 z', ['1234z']],
    ['address', '12345 b', []],
    ['address', '12 rue', []],
    ['telecom', 'Le Gall', []],
    ['toString', 'Le Gall', []],
  ])('in %s, %j: %j', (field, item, words) => {
    expect(joinedWords(field, item)).toEqual(words);
  });

  it.each([
    [
      'address',
      ['12', 'bis'],
      [
        [[], ['12']],
        [
          ['12b', '12bis'],
          ['bis', '12b'],
        ],
      ],
    ],
    ['address', ['12ter'], [[['12t', '12ter'], ['12t']]]],
    ['address', ['12z'], [[['12z'], ['12z']]]],
    ['address', ['12345b'], [[[], ['12345b']]]],
    ['name', ['12bis'], [[[], ['12bis']]]],
    [
      'name',
      ['le', 'gall'],
      [
        [[], ['le']],
        [['legall'], ['gall']],
      ],
    ],
    [
      'name',
      ['c', 'h'],
      [
        [[], []],
        [['ch'], []],
      ],
    ],
    [
      'telecom',
      ['le', 'gall'],
      [
        [[], []],
        [[], []],
      ],
    ],
  ] as const)('and a search in %s for %j looks for them', (field, words, forms) => {
    expect(writtenForms(field, words)).toEqual(forms.map(([whole, joined]) => ({ whole, joined })));
  });
});

describe('keys', () => {
  it('of a token are its value with, without and for any of its system', () => {
    expect(tokenKeys({ system: 'urn:x', value: 'a\u200bb' })).toEqual(['ab', 'urn:x|ab', 'urn:x|']);
    expect(tokenKeys({ value: 'A' })).toEqual(['A', '|A']);
    expect([systemKey('urn:x'), referenceKey('Organization', '7'), labelKey("Chirurgie  de l'Œil")]).toEqual([
      'urn:x|',
      'Organization/7',
      '~chirurgie de l oeil',
    ]);
  });

  it.each([
    ['01 23.45-67 89', '0123456789'],
    ['+33 1 23 45 67 89', '0123456789'],
    ['+33 (0)1 23 45 67 89', '0123456789'],
    ['0033123456789', '0123456789'],
    ['+32 2 555', '00322555'],
    ['accueil', ''],
  ])('of the telephone number %s have its national form %j', (written, national) => {
    expect(nationalNumber(written)).toBe(national);
  });

  it('of a number are both forms, of which equal and empty ones are left out', () => {
    expect(numberKeys(' 01 23 ')).toEqual(['01 23', '0123']);
    expect(numberKeys('0123')).toEqual(['0123']);
    expect(numberKeys('Accueil')).toEqual(['accueil']);
  });

  it.each([
    [{ system: 'phone', value: '01 23' }, ['01 23', '0123', 'phone|', 'phone|01 23', 'phone|0123']],
    [{ system: 'fax', value: '0123' }, ['0123', 'fax|', 'fax|0123']],
    [{ system: 'url', value: 'HTTPS://x.example/1 2' }, ['https://x.example/1 2', 'url|', 'url|https://x.example/1 2']],
    [{ value: 'A@x.example' }, ['a@x.example']],
    [{ system: 'email' }, []],
    [
      { system: 'email', value: 'a@x', extension: [{ valueCoding: { code: 'MSSANTE' } }] },
      ['a@x', 'email|', 'email|a@x', 'mss|', 'mss|a@x'],
    ],
    [
      { system: 'email', value: 'a@x', extension: [{ valueCoding: { code: 'APICRYPT' } }] },
      ['a@x', 'email|', 'email|a@x'],
    ],
  ])('of the contact %j', (contact, keys) => {
    expect(contactKeys(contact)).toEqual(keys);
  });

  it.each([
    ['telecom', 'phone|01', '01'],
    ['telecom', 'mss|a@x', 'a@x'],
    ['telecom', 'phone|', 'phone|'],
    ['telecom', 'urn:x|01', 'urn:x|01'],
    ['identifier', 'phone|01', 'phone|01'],
  ])('in %s, %s is looked up as %s', (field, key, hashed) => {
    expect(hashedKey(field, key)).toBe(hashed);
  });
});

describe('plain text', () => {
  it.each([
    ['a\u200bb\u00ad', 'ab', 'ab'],
    ['a\u00a0b\u202fc', 'a b c', 'a\u00a0b\u202fc'],
    ['e\u0301', '\u00e9', 'e\u0301'],
    ['\ufb01 A', '\ufb01 A', '\ufb01 A'],
    ["L'Haÿ", "L'Haÿ", "L'Haÿ"],
  ])('of %j', (text, plain, visible) => {
    expect([plainText(text), withoutInvisible(text)]).toEqual([plain, visible]);
  });

  it('is invisible if nothing but blanks and invisible characters is there', () => {
    expect(['', ' \u00a0', '\u200b\u00ad ', 'a', '\u200b.'].map(isInvisible)).toEqual([true, true, true, false, false]);
  });
});

describe('marks of encoded texts', () => {
  it('are two characters while there are, then three, and each decodes to its own text', () => {
    const marks = Array.from({ length: MARKS }, (_, number) => markOf(number));
    expect([0, 95, 96, 2879, 2880, 2976, 12_095].map((at) => marks[at])).toEqual([
      '\x01 ',
      '\x01\x7f',
      '\x02 ',
      '\x1e\x7f',
      '\x1f  ',
      '\x1f! ',
      '\x1f\x7f\x7f',
    ]);
    expect([MARKS, new Set(marks).size]).toEqual([12_096, 12_096]);
    const texts = marks.map((_, number) => `<${number}>`);
    expect(decodeText(`a${marks.join('-')}z`, texts)).toBe(`a${texts.join('-')}z`);
  });

  it.each([
    ['"a"', 'a'],
    ['1', 1],
    ['true', true],
    ['null', undefined],
    ['[1]', undefined],
    ['{}', undefined],
    ['{', undefined],
  ])('stand for values such as %s: %j', (text, value) => {
    expect(scalarOf(text)).toEqual(value);
  });

  it('are made once for a text, however often it comes', () => {
    const encoder = createDictionaryEncoder();
    const encoded = Array.from({ length: 3 }, () => String(encoder.encode({ part: repeated({ code: 'one' }) })));
    expect(new Set(encoded).size).toBe(1);
    expect(encoder.texts).toEqual(['"part":', '{"code":"one"}']);
  });

  it('are made of the first 64 values of a property, and of no text that is shorter than a mark saves', () => {
    const encoder = createDictionaryEncoder();
    for (let at = 0; at < 70; at++) encoder.encode({ code: at, '': 'x' });
    expect(encoder.texts.filter((text) => /^"code":\d/.test(text))).toHaveLength(64);
    expect(encoder.texts.filter((text) => text.startsWith('"":'))).toEqual(['"":"x"']);
  });

  it('are made of a run of parts when it comes for the seventeenth time', () => {
    const encoder = createDictionaryEncoder();
    const run = ',"use":"work","rank":1}';
    const made = Array.from({ length: 17 }, () => {
      encoder.encode({ use: 'work', rank: 1 });
      return encoder.texts.includes(run);
    });
    expect(made.lastIndexOf(false)).toBe(15);
    expect(encoder.encode({ use: 'work', rank: 1 })).toHaveLength(2);
  });
});

describe('an encoded resource', () => {
  it('is its JSON with a mark for each pair of name and value that comes again, and each name', () => {
    const encoder = createDictionaryEncoder();
    const encode = (resource: object) => String(encoder.encode({ resourceType: 'T', id: '1', ...resource }));
    const whole = {
      use: 'work',
      n: 1.5,
      no: null,
      list: [1, 'a', { use: 'work' }, []],
      none: {},
      gone: undefined,
      ok: true,
    };
    const first = encode(whole);
    expect(decodeText(first, encoder.texts)).toBe(
      ',"use":"work","n":1.5,"no":null,"list":[1,"a",{"use":"work"},[]],"none":{},"ok":true}',
    );
    expect(encoder.texts).toEqual([
      '"use":',
      '"use":"work"',
      '"n":',
      '"n":1.5',
      '"no":',
      '"no":null',
      '"list":',
      '"none":',
      '"ok":',
      '"ok":true',
    ]);
    expect(first).toBe(',\x01!,\x01#,\x01%,\x01&[1,"a",{\x01!},[]],\x01\'{},\x01)}');
    expect(encode({})).toBe('}');
  });

  it('has texts of its own in quotes, escaped as JSON does, in UTF-8', () => {
    const encoder = createDictionaryEncoder();
    encoder.freeze(['"name":']);
    const texts = [
      '',
      'a b',
      'é\u07ff',
      '\u0800',
      '"',
      '\\',
      '\n',
      '\x7f',
      '\x80',
      '\x9f',
      '\xa0',
      '\u{1f600}',
      '\ud800',
      'x'.repeat(5000),
    ];
    for (const text of texts) {
      const encoded = encoder.encode({ name: text });
      expect([text, String(encoded)]).toEqual([text, `,\x01 ${JSON.stringify(text)}}`]);
    }
    expect(String(encoder.encode({ other: 'x', name: [undefined, () => 0] }))).toBe(',"other":"x",\x01 [null,null]}');
    expect(encoder.texts).toEqual(['"name":']);
  });

  it('knows the pairs of the edition before, and looks up no marks of a property that hardly ever has them', () => {
    const before = createDictionaryEncoder(['"code":', '"code":"a"', '{"x":1}', '"code":{']);
    before.freeze();
    expect(String(before.encode({ code: 'a' }))).toBe(',\x01!}');
    expect(String(before.encode({ code: 'b', part: repeated({ x: 1 }) }))).toBe(',\x01 "b","part":\x01"}');
    const encoder = createDictionaryEncoder();
    const isMarked = (code: number) => !String(encoder.encode({ code })).endsWith(`${code}}`);
    for (let code = 0; code < 1999; code++) isMarked(code);
    // Until now it was looked up, and hardly anything came twice.
    expect([isMarked(0), isMarked(0), isMarked(63), isMarked(64)]).toEqual([true, false, false, false]);
  });
});
