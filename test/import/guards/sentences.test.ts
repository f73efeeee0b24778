// What guards on counts say, word for word: figures, limits and remedies.

import { describe, expect, it } from '@jest/globals';
import { guardMinimum, guardPartial, guardRegisters, guardRemoved, guardShrinkage } from '#import/guards/counts.ts';
import type { BuiltEdition } from '#import/guards/measured-edition.ts';
import { guardParts, listOf } from '#import/guards/parts.ts';
import { limitText, percent } from '#import/guards/verdict.ts';
import { editionBefore, judgedEdition, judgedSource, NO_CHANGES } from '#support/import/judged-edition.ts';

const [DIPLOMAS, SKILLS] = ['PS_LibreAcces_Dipl_AutExerc', 'PS_LibreAcces_SavoirFaire'] as const;

describe('directory data 4: what guards on numbers say', () => {
  it('minimum', () => {
    const limits = { minimum: { Practitioner: 10, Organization: 5 } };
    expect(guardMinimum(judgedEdition({ limits, counts: { Practitioner: 9, Organization: 5 } }))).toEqual([
      {
        ...{ name: 'minimum', register: 'Practitioner', passed: false, figures: '9 resources (at least 10)' },
        remedy: 'Give all files of the edition, whole',
      },
      { name: 'minimum', register: 'Organization', passed: true, figures: '5 resources (at least 5)' },
    ]);
  });

  it('registers: one that lost lines, one under the name of another, one that is missing', () => {
    const editions = Object.fromEntries(['skills', 'diplomas', 'mailboxes'].map((name) => [name, { lines: 100 }]));
    const sources = [judgedSource(`${DIPLOMAS}_1.txt`, 'skills', { lines: 89 })];
    expect(guardRegisters(judgedEdition({ sources, ...editionBefore({ editions }) }))).toEqual([
      {
        ...{ name: 'registers', register: 'skills', passed: false, remedy: 'Give the whole file' },
        figures: `${SKILLS}: 100 lines before, 89 now (11.0 % fewer, limit 10.0 %)`,
      },
      {
        ...{ name: 'registers', register: 'diplomas', passed: false, remedy: 'Take it as published, and whole' },
        figures: `${DIPLOMAS}: 100 lines before, 0 now (100.0 % fewer, limit 10.0 %) (${DIPLOMAS}_1.txt bears its name and holds ${SKILLS})`,
      },
      {
        ...{ name: 'registers', register: 'mailboxes', passed: false, remedy: 'Give the missing file' },
        figures: 'Extraction_Correspondance_MSSante: 100 lines before, 0 now (100.0 % fewer, limit 10.0 %)',
      },
    ]);
    expect(guardRegisters(judgedEdition({ sources }))).toEqual([]);
  });

  it('shrinkage', () => {
    const counts = { Practitioner: 89, Organization: 90, PractitionerRole: 110 };
    const earlier = editionBefore({ counts: { Practitioner: 100, Organization: 100, PractitionerRole: 100 } });
    expect(guardShrinkage(judgedEdition({ counts, ...earlier }))).toEqual([
      {
        ...{ name: 'shrinkage', register: 'Practitioner', passed: false, remedy: 'Give the whole files of one day' },
        figures: '100 before, 89 now (11.0 % fewer, limit 10.0 %)',
      },
      {
        ...{ name: 'shrinkage', register: 'Organization', passed: true },
        figures: '100 before, 90 now (10.0 % fewer, limit 10.0 %)',
      },
      {
        ...{ name: 'shrinkage', register: 'PractitionerRole', passed: true },
        figures: '100 before, 110 now (0.00 % fewer, limit 10.0 %)',
      },
    ]);
    expect(guardShrinkage(judgedEdition({ counts }))).toEqual([]);
  });

  it('removed: from a quarter of the limit on it is notable', () => {
    const judged = (removed: number) => {
      const changes = { ...NO_CHANGES, Organization: { ...NO_CHANGES.Organization, removed } };
      return guardRemoved(
        judgedEdition({
          changes,
          ...editionBefore({ counts: { Practitioner: 1, Organization: 1000, PractitionerRole: 1 } }),
        }),
      )[1];
    };
    expect(judged(101)).toEqual({
      ...{ name: 'removed', register: 'Organization', passed: false },
      figures: '101 of 1000 are not in this edition (10.1 %, limit 10.0 %)',
      remedy: 'Are these files of another population? If so, use --accept other-people',
    });
    expect([25, 26, 100].map((removed) => judged(removed)?.notable)).toEqual([undefined, true, true]);
    expect(guardRemoved(judgedEdition({ changes: NO_CHANGES }))).toEqual([]);
  });

  it('partial: what a first import lacks', () => {
    const limits = { expected: ['activities', 'skills', 'diplomas', 'finess'] };
    const sources = [
      judgedSource('pa.txt', 'activities'),
      judgedSource(`${DIPLOMAS}.txt`, 'mailboxes'),
      judgedSource('f', 'finess', { parts: { structureet: 3 } }),
    ];
    const edition = judgedEdition({ limits, sources, incoming: [`${SKILLS}.txt.part`] });
    const finess = 'FINESS etalab-cs1100501, 502, 507 and finess-structures (JSON)';
    expect(guardPartial(edition)).toEqual([
      { name: 'partial', register: 'activities', passed: true, figures: 'PS_LibreAcces_Personne_activite: given' },
      {
        ...{ name: 'partial', register: 'skills', passed: false, remedy: 'Take it as published, and whole' },
        figures: `${SKILLS}: not given (${SKILLS}.txt.part is still being written, by its name)`,
      },
      {
        ...{ name: 'partial', register: 'diplomas', passed: false, remedy: 'Take it as published, and whole' },
        figures: `${DIPLOMAS}: not given (${DIPLOMAS}.txt bears its name and holds Extraction_Correspondance_MSSante)`,
      },
      {
        ...{ name: 'partial', register: 'finess structureej', passed: false, remedy: 'Give its file, too' },
        figures: `${finess}, lines "structureej": not given`,
      },
      {
        ...{ name: 'partial', register: 'finess structureet', passed: true },
        figures: `${finess}, lines "structureet": given`,
      },
    ]);
    expect(guardPartial(judgedEdition({ limits, sources: [] })).map(({ register }) => register)).toEqual(
      limits.expected,
    );
    expect(guardPartial({ ...edition, ...editionBefore({}) } as BuiltEdition)).toEqual([]);
    expect(guardPartial(judgedEdition({ limits, sources: [judgedSource('x', 'fhir')] }))).toEqual([]);
    expect(guardPartial(judgedEdition({ limits, sources: [judgedSource('x', 'fhir'), ...sources] }))).toHaveLength(5);
  });

  it('departments: what is lost and what is not', () => {
    const statistics = (departments: object, professions?: object) => ({
      ...{ columns: {}, values: {}, departments },
      ...(professions && { professions }),
    });
    const edition = judgedEdition({
      statistics: statistics(
        { '01': { Practitioner: 10, Organization: 50 }, 75: { Practitioner: 900 } },
        { 'profession 10': 50 },
      ),
      ...editionBefore({
        statistics: statistics({ '01': { Practitioner: 100, Organization: 50 } }, { 'profession 10': 50 }),
      }),
    });
    expect(guardParts(edition)).toEqual([
      {
        ...{ name: 'departments', register: 'Practitioner', passed: false },
        figures: 'departments 01 (100 before, 10 now) have lost more than 20.0 %',
        remedy: 'Is a part of the country missing, or were postal codes changed? Take the files as published',
      },
      {
        ...{ name: 'departments', register: 'Organization', passed: true },
        figures: '2 departments hold as many as before',
      },
      {
        ...{ name: 'professions', register: 'Practitioner', passed: true },
        figures: '1 professions and specialities hold as many as before',
      },
    ]);
    const named = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => ({ name, before: 2, now: 1 }));
    const five = named.slice(0, 5).map(({ name }) => `${name} (2 before, 1 now)`);
    expect([listOf(named), listOf(named.slice(0, 5))]).toEqual([`${five.join(', ')} and 2 more`, five.join(', ')]);
  });

  it('shares and limits', () => {
    expect([0, 0.0999, 0.1, 1].map(percent)).toEqual(['0.00 %', '9.99 %', '10.0 %', '100.0 %']);
    expect([limitText(-5, 100, 0.1), limitText(5, 0, 0.02, ' more'), limitText(5, 100, 0.1, ' fewer')]).toEqual([
      '(0.00 %, limit 10.0 %)',
      '(500.0 % more, limit 2.00 %)',
      '(5.00 % fewer, limit 10.0 %)',
    ]);
  });
});
