// Directory data, section 4: what came is looked at as what went, in all, by department and by profession.

import { describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { guardGrowth } from '#import/guards/counts.ts';
import { guardParts } from '#import/guards/departments-and-professions.ts';
import { guardDriftWithin } from '#import/guards/drift.ts';
import type { EditionToJudge } from '#import/guards/measured-edition.ts';
import { guardNational } from '#import/guards/national.ts';
import { guardLengths, piledUp } from '#import/guards/values.ts';
import { sentenceOf, type Verdict } from '#import/guards/verdict.ts';
import { statisticsOf } from '#import/judgement/statistics.ts';
import { A } from '#import/registers/person-columns.ts';
import { countedEdition, lines } from '#support/import/counted-columns.ts';
import type { Cells } from '#support/import/register-files.ts';

const failed = (verdicts: readonly Verdict[]) => verdicts.filter(({ passed }) => !passed).map(sentenceOf);

describe('import: growth', () => {
  /** Verdicts on a directory that grows from so many people to so many. */
  const grown = (before: number, now: number) => {
    const counts = (Practitioner: number) => ({ Practitioner, Organization: 0, PractitionerRole: 0 });
    const earlier = { ...countedEdition([]), counts: counts(before) };
    return failed(guardGrowth({ ...countedEdition([], { before: earlier }), counts: counts(now) }));
  };

  it('more than a tenth, from 200 on, and not of a trial', () => {
    expect(grown(6000, 6600)).toEqual([]);
    expect(grown(100, 299)).toEqual([]);
    expect(grown(100, 300)).toHaveLength(1);
  });

  it('lines of each person: 2.5 at a first import, a fifth more than before', () => {
    const judged = (each: number, before?: EditionToJudge) => {
      const edition = countedEdition(lines(100), { ...(before && { before }) });
      return { ...edition, statistics: { ...edition.statistics, linesPerPerson: each } };
    };
    expect(failed(guardGrowth(judged(2.5)))).toEqual([]);
    expect(failed(guardGrowth(judged(2.51)))).toEqual([
      expect.stringContaining('growth (activities): 100 lines of 100 people (2.51 for each; limit 2.50)'),
    ]);
    expect(failed(guardGrowth(judged(1.44, judged(1.2))))).toEqual([]);
    expect(failed(guardGrowth(judged(1.45, judged(1.2))))).toHaveLength(1);
    expect(failed(guardGrowth({ ...judged(9), ...countedEdition(lines(99)) }))).toEqual([]);
  });
});

describe('import: professions', () => {
  /** A thousand people, so many of them midwives and cardiologists. */
  const edition = (midwives: number, cardiologists: number, before?: EditionToJudge) =>
    countedEdition(
      lines(1000, (index) =>
        index < midwives ? { 9: '50' } : index < midwives + cardiologists ? { 15: 'SM04' } : { 9: '60' },
      ),
      { ...(before && { before }) },
    );
  const before = edition(100, 100);

  it('one that has lost more than a fifth, and a speciality; the sentence names them', () => {
    expect(failed(guardParts(edition(80, 80, before)))).toEqual([]);
    expect(failed(guardParts(edition(0, 69, before)))).toEqual([
      'professions (Practitioner): professions and specialities profession 10 (100 before, 69 now), profession 50 (100 before, 0 now), speciality 10/SM04 (100 before, 69 now) have lost more than 20.0 %. Is a profession missing, or were codes changed? Take the files as published',
    ]);
  });

  it('diplomas of a profession beside the other diplomas: half of them are those of another one', () => {
    const of = (odd: number, all: number, earlier?: EditionToJudge) => {
      const [collector, { collector: _, ...rest }] = [createCollector(), countedEdition([])];
      collector.populations.person('1', [[]], undefined, A);
      for (let index = 0; index < all; index++) collector.populations.diploma('70', index < odd ? 'DE07' : 'DE19');
      for (let index = 0; index < all; index++) collector.populations.diploma('60', 'DE09');
      collector.populations.diploma('60', 'Infirmier');
      const held = earlier && {
        before: { id: 's', editions: {}, counts: rest.counts, statistics: earlier.statistics },
      };
      return { ...rest, collector, ...held, statistics: { ...rest.statistics, ...statisticsOf(collector) } };
    };
    const earlier = of(0, 200);
    expect(failed(guardParts(of(100, 200, earlier)))).toEqual([
      expect.stringContaining('professions (diplomas): diplomas of professions diploma 70/DE19 (200 before, 100 now)'),
    ]);
  });

  it('small ones count together, and a release that counted none is passed', () => {
    expect(failed(guardParts(edition(0, 100, edition(19, 100))))).toEqual([]);
    expect(failed(guardParts(edition(0, 100, edition(20, 100))))).toHaveLength(1);
    const { professions: _, ...statistics } = before.statistics;
    expect(guardParts(edition(0, 0, { ...before, statistics }))).toEqual([]);
  });

  it('an edition of FHIR files alone has lost none, and none has drifted', () => {
    const now = countedEdition([], { before });
    const history = [{ ...before, accepted: [], editions: {}, madeAt: new Date('2026-10-01'), snapshot: 's' }];
    const later = { ...countedEdition([], { before: now }), history: history as unknown as EditionToJudge['history'] };
    expect(failed(guardDriftWithin(later))).toEqual([]);
  });

  it('a little every day is drift', () => {
    const now = edition(75, 100, edition(85, 100));
    const history = [{ ...before, accepted: [], editions: {}, madeAt: new Date('2026-10-01'), snapshot: 's' }];
    const drifted = { ...now, history: history as unknown as EditionToJudge['history'] };
    expect(failed(guardDriftWithin(drifted))).toEqual([]);
    const more = { ...edition(69, 100, edition(80, 100)), history: drifted.history };
    expect(failed(guardDriftWithin(more))).toEqual([
      'drift (Practitioner): profession 50: 100 on 2026-10-01, 69 now (in 30 days; limit: a fall by 20.0 %)',
    ]);
  });
});

describe('import: values that were cut', () => {
  /** Names of 5 to 24 letters, cut at so many. */
  const named = (cut: number, count = 2000) =>
    lines(count, (index): Cells => {
      const letters = Array.from({ length: 5 + (index % 20) }, (_, at) =>
        String.fromCharCode(65 + ((index * 7 + at * (1 + (index % 11))) % 26)),
      );
      return { 7: letters.join('').slice(0, cut), 24: 'X', 32: 'RUE', 37: 'LYON' };
    });
  const judged = (cells: readonly Cells[], before?: EditionToJudge) =>
    failed(guardLengths(countedEdition(cells, { ...(before && { before }) })));

  it('pile up at the greatest length', () => {
    expect(judged(named(30))).toEqual([]);
    expect(judged(named(16))).toEqual([
      'lengths (activities): pa.txt, column "Nom d\'exercice": about 900 values have 16 characters, the greatest length, and about 100 have one less. Were names cut? Take the file as published',
    ]);
  });

  it('are thirty at least, twelve of them different, and three times as many as are one shorter', () => {
    const judged = (count: number, shorter: number, different = 12) =>
      piledUp({ lengths: [0, shorter, count], marks: [0, 0, 2 ** different - 1] } as never);
    expect(judged(30, 9)).toEqual({ length: 2, count: 30, shorter: 9 });
    expect([judged(29, 8), judged(30, 10), judged(30, 9, 11)]).toEqual([undefined, undefined, undefined]);
  });

  it('one long value that many people have is none, nor is a trial, nor a register that cuts them itself', () => {
    const one = (index: number): Cells => ({
      7: index % 2 ? 'MARTIN' : 'DE LA VILLARDIERE',
      24: 'X',
      32: 'RUE',
      37: 'LYON',
    });
    expect(judged(lines(2000, one))).toEqual([]);
    expect(judged(named(16, 1999))).toEqual([]);
    expect(judged(named(16), countedEdition(named(16)))).toEqual([]);
    expect(judged(named(12), countedEdition(named(16)))).toHaveLength(1);
  });
});

describe('import: the first import of a country', () => {
  /** An edition of half a million people, so many of them physicians. */
  const national = (
    physicians: number,
    { country = 'FR', others = 300_000, departments = 90 } = {},
  ): EditionToJudge => {
    const edition = countedEdition([]);
    const professions = {
      'profession 21': 80_000,
      'profession 26': 6000,
      'profession 28': 60_000,
      'profession 40': 60_000,
      'profession 50': 30_000,
      'profession 60': 600_000,
      'profession 70': 110_000,
      'profession 80': 16_000,
      'profession 86': 50_000,
      'profession 91': 80_000,
      'profession 93': 90_000,
      'profession 98': 40_000,
      'profession 10': physicians,
    };
    const codes = Array.from({ length: departments }, (_, index) => [String(index + 1).padStart(2, '0'), 1]);
    const matrix = { 10: { ...Object.fromEntries(codes), abroad: 1, unknown: 1 } };
    const measured = { ...edition.collector.populations.measured(), people: physicians + others, professions, matrix };
    const populations = { ...edition.collector.populations, measured: () => measured };
    return { ...edition, collector: { ...edition.collector, populations }, limits: { ...edition.limits, country } };
  };

  it('has the published number of each profession', () => {
    expect(failed(guardNational(national(142_300, { others: 400_000 })))).toEqual([
      'national (activities): profession 10: 142300 people, 237200 are published for FR (60.0 %, limits 60.0 % and 300.0 %). Give the whole register of the country, or set directory.guards.country',
    ]);
  });

  it('is notable below four fifths', () => {
    const notable = (physicians: number) =>
      guardNational(national(physicians, { others: 400_000 })).filter((one) => one.notable);
    expect(notable(189_760)).toEqual([]);
  });

  it('no region and no other country is compared', () => {
    const regions = guardNational(national(100, { others: 600_000, departments: 89 }));
    expect(regions).toMatchObject([{ passed: true, notable: true }]);
    expect(guardNational(national(100, { country: 'BE', others: 600_000 }))).toEqual([]);
  });
});
