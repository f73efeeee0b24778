// Directory import: what is done to the characters of a register's text, one class after the other; and what is odd in FHIR.

import { describe, expect, it } from '@jest/globals';
import { oddities } from '#import/fhir/read-resources.ts';
import { cleanText } from '#import/sources/clean-text.ts';

describe("a register's text", () => {
  it.each([
    ['plain', "D'HERVÉ-Œuvre ² ß ﬁ ’ €", "D'HERVÉ-Œuvre ² ß ﬁ ’ €", []],
    ['control characters, C1 too', 'a\u0000\u0007b\u0085c', 'a b c', ['control-character']],
    ['zero-width characters', 'a\u200bb\u200cc\u200dd\u2060e\ufefff', 'abcdef', ['invisible-character']],
    ['soft hyphens, marks of direction', 'a\u00adb\u200e\u202a\u202c\u2066\u2069c', 'abc', ['invisible-character']],
    ['fillers, noncharacters, annotations', 'a\u3164\u034f\ufdd0\uffff\ufff9b', 'ab', ['invisible-character']],
    ['blanks of all kinds', 'a\u00a0b\u202fc\u2007d\u3000e\u2028f', 'a b c d e f', ['unusual-form']],
    ['accents apart', 'E\u0301\u0327', '\u0228\u0301', ['unusual-form']],
    ['half a character', 'a\ud800b\udc00', 'a\ufffdb\ufffd', ['broken-character']],
    ['a whole one', 'a\ud83d\ude00', 'a\ud83d\ude00', []],
    ['all at once', '\u0001\u200b\u00a0', '  ', ['control-character', 'invisible-character', 'unusual-form']],
  ])('%s', (_, text, kept, kinds) => {
    const heard: string[] = [];
    expect(cleanText(text, (kind) => heard.push(kind))).toBe(kept);
    expect(heard).toEqual(kinds);
  });
});

describe('a birth date', () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const thisYear = new Date().getUTCFullYear();
  it.each([
    [inDays(0), false],
    [inDays(3), true],
    [String(thisYear), false],
    [String(thisYear + 2), true],
    [String(thisYear - 129), false],
    [String(thisYear - 132), true],
  ])('%s: implausible %s', (birthDate, implausible) => {
    const resource = { resourceType: 'Practitioner', id: 'x', birthDate } as const;
    expect(oddities(resource, '{}', {})).toEqual(implausible ? ['implausible-birth-date'] : []);
  });
});
