// The judgement and the report of an edition, as a whole, and the figures that the next one is compared with.

import { describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { type Verdict, verdict } from '#import/guards/verdict.ts';
import { importReport, judgedBefore, keptJudgement, unreadableReport } from '#import/judgement/import-report.ts';
import { judgementFrom } from '#import/judgement/reported-judgement.ts';
import { noStatistics, qualityOf, statisticsOf } from '#import/judgement/statistics.ts';
import { A, ACTIVITY_COLUMNS } from '#import/registers/person-columns.ts';
import { judgedEdition, NO_CHANGES } from '#support/import/judged-edition.ts';

const COUNTS = { Practitioner: 3, Organization: 2, PractitionerRole: 1 };
const source = (name: string, kind: string, more: object = {}) => ({
  input: { name },
  recognised: { kind },
  report: { name, kind, lines: 5, leftOut: 0, ...more },
});
const refused = (name: 'registers' | 'canaries', register?: string): Verdict =>
  verdict(name, { passed: false, figures: 'fewer', remedy: 'Look', ...(register !== undefined && { register }) });

describe('import: the judgement of an edition', () => {
  it('refused: the reasons, how to accept it, and its figures beside those before', () => {
    const collector = createCollector();
    for (let number = 1; number <= 21; number++) collector.doubt('test-person', `Practitioner/${number}`, 'why');
    collector.doubt('mailbox-of-another', 'Practitioner/o', 'why');
    const last = collector.doubtful()[20];
    if (last) last.linked = true;
    collector.consistency.count('fused', 'case');
    collector.consistency.count('fused');
    const departments = { '69': { Practitioner: 2 } };
    const edition = judgedEdition({
      collector,
      sources: [source('s', 'skills', { edition: '2026-10-08' })],
      statistics: { columns: { skills: { Code: 0.5 } }, values: {}, departments },
      before: {
        id: 's',
        editions: { diplomas: { lines: 7 } },
        counts: COUNTS,
        statistics: {
          columns: { skills: { Label: 1 } },
          values: {},
          departments: { 13: { Practitioner: 2 } },
          consistency: { fused: 0.25 },
        },
      },
    });
    const verdicts = [refused('registers', 'skills'), { ...refused('registers'), notable: true as const }];
    const judgement = judgementFrom(verdicts, ['warned'], edition, NO_CHANGES as never);
    const { doubtful: listed, ...rest } = judgement;
    expect(rest).toEqual({
      verdict: 'refused',
      reasons: ['registers (skills): fewer. Look', 'registers: fewer. Look'],
      acceptedBy: '--accept registers:skills,registers',
      registers: [
        { register: 'diplomas', title: 'PS_LibreAcces_Dipl_AutExerc', now: { lines: 0 }, before: { lines: 7 } },
        { register: 'skills', title: 'PS_LibreAcces_SavoirFaire', now: { lines: 5, date: '2026-10-08' } },
      ],
      columns: [
        { register: 'skills', column: 'Code', now: 0.5 },
        { register: 'skills', column: 'Label', now: 0, before: 1 },
      ],
      departments: [
        { department: '13', now: {}, before: { Practitioner: 2 } },
        { department: '69', now: { Practitioner: 2 } },
      ],
      samples: NO_CHANGES,
      consistency: [
        {
          guard: 'fused',
          register: 'activities',
          meaning: 'people have lines with the names of two people',
          checked: 2,
          odd: 1,
          examples: ['case'],
          now: 0.5,
          before: 0.25,
        },
      ],
    });
    // The linked one, then those that are worth a look, twenty of them.
    const references = listed.map(({ reference }) => reference.slice('Practitioner/'.length));
    expect([references[0], references[1], references.at(-1), references.length]).toEqual(['21', '1', '20', 21]);
  });

  it('accepted: what was accepted, what is notable, and warnings', () => {
    const accepted = { ...refused('registers', 'skills'), accepted: true as const };
    const notable = { name: 'pairs', passed: true, figures: 'some', notable: true as const };
    expect(judgementFrom([accepted, notable], ['warned'])).toEqual({
      verdict: 'accepted with warnings',
      registers: [],
      columns: [],
      departments: [],
      consistency: [],
      doubtful: [],
      reasons: ['accepted: registers (skills): fewer', 'pairs: some', 'warned'],
    });
    expect(judgementFrom([], [])).toMatchObject({ verdict: 'accepted', reasons: [] });
    expect(judgementFrom([refused('canaries')], ['warned'])).not.toHaveProperty('acceptedBy');
    const unread = judgedEdition({
      before: { id: 's', editions: {}, statistics: { ...noStatistics(), departments: { 69: {} } } },
    });
    expect(judgementFrom([], [], unread).departments).toEqual([]);
  });
});

describe('import: the report of an edition', () => {
  const clock = { phases: { reading: 1 }, seconds: () => 7, endPhase: () => {} };
  const summary = {
    id: 'new',
    changes: { ...NO_CHANGES, Practitioner: { ...NO_CHANGES.Practitioner, removed: 4 } },
    samples: {},
  };
  const edition = judgedEdition({ sources: [source('s', 'skills')], counts: COUNTS });
  edition.collector.warn('no-name', '8190');
  const judged = { edition, verdicts: [{ ...refused('registers'), accepted: true }], refused: false, summary } as never;

  it('of each ending', () => {
    const linked = { accounts: 1 } as never;
    const report = importReport('imported', judged, clock, linked);
    expect(report).toEqual({
      outcome: 'imported',
      snapshot: 'new',
      files: [edition.sources[0]?.report],
      lines: 5,
      resources: COUNTS,
      judgement: expect.objectContaining({
        verdict: 'accepted with warnings',
        samples: {},
        reasons: ['accepted: registers: fewer', '1 persons without a name (kept), such as 8190'],
      }),
      changes: summary.changes,
      linkedAccounts: linked,
      linesLeftOut: { count: 0, examples: [] },
      seconds: 7,
      warnings: [{ kind: 'no-name', meaning: 'persons without a name (kept)', count: 1, examples: ['8190'] }],
      guards: [{ ...refused('registers'), accepted: true }],
      phases: { reading: 1 },
    });
    expect(importReport('checked', judged, clock)).not.toHaveProperty('snapshot');
    const alone = importReport('unchanged', { edition }, clock);
    expect([alone.guards, 'changes' in alone, 'linkedAccounts' in alone]).toEqual([[], false, false]);
    const { report: stored, ...kept } = keptJudgement(judged, report);
    expect(kept).toEqual({
      counts: COUNTS,
      editions: { skills: { lines: 5 } },
      statistics: edition.statistics,
      accepted: ['registers'],
      removed: { Practitioner: 4, Organization: 0, PractitionerRole: 0 },
    });
    expect(JSON.parse(stored)).toMatchObject({ outcome: 'imported', quality: { doubtful: [], pairs: [] } });
  });

  it('of files that cannot be read, and of an edition that is served already', () => {
    const nothing = { Practitioner: 0, Organization: 0, PractitionerRole: 0 };
    const unreadable = unreadableReport(new Error('first\nsecond'));
    expect(unreadable).toEqual({
      judgement: {
        verdict: 'refused',
        reasons: ['first', 'second'],
        registers: [],
        columns: [],
        departments: [],
        consistency: [],
        doubtful: [],
      },
      outcome: 'refused',
      files: [],
      lines: 0,
      resources: nothing,
      warnings: [],
      guards: [],
      seconds: 0,
      phases: {},
      linesLeftOut: { count: 0, examples: [] },
    });
    const now = { ...unreadable, outcome: 'unchanged' as const };
    const then = { ...unreadable.judgement, verdict: 'accepted', reasons: ['then'] };
    const stored = JSON.stringify({ judgement: then });
    expect(judgedBefore(now, { counts: COUNTS }, stored)).toEqual({ ...now, resources: COUNTS, judgement: then });
    expect(judgedBefore(now, { counts: COUNTS }, undefined)).toEqual({ ...now, resources: COUNTS });
    expect(judgedBefore(unreadable, { counts: COUNTS }, stored).judgement).toEqual({
      ...then,
      ...unreadable.judgement,
    });
  });

  it('has the quality of its people', () => {
    const collector = createCollector();
    for (const kind of ['mailbox-of-another', 'same-person-twice', 'test-person', 'fused-people'] as const)
      collector.doubt(kind, 'Practitioner/1', kind);
    const row = ACTIVITY_COLUMNS.map(
      ({ key }) => ({ profession: '10', professionLabel: 'Médecin', family: 'A' })[key as string] ?? '',
    );
    collector.populations.person('8190', [row], undefined, A);
    for (const odd of [true, true, true, false]) collector.pairs.of('mailboxNames').judged(0, 0, odd);
    for (const odd of [true, false]) collector.pairs.of('mailboxRuns').judged(0, 5, odd, () => 'x');
    const listed = { kind: 'mailbox-of-another', reference: 'Practitioner/1', reason: 'mailbox-of-another' };
    expect(qualityOf(collector)).toEqual({
      matrix: { 10: { unknown: 1 } },
      labels: { 10: 'Médecin' },
      tests: [],
      duplicates: { people: 0, groups: [] },
      withoutPlace: { byProfession: { 10: 1 }, examples: ['8190'], namesakes: 0 },
      professions: { 10: 1 },
      doubtful: [{ kind: 'fused-people', reference: 'Practitioner/1', reason: 'fused-people' }],
      mailboxes: { own: 1, other: 1, neutral: 2, listed: [listed], shared: [] },
      pairs: [
        { key: 'mailboxNames', checked: 4, odd: 0.75, fit: 0, runs: [] },
        { key: 'mailboxRuns', checked: 2, odd: 0.5, fit: 0, runs: [] },
      ],
    });
  });

  it('leaves these figures for the next edition', () => {
    const collector = createCollector();
    const given = ['Zoé', 'Zoé', '7', 'No?l', 'a', 'b', 'c', 'd', 'e', 'f'];
    for (const [line, name] of given.entries()) {
      const row = ACTIVITY_COLUMNS.map(
        ({ key }) => ({ given: name, countryCode: '1', siret: '99020264000019' })[key as string] ?? '',
      );
      collector.columns.count('pa', 'activities', ACTIVITY_COLUMNS, row, line + 2);
      collector.populations.mailbox(line < 4 ? 'one@x.example' : `${line}@x.example`);
      collector.populations.person(String(line), [row, row], line < 3 ? 'R1' : undefined, A);
    }
    collector.departments['69'] = { Practitioner: 2 };
    const { columns, values, elements, consistency, pairs, ...rest } = statisticsOf(collector);
    expect(columns['activities']).toMatchObject({
      "Prénom d'exercice": 1,
      'Numéro SIRET site': 1,
      "Nom d'exercice": 0,
    });
    expect(columns['activities']).not.toHaveProperty('Code pays (coord. structure)');
    expect(values).toEqual({
      activities: {
        "Prénom d'exercice": {
          odd: 0.7,
          damaged: 0.1,
          accented: 0.2,
          common: { zoe: 0.2, ...Object.fromEntries(['7', 'a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, 0.1])) },
        },
      },
    });
    expect([Object.keys(elements ?? {}).length, consistency, pairs]).toEqual([19, {}, {}]);
    expect(rest).toEqual({
      departments: { 69: { Practitioner: 2 } },
      professions: {},
      linesPerPerson: 2,
      largest: 0.3,
      duplicates: 0.2,
      testNames: 0,
      shared: 0.4,
    });
    const alone = createCollector();
    alone.columns.count('pa', 'activities', ACTIVITY_COLUMNS, ['8'], 2);
    expect(statisticsOf(alone)).toMatchObject({
      columns: { activities: { "Type d'identifiant PP": 1 } },
      values: { activities: { "Type d'identifiant PP": { common: { 8: 1 } } } },
    });
    expect(Object.keys(statisticsOf(createCollector()))).toEqual([
      ...['columns', 'values', 'departments', 'consistency', 'pairs', 'elements'],
    ]);
  });
});
