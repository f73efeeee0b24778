// Directory data, section 4: columns and departments that lose a little every day.

import { describe, expect, it } from '@jest/globals';
import { guardParts } from '#import/guards/departments-and-professions.ts';
import { guardDriftWithin } from '#import/guards/drift.ts';
import { guardFillRates } from '#import/guards/fill-rates.ts';
import type { EditionToJudge } from '#import/guards/measured-edition.ts';
import { countedEdition, lines } from '#support/import/counted-columns.ts';
import { activity, openBench, registerText } from '#support/import/register-files.ts';

describe('directory data 4: drift of columns and departments', () => {
  /** A thousand people, so many with a telephone number; each department has so many people, another one 50,000. */
  const edition = (phones: number, people: number, departments: readonly string[], before?: EditionToJudge) => {
    const counts = Object.fromEntries(departments.map((name) => [name, { Practitioner: people }]));
    return countedEdition(
      lines(1000, (index) => ({ 40: index < phones ? '0199000001' : '' })),
      { departments: { ...counts, '75': { Practitioner: 50_000 } }, ...(before && { before }) },
    );
  };

  /** The verdicts about the last of these editions; `accepted` are the acceptances of the one before it. */
  function drift(
    { phones = [], people = [] }: { phones?: readonly number[]; people?: readonly number[] },
    accepted: string[] = [],
    departments = ['01'],
  ): string[] {
    const days = Math.max(phones.length, people.length);
    const editionOf = (day: number, before?: EditionToJudge) =>
      edition(phones[day] ?? 1000, people[day] ?? 1000, departments, before);
    const editions = Array.from({ length: days }, (_, day) => editionOf(day)).reverse();
    const removed = { Practitioner: 0, Organization: 0, PractitionerRole: 0 };
    const history = editions.slice(1).map(({ counts, statistics }, index) => ({
      counts,
      statistics,
      removed,
      editions: {},
      snapshot: `s${index}`,
      madeAt: new Date('2026-11-20T02:00:00Z'),
      accepted: index === 0 ? accepted : [],
    }));
    const last = { ...editionOf(days - 1, editions[1]), history };
    expect([...guardFillRates(last), ...guardParts(last)].every(({ passed }) => passed)).toBe(days > 2);
    return guardDriftWithin(last).map(({ name, register, figures }) => `${name} ${register}: ${figures}`);
  }

  it('a column that is emptied by less than a tenth every day', () => {
    expect(drift({ phones: [1000, 910, 850] })).toEqual([]);
    expect(drift({ phones: [1000, 910, 849] })).toEqual([
      'drift activities: column "Téléphone (coord. structure)": 1000 filled, 849 of 1000 now (in 30 days; limit: a fall by 15.0 %)',
    ]);
    expect(drift({ phones: [1000, 910, 849] }, ['fill-rates'])).toEqual([]);
  });

  it('a department that loses less than a fifth every day', () => {
    expect(drift({ people: [1000, 850, 796] })).toEqual([
      'drift Practitioner: department 01: 1000 on 2026-11-20, 796 now (in 30 days; limit: a fall by 20.0 %)',
    ]);
    expect(drift({ people: [1000, 850, 797] })).toEqual([]);
    expect(drift({ people: [1000, 850, 796] }, ['departments'])).toEqual([]);
  });

  it.each([
    [5, '05: 1000 on 2026-11-20, 775 now (in 30 days'],
    [7, '05: 1000 on 2026-11-20, 775 now and 2 more (in 30 days'],
  ])('of %i departments, five are named and the others counted', (count, end) => {
    const names = Array.from({ length: count }, (_, index) => `0${index + 1}`);
    expect(drift({ people: [1000, 850, 775] }, [], names)).toEqual([expect.stringContaining(end)]);
  });

  it('what one edition takes is reported once', () => {
    expect(drift({ phones: [1000, 500], people: [1000, 500] })).toEqual([]);
  });

  it('of editions that were loaded', async () => {
    const bench = await openBench();
    const load = (phones: number) => {
      const text = registerText(
        'activities',
        lines(1000, (index) => activity({ 1: String(19000000000 + index), 40: index < phones ? '0199000001' : '' })),
      );
      return bench.run([bench.file('pa.txt', text)]);
    };
    for (const phones of [1000, 910]) expect((await load(phones)).outcome).toBe('imported');
    const { guards } = await load(840);
    await bench.close();
    expect(guards.filter(({ passed }) => !passed)).toEqual([
      expect.objectContaining({
        name: 'drift',
        register: 'activities',
        figures: expect.stringContaining('840 of 1000 now'),
      }),
    ]);
  });
});
