// fhir-stu3, Search: accents, case, oe / ae, apostrophes and hyphens never matter; directory-data section 2: usual
// abbreviations find each other.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fold, synonymsOf, tokenize } from '#search-index/tokenizer.ts';
import '#support/seed.ts';

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

describe('2. abbreviations', () => {
  it.each([
    ['saint', ['st']],
    ['st', ['saint']],
    ['sa', []],
    ['boulevard', ['bd', 'bld', 'boul']],
    ['bd', ['boulevard', 'bld', 'boul']],
    ['ste', ['sainte']],
    ['r', ['rue']],
    ['gal', ['general', 'gen']],
    ['paris', []],
  ])('of %s: %j', (word, others) => {
    expect([...synonymsOf(word)].sort()).toEqual([...others].sort());
  });
});
