// Guards on dates and counts: editions, changed resources, lines of registers, people of departments.

import { describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import type { DepartmentCounts } from '#import/collect/departments.ts';
import { guardRegisters } from '#import/guards/counts.ts';
import { guardParts } from '#import/guards/departments-and-professions.ts';
import { guardOlderEdition, guardRegistersApart } from '#import/guards/editions.ts';
import type { EditionToJudge } from '#import/guards/measured-edition.ts';
import { hasLost, sentenceOf } from '#import/guards/verdict.ts';
import { DEFAULT_LIMITS } from '#support/config/guards.ts';
import { countedEdition } from '#support/import/counted-columns.ts';

// Directory data 4 and renewal: the dates of the registers against the edition before, and against one another.
describe('import: dates of editions', () => {
  type Guarded = Parameters<typeof guardRegistersApart>[0];

  /** An edition of registers by their names in the catalogue; `finess` is its JSON, which holds both of its registers. */
  function editionOf(dates: Readonly<Record<string, string | undefined>>, before?: Readonly<Record<string, string>>) {
    const sources = Object.entries(dates).map(([register, edition]) => {
      const [kind = '', part] = register.split(' ');
      const people = !['finess', 'fhir'].includes(kind);
      const parts = kind !== 'finess' ? {} : part ? { [part]: 1 } : { structureej: 1, structureet: 1 };
      const form = kind === 'finess' && part === undefined ? 'finess-json' : kind === 'fhir' ? 'ndjson' : undefined;
      return {
        recognised: { kind, headerLines: 1, ...(people && { binding: {} }), ...(form && { form }) },
        report: { name: register, kind, lines: 1, leftOut: 0, parts, ...(edition && { edition }) },
      };
    });
    const editions = Object.fromEntries(Object.entries(before ?? {}).map(([key, date]) => [key, { lines: 1, date }]));
    const collector = createCollector();
    const edition = { sources, collector, limits: DEFAULT_LIMITS, ...(before && { before: { editions } }) };
    return { edition: edition as unknown as Guarded, collector };
  }

  describe('renewal: an edition that is older than the directory', () => {
    const refused = (dates: Record<string, string>, before: Record<string, string>) =>
      guardOlderEdition(editionOf(dates, before).edition).flatMap((one) => (one.passed ? [] : [sentenceOf(one)]));

    it('each register that is older is named, with both dates', () => {
      expect(
        refused(
          {
            activities: '2026-10-08T08:29',
            skills: '2026-10-09',
            'finess structureet': '2026-05-11',
            mailboxes: '2026-10-08',
          },
          {
            activities: '2026-10-08T08:30',
            skills: '2026-10-08',
            'finess structureet': '2026-05-12',
            mailboxes: '2026-10-08',
          },
        ),
      ).toEqual([
        'older-edition (activities): of 2026-10-08T08:29, and the directory holds that of 2026-10-08T08:30. Give the newest file',
        expect.stringMatching(/^older-edition \(finess structureet\): of 2026-05-11/),
      ]);
    });

    it('a first import is older than nothing', () => {
      expect(guardOlderEdition(editionOf({ activities: '2026-10-08' }).edition)).toEqual([]);
    });
  });

  describe('renewal: registers of one edition that are far apart', () => {
    const judge = (dates: Record<string, string | undefined>) => {
      const { edition, collector } = editionOf(dates);
      const verdicts = guardRegistersApart(edition).flatMap((one) => (one.passed ? [] : [sentenceOf(one)]));
      return { verdicts, warnings: collector.warnings().flatMap(({ kind, examples }) => [kind, ...examples]) };
    };

    it('a register of people is refused from more than the limit on, and both are named with their dates', () => {
      const people = { diplomas: '2026-10-08T08:31', mailboxes: undefined };
      expect(judge({ ...people, activities: '2026-10-08T08:30', skills: '2026-09-24T08:30' }).verdicts).toEqual([
        'registers-apart (skills): of 2026-09-24T08:30, 14 days before diplomas (2026-10-08T08:31), limit 14 days. Give the newest file of each register',
      ]);
    });

    it('structures may be older than people, which is remarked: FINESS text is not renewed, its JSON comes monthly, too', () => {
      expect(judge({ activities: '2026-10-08', finess: '2026-09-24' })).toEqual({
        verdicts: [],
        warnings: ['other-day', 'finess structureej of 2026-09-24, activities of 2026-10-08'],
      });
      const text = { 'finess structureej': '2026-05-12', 'finess structureet': '2026-05-12T03:39' };
      expect(judge({ activities: '2026-10-08', ...text })).toMatchObject({
        verdicts: [],
        warnings: ['old-structures', '', ''].map((one) => one || expect.any(String)),
      });
    });

    it('the text files of FINESS belong together', () => {
      expect(judge({ 'finess structureej': '2026-03-11', 'finess structureet': '2026-05-12' }).verdicts).toEqual([
        expect.stringMatching(
          /^registers-apart \(finess structureej\): of 2026-03-11, 62 days before finess structureet/,
        ),
      ]);
    });
  });
});

// Directory data, section 4: lines of each register, and small directories.
describe('import: counts of lines', () => {
  type Before = Record<string, { lines: number }>;

  /** The registers that are refused of an edition with so many lines of each part of FINESS. */
  const refused = (editions: Before, parts: Record<string, number>) => {
    const sources = [{ input: { name: 'x' }, recognised: { kind: 'finess' }, report: { name: 'x', parts, lines: 0 } }];
    const collector = { warnings: () => [] };
    const edition = { sources, collector, incoming: [], before: { editions }, limits: { registers: 0.1 } };
    return guardRegisters(edition as unknown as EditionToJudge)
      .filter(({ passed }) => !passed)
      .map(({ register }) => register);
  };

  it('directory data 4: each part of FINESS is compared, and a missing one is refused', () => {
    const lines = { 'finess structureej': { lines: 177 }, 'finess structureet': { lines: 372 } };
    expect(refused(lines, { structureej: 177, structureet: 186 })).toEqual(['finess structureet']);
  });

  // In a small directory one person who goes is a large share, and no damage.
  it.each([
    [1, 8, 0.1, false],
    [4, 8, 0.1, false],
    [5, 30, 0.1, true],
    [5, 50, 0.1, false],
    // A register or type that is gone altogether is no small share, however small it was.
    [2, 2, 0.1, true],
    [2, 2, 1, false],
    // A limit of 0 allows none.
    [1, 8, 0, true],
    [0, 0, 0, false],
  ])('directory data 4: %d of %d lost, limit %d: %s', (count, before, limit, lost) => {
    expect(hasLost(count, before, limit)).toBe(lost);
  });
});

// Directory data, section 4: a part of the country that is missing is seen; a renumbering, and what all have lost alike, is not.
describe('directory data 4: departments', () => {
  /** People by department. */
  const edition = (people: Record<string, number>, before?: Record<string, number>) => {
    const counts = (of: Record<string, number>): DepartmentCounts =>
      Object.fromEntries(Object.entries(of).map(([name, count]) => [name, { Practitioner: count }]));
    const earlier = before && countedEdition([], { departments: counts(before) });
    return countedEdition([], { departments: counts(people), ...(earlier && { before: earlier }) });
  };
  const lost = (people: Record<string, number>, before?: Record<string, number>) =>
    guardParts(edition(people, before))
      .filter(({ passed }) => !passed)
      .map(({ register, figures }) => `${register}: ${figures}`);

  it('one that has lost more than a fifth is named', () => {
    const before = { '01': 1000, '75': 100_000 };
    expect(lost({ '01': 800, '75': 100_200 }, before)).toEqual([]);
  });

  it('small ones count together, where they are gone altogether', () => {
    const small = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [String(10 + index), 4]));
    const { '10': _ten, '11': _eleven, ...rest } = small;
    expect(lost({ ...rest, '75': 1000 }, { ...small, '75': 1000 })).toEqual([]);
    expect(lost({ '75': 1000 }, { ...small, '75': 1000 })).toEqual([
      expect.stringMatching(/^Practitioner: departments 10 \(4 before, 0 now\), .* and 7 more have lost/),
    ]);
  });
});
