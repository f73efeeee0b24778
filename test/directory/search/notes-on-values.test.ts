// The notes on a value that was read in another way than people may expect, word for word; titles, escapes and dates.

import { describe, expect, it } from '@jest/globals';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import { PRACTITIONER } from '#directory/resources/practitioner.ts';
import { parseDateRanges } from '#directory/search/date-ranges.ts';
import { includedTypes } from '#directory/search/include-paths.ts';
import { splitUnescaped, titlesBefore, unescaped } from '#directory/search/parse-value.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { issuesOf, parse, saidOf } from './understanding.ts';

describe('the notes on a value', () => {
  withOwnSnapshots(import.meta.filename);

  it('in another form than people may expect', () => {
    const searches = `Practitioner?name=Dr+Duval+Anne Practitioner?name=Mme+le+Dr+Duval PractitionerRole?practitioner.name=dr+duval
      Practitioner?name:exact=dr+duval Practitioner?name=duval,dupont Practitioner?name=duval,+dupont Practitioner?address=12,rue+X
      Practitioner?address=123456,rue+X Practitioner?name=12345,duval Practitioner?address=12345
      Organization?address=1,${'a'.repeat(254)} Organization?address=12,${'a'.repeat(254)} Practitioner?identifier=1,+2`;
    expect(saidOf(searches, issuesOf)).toMatchSnapshot();
  });

  it.each([
    ['dr duval', 1],
    ['le docteur paul martin', 2],
    ['pr. duval', 1],
    ['m.duval', 1],
    ['m.d duval', 0],
    ['dr d', 0],
    ['dr', 0],
    ["m'baye", 0],
    ['drame', 0],
  ])('%s has %i words of titles', (text, count) => {
    expect(titlesBefore(text)).toBe(count);
  });
});

describe('escapes and dates', () => {
  it('a separator behind \\ is none', () => {
    expect(splitUnescaped('a\\,b,c\\\\,d,', ',')).toEqual(['a\\,b', 'c\\\\', 'd', '']);
    expect(splitUnescaped('a,b', '|')).toEqual(['a,b']);
    expect(unescaped('\\,\\|\\$\\\\\\a')).toBe(',|$\\\\a');
  });

  const at = (...parts: [number, number?, number?, number?, number?, number?, number?]) =>
    Date.UTC(parts[0], parts[1] ?? 0, ...parts.slice(2));
  const DAY = { from: at(2026, 10, 21), to: at(2026, 10, 22) };
  it.each<[string, object[] | undefined]>([
    ['2026', [{ from: at(2026), to: at(2027) }]],
    ['2026-12', [{ from: at(2026, 11), to: at(2027) }]],
    ['2026-11-21', [DAY]],
    ['2026-11-21T08:59', [{ from: at(2026, 10, 21, 8, 59), to: at(2026, 10, 21, 9) }]],
    ['2026-11-21T08:30:59', [{ from: at(2026, 10, 21, 8, 30, 59), to: at(2026, 10, 21, 8, 31) }]],
    ['2026-11-21T08:30:15.2', [{ from: at(2026, 10, 21, 8, 30, 15, 200), to: at(2026, 10, 21, 8, 30, 15, 300) }]],
    ['2026-11-21T08:30:15.2509', [{ from: at(2026, 10, 21, 8, 30, 15, 250), to: at(2026, 10, 21, 8, 30, 15, 251) }]],
    ['2026-11-21T08:30 01:30', [{ from: at(2026, 10, 21, 7), to: at(2026, 10, 21, 7, 1) }]],
    ['2026-11-21T08:30-14:00', [{ from: at(2026, 10, 21, 22, 30), to: at(2026, 10, 21, 22, 31) }]],
    ['2026-11-21T08:30+14:01', undefined],
    ['2026-11-21T08:30+01:60', undefined],
    ['2026-11-21T08:30+01:59', [{ from: at(2026, 10, 21, 6, 31), to: at(2026, 10, 21, 6, 32) }]],
    ['eq2026-11-21', [DAY]],
    ['ne2026-11-21', [{ to: DAY.from }, { from: DAY.to }]],
    ['gt2026-11-21', [{ from: DAY.to }]],
    ['lt2026-11-21', [{ to: DAY.from }]],
    ['ge2026-11-21', [{ from: DAY.from }]],
    ['le2026-11-21', [{ to: DAY.to }]],
    ['sa2026-11-21', [{ from: DAY.to }]],
    ['eb2026-11-21', [{ to: DAY.from }]],
    ['ap2026-11-21', [{ from: at(2026, 10, 20), to: at(2026, 10, 23) }]],
    ['xx2026', undefined],
    ['2026-02-30', undefined],
    ['2024-02-29', [{ from: at(2024, 1, 29), to: at(2024, 2, 1) }]],
  ])('%s is %j', (value, ranges) => {
    expect(parseDateRanges(value)).toEqual(ranges);
  });
});

describe('the inclusions of a search', () => {
  it('the types that come along are those that the inclusions lead to', () => {
    const typesOf = (table: ParameterTable, query: string) => [
      ...includedTypes(table.type, parse(table, query).inclusions),
    ];
    expect(typesOf(PRACTITIONER, '_revinclude=*')).toEqual(['PractitionerRole']);
    expect(typesOf(PRACTITIONER, '_revinclude=*&_include:recurse=PractitionerRole:organization')).toEqual([
      'PractitionerRole',
      'Organization',
    ]);
    expect(typesOf(PRACTITIONER, '_include:recurse=PractitionerRole:organization')).toEqual([]);
    expect(typesOf(PRACTITIONER, 'name=ab')).toEqual([]);
  });
});
