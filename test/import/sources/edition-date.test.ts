// Directory data, renewal: the date of an edition, from its content, its name or its folder, and dates that cannot be.

import { describe, expect, it } from '@jest/globals';
import { compareDates, datesIn, daysBetween, editionDate, isPlausible } from '#import/sources/edition-date.ts';

const NOW = Date.UTC(2026, 11, 1, 12, 0);

describe('renewal: dates in names', () => {
  it.each([
    ['PS_LibreAcces_Personne_activite_202610080830.txt', '2026-10-08T08:30'],
    ['etalab-cs1100501-stock-20261008-0342.csv', '2026-10-08T03:42'],
    ['finess-structures-journalier-20261008.json.gz', '2026-10-08'],
    ['x-2026-10-08T08:30:15.txt', '2026-10-08T08:30'],
    ['x-20261008T083000Z.zip', '2026-10-08T08:30'],
    ['20261008-083042', '2026-10-08T08:30'],
    ['20261008083042', '2026-10-08T08:30'],
    ['2026_10_08', '2026-10-08'],
    ['x_20240229.txt', '2024-02-29'],
    ['x_20000101.txt', '2000-01-01'],
    // What stands behind a day and a separator need be no time.
    ['x_20261008_2530.txt', '2026-10-08'],
    ['x_20261008-1.txt', '2026-10-08'],
  ])('%s is of %s', (name, date) => {
    expect(datesIn(name, NOW)).toMatchObject([{ date }]);
    expect(datesIn(name, NOW)[0]).not.toHaveProperty('fault');
  });

  it.each([
    'etalab-cs1100501.csv',
    'finess-structures-mensuel-202608.json.gz',
    'x_1202610080830.txt',
    // A SIRET number and identifiers.
    'x_20005480700017.txt',
    '20261345-ab12-4cde-8f01-0123456789ab.ndjson',
    'a3f2-20991231aa0099ff20991231aa0099ff.ndjson',
    'x_08102026.txt',
  ])('%s has no date', (name) => {
    expect(datesIn(name, NOW)).toEqual([]);
  });

  it.each([
    ['x_20261345.txt', /2026-13-45, is no day of the calendar/],
    ['x_2026-02-30.txt', /2026-02-30, is no day of the calendar/],
    ['x_20250229.txt', /is no day/],
    ['x_202613081200.txt', /is no day/],
    ['x_202610082530.txt', /2026-10-08T25:30, is no time of a day/],
    ['x_202610082400.txt', /is no time/],
    ['x_202610080860.txt', /is no time/],
    ['x_20261008T2530.txt', /is no time/],
    ['x_19991231.txt', /is before 2000/],
    ['x_209901010000.txt', /2099-01-01T00:00, is in the future \(the clock says 2026-12-01T12:00 UTC\)/],
    // A day more than now: clocks, and time zones.
    ['x_202612021201.txt', /in the future/],
  ])('the date in %s cannot be', (name, fault) => {
    expect(editionDate(undefined, [name], NOW)).toEqual({ fault: expect.stringMatching(fault) });
  });

  it('takes a date up to a day later than the clock, and one from before this release whatever the clock says', () => {
    expect(editionDate(undefined, ['x_202612021200'], NOW)).toEqual({ date: '2026-12-02T12:00' });
    expect(editionDate(undefined, ['x_202610080830'], 0)).toEqual({ date: '2026-10-08T08:30' });
    expect(isPlausible('2026-12-02T12:01', NOW)).toBe(false);
    expect(isPlausible('2026-10-08', NOW)).toBe(true);
  });
});

describe('renewal: the date of a source', () => {
  const of = (content: string | undefined, ...names: string[]) => editionDate(content, names, NOW);

  it('is that of the content, else of the name, else of the nearest folder', () => {
    expect(of('2026-10-08', 'x_20261009', '2026-10-10')).toEqual({ date: '2026-10-08' });
    expect(of('2026-10-08T02:06:22.123456789Z', 'x')).toEqual({ date: '2026-10-08T02:06' });
    expect(of(undefined, 'x_20261009', '2026-10-10')).toEqual({ date: '2026-10-09' });
    expect(of(undefined, 'x', 'deep', '2026-10-10', '2026-10-11')).toEqual({ date: '2026-10-10' });
    expect(of('no date', 'x', 'deep')).toEqual({});
  });

  it('takes the time of the day from the name where the content says the day', () => {
    expect(of('2026-10-08', 'etalab-cs1100501-stock-20261008-0342.csv')).toEqual({ date: '2026-10-08T03:42' });
  });

  it('is the earliest of several in a name: others say when it was fetched', () => {
    expect(of(undefined, 'x_202610080830_of_20261122.txt')).toEqual({ date: '2026-10-08T08:30' });
    expect(of(undefined, '20261122_x_202610080830.txt')).toEqual({ date: '2026-10-08T08:30' });
    expect(of(undefined, 'x_20261008_20269999.txt')).toEqual({ date: '2026-10-08' });
  });

  it('cannot be where either is wrong', () => {
    expect(of('2026-02-30', 'x_20261008').fault).toMatch(/2026-02-30/);
    expect(of('2026-10-08', 'x_20990101').fault).toMatch(/2099-01-01/);
  });

  it('names a conflict from more than two days on', () => {
    expect(of('2026-10-08', 'x_20261010')).toEqual({ date: '2026-10-08' });
    const conflict = '2026-10-08 in the content, 2026-10-11 in the name';
    expect(of('2026-10-08', 'x_20261011')).toEqual({ date: '2026-10-08', conflict });
    expect(of('2026-10-11', 'x_20261008')).toHaveProperty('conflict');
    // A folder may be named by the day of the download.
    expect(of('2026-05-12', 'x.csv', '2026-10-08')).not.toHaveProperty('conflict');
  });

  it('is compared as far as both say', () => {
    expect(compareDates('2026-10-08', '2026-10-08T08:30')).toBe(0);
    expect(compareDates('2026-10-08T08:29', '2026-10-08T08:30')).toBe(-1);
    expect(compareDates('2026-10-09', '2026-10-08T08:30')).toBe(1);
    expect(daysBetween('2026-10-08', '2026-10-09T12:00')).toBe(1.5);
  });
});
