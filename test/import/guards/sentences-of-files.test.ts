// What guards on files, their names and their dates say, word for word: figures, limits and remedies.

import { describe, expect, it } from '@jest/globals';
import { createCollector, type FileReport } from '#import/collect/collector.ts';
import {
  absentRegisters,
  guardMisnamed,
  guardOlderEdition,
  guardRegistersApart,
  hintOfMissing,
  warnOfAbsent,
} from '#import/guards/editions.ts';
import { guardUnusableLines, guardUnusableLinesInAll } from '#import/guards/unusable-lines.ts';
import { guardNameVariety } from '#import/guards/values.ts';
import { editionBefore, judgedEdition, judgedSource, told } from '#support/import/judged-edition.ts';

const [DIPLOMAS, SKILLS] = ['PS_LibreAcces_Dipl_AutExerc', 'PS_LibreAcces_SavoirFaire'] as const;

describe('directory data 4: what guards on files say', () => {
  it('unusable lines, file by file and in all', () => {
    const collector = createCollector();
    const sources = [
      judgedSource('a.txt', 'skills'),
      judgedSource('b.json', 'fhir', { unit: 'entry' }),
      judgedSource('c.json', 'fhir', { unit: 'entry', lines: 0 }),
      judgedSource('d.txt', 'diplomas', { lines: 0 }),
      judgedSource('e.txt', 'diplomas'),
    ];
    const [a, b, , , e] = sources.map(({ report }) => report as FileReport) as [
      ...[FileReport, FileReport, FileReport, FileReport, FileReport],
    ];
    for (const line of [7, 9]) collector.leaveOut(a, line, 'odd');
    for (const line of [3, 4]) collector.leaveOut(b, line, 'empty');
    collector.leaveOut(e, 5, 'odd');
    expect(told(guardUnusableLines(judgedEdition({ sources, collector })))).toEqual([
      `refused: unusable-lines (skills): a.txt: 2 of 100 lines (2.00 %, limit 1.00 %); line 7: odd. Take ${SKILLS} as published`,
      'refused: unusable-lines (fhir): b.json: 2 of 100 lines (2.00 %, limit 1.00 %); entry 3: empty. Take FHIR STU3 resources as Bundle or NDJSON as published',
      'refused: unusable-lines (fhir): c.json: not a single entry. Take FHIR STU3 resources as Bundle or NDJSON as published',
      `refused: unusable-lines (diplomas): d.txt: not a single line behind the header. Take ${DIPLOMAS} as published`,
      'passed: unusable-lines (diplomas): e.txt: 1 of 100 lines (1.00 %, limit 1.00 %); line 5: odd',
    ]);
    const inAll = (leftOut: number) =>
      guardUnusableLinesInAll(
        judgedEdition({
          sources: [judgedSource('a', 'skills', { leftOut }), judgedSource('b', 'skills', { leftOut: 400 })],
        }),
      );
    expect(told([...inAll(600), ...inAll(601)])).toEqual([
      'passed: unusable-lines-in-all: 1000 (limit 1000)',
      'refused: unusable-lines-in-all: 1001 (limit 1000)',
    ]);
  });

  it('names that are swapped everywhere', () => {
    const judged = (people: number, families: number, givens: number) => {
      const collector = createCollector();
      collector.nameVariety.add({ people, families, givens });
      return guardNameVariety({ collector });
    };
    expect(judged(499, 10, 400)).toEqual([]);
    expect(judged(500, 100, 120)).toMatchObject([{ passed: true }]);
    expect(told(judged(500, 100, 121))).toEqual([
      'refused: names-differ (activities): 500 people have 100 different family names and 121 given names. Are the columns of family and given names swapped? Take the files as published',
    ]);
  });

  it('files with the name of another register', () => {
    const sources = [
      judgedSource(`in/${SKILLS}_1.txt`, 'diplomas'),
      judgedSource('etalab-cs1100501-x.csv', 'finess', { parts: { structureet: 1 } }),
      judgedSource('etalab-cs1100502-x.csv', 'finess', { parts: { structureet: 1 } }),
      judgedSource('etalab-cs1100507-x.csv', 'finess', { lines: 0 }),
      judgedSource(`${DIPLOMAS}.json`, 'fhir'),
      judgedSource('any.txt', 'skills'),
    ];
    const finess = 'FINESS etalab-cs1100501, 502, 507 and finess-structures (JSON)';
    expect(told(guardMisnamed(judgedEdition({ sources })))).toEqual([
      `refused: misnamed (skills): in/${SKILLS}_1.txt bears the name of ${SKILLS} and holds ${DIPLOMAS}. Take the file as published`,
      `refused: misnamed (finess structureej): etalab-cs1100501-x.csv bears the name of ${finess}, lines "structureej" and holds ${finess}. Take the file as published`,
    ]);
  });

  it('where a missing register may be', () => {
    const collector = createCollector();
    collector.warn('repeated-file', `in/${SKILLS}_1.txt, as in/${DIPLOMAS}_1.txt`);
    const hint = (register: string) =>
      hintOfMissing(register, { sources: [], collector, incoming: ['x.part', 'etalab-cs1100501.csv.part'] });
    expect(['skills', 'finess', 'finess structureej', 'finess structureet', 'diplomas'].map(hint)).toEqual([
      ` (in/${SKILLS}_1.txt bears its name and is a copy of in/${DIPLOMAS}_1.txt)`,
      ' (etalab-cs1100501.csv.part is still being written, by its name)',
      ' (etalab-cs1100501.csv.part is still being written, by its name)',
      '',
      '',
    ]);
  });

  it('registers that stay away, since when', () => {
    const today = new Date('2026-11-20T23:00:00Z');
    const sources = [judgedSource('pa', 'activities'), judgedSource('f', 'finess', { parts: { structureet: 3 } })];
    const limits = { expected: ['activities', 'skills', 'finess'] };
    const absent = (more: object) => absentRegisters(judgedEdition({ sources, limits, ...more }), today);
    expect(absent({})).toEqual({ skills: '2026-11-20' });
    const known = { diplomas: '2026-10-01', activities: '2026-10-01', mailboxes: '2026-10-02' };
    const statistics = (missing: object) => ({ columns: {}, values: {}, departments: {}, absent: missing });
    const collector = createCollector();
    const now = statistics({ skills: '2026-11-20', diplomas: '2026-10-01' });
    warnOfAbsent(judgedEdition({ collector, statistics: now, ...editionBefore({ statistics: statistics(known) }) }));
    warnOfAbsent(judgedEdition({ collector, statistics: now }));
    expect(collector.warnings()).toMatchObject([
      { kind: 'absent-register', count: 1, examples: [`${DIPLOMAS} since 2026-10-01`] },
    ]);
  });

  it('dates where nothing is wrong', () => {
    const dated = [judgedSource('a', 'skills', { edition: '2026-10-08' })];
    expect(told(guardOlderEdition(judgedEdition({ sources: dated, ...editionBefore({}) })))).toEqual([
      'passed: older-edition: no register is older than in the directory',
    ]);
    expect(told(guardRegistersApart(judgedEdition({ sources: dated })))).toEqual([
      'passed: registers-apart: registers of people are of about one day (limit 14 days)',
    ]);
  });
});
