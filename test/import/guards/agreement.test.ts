// What the guards on the agreement of registers and on the professions of a country say, word for word, and when a difference counts.

import { describe, expect, it } from '@jest/globals';
import { guardName } from '#config/service/guard-table.ts';
import { createCollector } from '#import/collect/collector.ts';
import { COMPARISONS, type ComparisonKey } from '#import/collect/consistency-tallies.ts';
import { consistencyShares, guardConsistency } from '#import/guards/consistency.ts';
import { guardNational } from '#import/guards/national.ts';
import {
  hasDeclined,
  hasGrown,
  hasSpread,
  LEAST_CASES,
  LEAST_OF_FIRST_IMPORT,
  LEAST_OF_REGISTER,
} from '#import/guards/verdict.ts';
import { titleOf } from '#import/registers/register-kinds.ts';
import { editionBefore, judgedEdition, told } from '#support/import/judged-edition.ts';

const STATISTICS = { columns: {}, values: {}, departments: {} };

describe('directory data 4: what guards on the agreement of registers say', () => {
  const REMEDIES: Readonly<Record<string, string>> = {
    unknownPeople: 'Give the whole registers of one day',
    namesDiffer: 'Is a file of another day, or are its columns swapped or its lines shifted? Take it as published',
    professionsDiffer:
      'Is a file of another day, or are its columns swapped or its lines shifted? Take it as published',
    labelsDiffer:
      'Are a column of codes and that of their labels shifted against each other? Take the file as published',
    danglingStructures: 'Give the whole files of one day',
    coverage: 'Give the whole file',
    fused: 'Are the identifiers of a file shifted? Take it as published',
  };
  const USUAL: Readonly<Record<number, string>> = {
    0: '0.00 %',
    0.01: '1.00 %',
    0.02: '2.00 %',
    0.05: '5.00 %',
    0.1: '10.0 %',
    0.3: '30.0 %',
    0.8: '80.0 %',
  };
  const LIMITS = {
    unknownPeople: '5.00 %',
    namesDiffer: '5.00 %',
    professionsDiffer: '5.00 %',
    labelsDiffer: '2.00 %',
  };
  const MORE_LIMITS = { danglingStructures: '20.0 %', coverage: '15.0 %', fused: '0.10 %' };

  it.each(Object.keys(COMPARISONS) as ComparisonKey[])('%s: all of them are odd', (key) => {
    const collector = createCollector();
    for (let number = 1; number <= 100; number++) collector.consistency.count(key, `case ${number}`);
    const { guard, register, checked, odd, usual } = COMPARISONS[key];
    const limit = { ...LIMITS, ...MORE_LIMITS }[guard];
    expect(told(guardConsistency(judgedEdition({ collector })))).toEqual([
      `refused: ${guardName(guard)} (${register}): ${titleOf(register)}: 100 of 100 ${checked} ${odd} (100.0 %, usual ${USUAL[usual]}, limit ${limit} more); such as case 1; case 2; case 3. ${REMEDIES[guard]}`,
    ]);
    const earlier = editionBefore({ statistics: { ...STATISTICS, consistency: { [key]: 1 } } });
    expect(told(guardConsistency(judgedEdition({ collector, ...earlier })))).toEqual([
      `passed: ${guardName(guard)} (${register}): ${titleOf(register)}: 100 of 100 ${checked} ${odd} (100.0 %, before 100.0 %, limit ${limit} more)`,
    ]);
    expect(consistencyShares(judgedEdition({ collector }))).toEqual({ [key]: 1 });
  });

  it('groups of people in which most are odd are named, three at most, and all registers that contradict', () => {
    const collector = createCollector();
    const count = (key: ComparisonKey, group: string, odd: number, all: number) => {
      for (let at = 0; at < all; at++) collector.consistency.count(key, at < odd ? `${key} ${at}` : undefined, [group]);
    };
    for (const group of ['a', 'b', 'c', 'd']) count('namesInSkills', group, 20, 39);
    count('namesInSkills', 'e', 0, 3000);
    count('namesInDiplomas', 'f', 0, 10);
    const figures =
      '80 of 3156 people of it have another name in the register of activities (2.53 %, usual 0.00 %, limit 5.00 % more)';
    count('namesInDiplomas', 'a', 3, 4);
    expect(told(guardConsistency(judgedEdition({ collector })))).toEqual([
      `refused: names-differ (activities): PS_LibreAcces_SavoirFaire: ${figures}, but 20 of 39 of a, but 20 of 39 of b, but 20 of 39 of c; such as namesInSkills 0. ${REMEDIES['namesDiffer']}`,
    ]);
  });
});

