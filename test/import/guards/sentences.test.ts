// What guards on counts say, word for word: figures, limits and remedies.

import { describe, expect, it } from '@jest/globals';
import { guardMinimum, guardPartial, guardRegisters, guardShrinkage } from '#import/guards/counts.ts';
import { guardParts } from '#import/guards/departments-and-professions.ts';
import { guardRemoved } from '#import/guards/removed-resources.ts';
import { limitText } from '#import/guards/verdict.ts';
import { editionBefore, judgedEdition, judgedSource, NO_CHANGES, told } from '#support/import/judged-edition.ts';

const [DIPLOMAS, SKILLS] = ['PS_LibreAcces_Dipl_AutExerc', 'PS_LibreAcces_SavoirFaire'] as const;

describe('directory data 4: what guards on numbers say', () => {
  it('minimum', () => {
    const limits = { minimum: { Practitioner: 10, Organization: 5 } };
    expect(told(guardMinimum(judgedEdition({ limits, counts: { Practitioner: 9, Organization: 5 } })))).toEqual([
      'refused: minimum (Practitioner): 9 resources (at least 10). Give all files of the edition, whole',
      'passed: minimum (Organization): 5 resources (at least 5)',
    ]);
  });

  it('registers: one that lost lines, one under the name of another, one that is missing', () => {
    const editions = Object.fromEntries(['skills', 'diplomas', 'mailboxes'].map((name) => [name, { lines: 100 }]));
    const sources = [judgedSource(`${DIPLOMAS}_1.txt`, 'skills', { lines: 89 })];
    expect(told(guardRegisters(judgedEdition({ sources, ...editionBefore({ editions }) })))).toEqual([
      `refused: registers (skills): ${SKILLS}: 100 lines before, 89 now (11.0 % fewer, limit 10.0 %). Give the whole file`,
      `refused: registers (diplomas): ${DIPLOMAS}: 100 lines before, 0 now (100.0 % fewer, limit 10.0 %) (${DIPLOMAS}_1.txt bears its name and holds ${SKILLS}). Take it as published, and whole`,
      'refused: registers (mailboxes): Extraction_Correspondance_MSSante: 100 lines before, 0 now (100.0 % fewer, limit 10.0 %). Give the missing file',
    ]);
  });

  it('shrinkage', () => {
    const counts = { Practitioner: 89, Organization: 90, PractitionerRole: 110 };
    const earlier = editionBefore({ counts: { Practitioner: 100, Organization: 100, PractitionerRole: 100 } });
    expect(told(guardShrinkage(judgedEdition({ counts, ...earlier })))).toEqual([
      'refused: shrinkage (Practitioner): 100 before, 89 now (11.0 % fewer, limit 10.0 %). Give the whole files of one day',
      'passed: shrinkage (Organization): 100 before, 90 now (10.0 % fewer, limit 10.0 %)',
      'passed: shrinkage (PractitionerRole): 100 before, 110 now (0.00 % fewer, limit 10.0 %)',
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
    expect(told(judged(101))).toEqual([
      'refused: removed (Organization): 101 of 1000 are not in this edition (10.1 %, limit 10.0 %). Are these files of another population? If so, use --accept other-people',
    ]);
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
    expect(told(guardPartial(edition))).toEqual([
      'passed: partial (activities): PS_LibreAcces_Personne_activite: given',
      `refused: partial (skills): ${SKILLS}: not given (${SKILLS}.txt.part is still being written, by its name). Take it as published, and whole`,
      `refused: partial (diplomas): ${DIPLOMAS}: not given (${DIPLOMAS}.txt bears its name and holds Extraction_Correspondance_MSSante). Take it as published, and whole`,
      `refused: partial (finess structureej): ${finess}, lines "structureej": not given. Give its file, too`,
      `passed: partial (finess structureet): ${finess}, lines "structureet": given`,
    ]);
    expect(guardPartial(judgedEdition({ limits, sources: [judgedSource('x', 'fhir')] }))).toEqual([]);
    expect(guardPartial(judgedEdition({ limits, sources: [judgedSource('x', 'fhir'), ...sources] }))).toHaveLength(5);
  });

  it('departments: what is lost and what is not', () => {
    const statistics = (departments: object, professions?: object) => ({
      columns: {},
      values: {},
      departments,
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
    expect(told(guardParts(edition))).toEqual([
      'refused: departments (Practitioner): departments 01 (100 before, 10 now) have lost more than 20.0 %. Is a part of the country missing, or were postal codes changed? Take the files as published',
      'passed: departments (Organization): 2 departments hold as many as before',
      'passed: professions (Practitioner): 1 professions and specialities hold as many as before',
    ]);
  });

  it('shares and limits', () => {
    expect([limitText(-5, 100, 0.1), limitText(5, 0, 0.02, ' more'), limitText(5, 100, 0.1, ' fewer')]).toEqual([
      '(0.00 %, limit 10.0 %)',
      '(500.0 % more, limit 2.00 %)',
      '(5.00 % fewer, limit 10.0 %)',
    ]);
  });
});
