// Directory data, section 4: what a column or a department loses below the limits of one edition every day does not pass for ever.

import { describe, expect, it } from '@jest/globals';
import { guardDepartments } from '#import/guards/departments.ts';
import { guardDriftWithin } from '#import/guards/drift.ts';
import { guardFillRates } from '#import/guards/fill-rates.ts';
import type { MappedEdition } from '#import/guards/measured-edition.ts';
import { countedEdition, lines } from '#support/import/counted-columns.ts';
import { activity, openBench, registerText } from '#support/import/register-files.ts';

/** A thousand people, so many with a telephone number; the department has so many people, another one 50,000. */
const edition = (phones: number, people: number, before?: MappedEdition) =>
  countedEdition(
    lines(1000, (index) => ({ 40: index < phones ? '0199000001' : '' })),
    {
      departments: { '01': { Practitioner: people }, '75': { Practitioner: 50_000 } },
      ...(before && { before }),
    },
  );

/** What is said of the last of these editions, by register; `accepted`: with the one before it. */
function drift(days: readonly [phones: number, people: number][], accepted: string[] = []): string[] {
  const editions = days.map(([phones, people]) => edition(phones, people)).reverse();
  const [[phones, people] = [0, 0]] = days.slice(-1);
  const removed = { Practitioner: 0, Organization: 0, PractitionerRole: 0 };
  const history = editions.slice(1).map(({ counts, statistics }, index) => ({
    ...{ counts, statistics, removed, editions: {}, snapshot: `s${index}`, madeAt: new Date('2026-11-20T02:00:00Z') },
    accepted: index === 0 ? accepted : [],
  }));
  const last = { ...edition(phones, people, editions[1]), history };
  expect([...guardFillRates(last), ...guardDepartments(last)].every(({ passed }) => passed)).toBe(days.length > 2);
  return guardDriftWithin(last).map(({ name, register, figures }) => `${name} ${register}: ${figures}`);
}

describe('directory data 4: drift of columns and departments', () => {
  it('a column that is emptied by less than a tenth every day', () => {
    expect(
      drift([
        [1000, 1000],
        [910, 1000],
        [850, 1000],
      ]),
    ).toEqual([]);
    expect(
      drift([
        [1000, 1000],
        [910, 1000],
        [849, 1000],
      ]),
    ).toEqual([
      'drift activities: column "Téléphone (coord. structure)": 1000 filled, 849 of 1000 now (in 30 days; limit: a fall by 15.0 %)',
    ]);
    expect(
      drift(
        [
          [1000, 1000],
          [910, 1000],
          [849, 1000],
        ],
        ['fill-rates'],
      ),
    ).toEqual([]);
  });

  it('a department that loses less than a fifth every day', () => {
    expect(
      drift([
        [1000, 1000],
        [1000, 850],
        [1000, 796],
      ]),
    ).toEqual(['drift Practitioner: department 01: 1000 on 2026-11-20, 796 now (in 30 days; limit: a fall by 20.0 %)']);
    expect(
      drift([
        [1000, 1000],
        [1000, 850],
        [1000, 797],
      ]),
    ).toEqual([]);
    expect(
      drift(
        [
          [1000, 1000],
          [1000, 850],
          [1000, 796],
        ],
        ['departments'],
      ),
    ).toEqual([]);
  });

  it('what one edition takes is said once', () => {
    expect(
      drift([
        [1000, 1000],
        [500, 500],
      ]),
    ).toEqual([]);
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