describe('directory data 4: when a difference counts', () => {
  it.each([
    ['declined', hasDeclined(20, 0, 0.1), hasDeclined(19, 0, 0.1)],
    ['declined, beyond the limit', hasDeclined(10_000, 8999, 0.1), hasDeclined(10_000, 9000, 0.1)],
    ['declined, beyond chance', hasDeclined(100, 69, 0.1), hasDeclined(100, 70, 0.1)],
    ['spread', hasSpread(20, 100, 0, 0.1), hasSpread(19, 100, 0, 0.1)],
    ['spread, beyond the limit', hasSpread(101, 1000, 0, 0.1), hasSpread(100, 1000, 0, 0.1)],
    ['spread, beyond what was before', hasSpread(131, 1000, 0.1, 0), hasSpread(130, 1000, 0.1, 0)],
    ['spread, beyond chance', hasSpread(72, 100, 0.5, 0), hasSpread(71, 100, 0.5, 0)],
    ['grown', hasGrown(300, 100, 0.1), hasGrown(299, 100, 0.1)],
    ['grown, of a register', hasGrown(1000, 100, 0.1), hasGrown(1000, 99, 0.1)],
    ['grown, beyond the limit', hasGrown(2201, 2000, 0.1), hasGrown(2200, 2000, 0.1)],
  ])('%s', (_what, beyond, within) => expect([beyond, within]).toEqual([true, false]));

  it('from these numbers on', () => {
    expect([LEAST_CASES, LEAST_OF_FIRST_IMPORT, LEAST_OF_REGISTER]).toEqual([20, 100, 2000]);
  });
});

describe('directory data 4: the professions of a country', () => {
  /** An edition of half a million people in 90 departments, so many of each profession. */
  const country = (professions: Record<string, number>, people = 500_000) => {
    const collector = createCollector();
    const departments = Object.fromEntries(Array.from({ length: 90 }, (_, at) => [String(at + 10), 1]));
    const measured = { people, professions, matrix: { 10: departments } };
    return judgedEdition({ collector: { ...collector, populations: { measured: () => measured } } });
  };

  it('are held against these published numbers', () => {
    const said = guardNational(country({})).flatMap(({ figures }) => [
      /^profession (.+): 0 people, (\d+) are/.exec(figures)?.slice(1) ?? [],
    ]);
    expect(Object.fromEntries(said)).toEqual({
      10: '237200',
      21: '74600',
      26: '5000',
      28: '44200',
      40: '47600',
      50: '25800',
      60: '598900',
      70: '105700',
      80: '14400',
      86: '45400',
      '91, 92, 94, 95, 96': '80000',
      93: '77000',
      98: '31800',
    });
  });

  it('and pass where they have about as many', () => {
    const usual = {
      10: 237_200,
      21: 74_600,
      26: 5000,
      28: 44_200,
      40: 47_600,
      50: 25_800,
      60: 598_900,
      70: 105_700,
      80: 14_400,
      86: 45_400,
      91: 40_000,
      92: 10_000,
      94: 10_000,
      95: 10_000,
      96: 10_000,
      93: 77_000,
      98: 31_800,
    };
    const named = Object.fromEntries(Object.entries(usual).map(([code, count]) => [`profession ${code}`, count]));
    expect(told(guardNational(country(named)))).toEqual([
      'passed: national: 13 professions have about the published number of people',
    ]);
  });
});
