// operations: what operators read of an edition, whole: the report of an import, its judgement beside the edition before, the links of
// accounts.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  describeContent,
  describeRegisters,
  describeReport,
  describeVerdict,
  folderOf,
  ifMeant,
  linkedAccountsText,
  withoutFolder,
} from '#cli/directory/report-text.ts';
import type { ImportReport } from '#import/judgement/import-report.ts';
import type { Judgement } from '#import/judgement/reported-judgement.ts';

const NOTHING: Judgement = {
  verdict: 'accepted',
  reasons: [],
  registers: [],
  columns: [],
  departments: [],
  consistency: [],
  doubtful: [],
};

describe('texts about an edition', () => {
  const own = process.env['HYGIE_COMMAND'];
  beforeEach(() => void Object.assign(process.env, { HYGIE_COMMAND: 'hygie' }));
  afterEach(() => {
    if (own === undefined) delete process.env['HYGIE_COMMAND'];
    else process.env['HYGIE_COMMAND'] = own;
  });

  describe('a judgement', () => {
    it('is a verdict with its reasons, and how it is accepted', () => {
      expect(describeVerdict({ ...NOTHING, verdict: 'refused', reasons: ['one', 'two'] })).toEqual([
        'Judgement: refused',
        '  one',
        '  two',
      ]);
      expect([ifMeant('--accept partial,changed'), ifMeant('--accept partial', ['/srv/a b', 'c'])]).toEqual([
        'If all of this is meant: hygie directory import --accept partial,changed PATH...',
        "If all of this is meant: hygie directory import --accept partial '/srv/a b' c",
      ]);
      const activities = { register: 'activities', title: 'A', now: { lines: 12345, date: '2026-10-08T08:30' } };
      const gone = {
        register: 'skills',
        title: 'S',
        now: { lines: 0 },
        before: { lines: 7, date: '2026-10-07T08:30' },
      };
      expect(
        [[], [activities], [activities, gone]].map((registers) => describeRegisters({ ...NOTHING, registers })),
      ).toEqual([
        [],
        ['register     lines  edition', 'activities  12 345  2026-10-08T08:30'],
        [
          'register     lines  before  edition           before',
          'activities  12 345          2026-10-08T08:30',
          'skills           0       7                    2026-10-07T08:30',
        ],
      ]);
    });

    it('shows the five departments and columns that changed most, the largest changes first', () => {
      const department = (name: string, now: number, before?: number) => ({
        department: name,
        now: { Practitioner: now, Organization: 1 },
        ...(before !== undefined && { before: { Practitioner: before, PractitionerRole: 1 } }),
      });
      const departments = [
        ...[department('01', 10, 10), department('02', 12, 10), department('03', 1000, 2000), department('04', 5)],
        ...[department('05', 13, 10), department('06', 10, 14), department('07', 15, 10), department('08', 9, 10)],
      ];
      const column = (name: string, now: number, before?: number) => ({
        register: 'skills',
        column: name,
        now,
        ...(before !== undefined && { before }),
      });
      const columns = [
        ...[column('A', 0.5, 0.5049), column('B', 0.505, 0.5), column('C', 0.1, 0.9), column('D', 1)],
        ...[
          column('E', 0.4, 0.5),
          column('F', 0.3, 0.5),
          column('G', 0.2, 0.5),
          column('H', 0.52, 0.5),
          column('I', 0.53, 0.5),
        ],
      ];
      expect(describeContent({ ...NOTHING, departments, columns })).toEqual([
        '8 departments; changed most: 03: 2 001 -> 1 001, 07: 11 -> 16, 06: 15 -> 11, 05: 11 -> 14, 02: 11 -> 13',
        'skills, "C": filled 90.0 % -> 10.0 %',
        'skills, "G": filled 50.0 % -> 20.0 %',
        'skills, "F": filled 50.0 % -> 30.0 %',
        'skills, "E": filled 50.0 % -> 40.0 %',
        'skills, "I": filled 50.0 % -> 53.0 %',
      ]);
      expect(describeContent({ ...NOTHING, departments: [department('01', 1)] })).toEqual(['1 departments']);
      expect(describeContent({ ...NOTHING, columns: [column('B', 0.506, 0.5), column('A', 0.5, 0.5049)] })).toEqual([
        'skills, "B": filled 50.0 % -> 50.6 %',
      ]);
    });

    it('shows what is doubtful, and odd findings, but those that are among the reasons or hardly changed', () => {
      const found = {
        guard: 'g',
        register: 'skills',
        meaning: 'are odd',
        examples: [],
        checked: 2000,
        odd: 20,
        now: 0.01,
      };
      const consistency = [
        found,
        { ...found, guard: 'other', before: 0.02 },
        { ...found, guard: 'third', odd: 0 },
        { ...found, before: 0.0051 },
      ];
      const text = (reasons: string[]) => describeContent({ ...NOTHING, consistency, reasons });
      expect([text([]), text(['g (skills): 20 of 2000']), text(['g'])]).toEqual([
        ['skills: 20 of 2 000 are odd (1.0 %)', 'skills: 20 of 2 000 are odd (1.0 %; before: 2.0 %)'],
        ['skills: 20 of 2 000 are odd (1.0 %; before: 2.0 %)'],
        ['skills: 20 of 2 000 are odd (1.0 %)', 'skills: 20 of 2 000 are odd (1.0 %; before: 2.0 %)'],
      ]);
      const fused = { kind: 'fused-people' as const, reference: 'Practitioner/1', reason: 'two names' };
      expect(describeContent({ ...NOTHING, doubtful: [{ ...fused, linked: true }, fused] })).toEqual([
        'Doubtful: Practitioner/1 (sign-in accounts are linked to it): two names',
        'Doubtful: Practitioner/1: two names',
      ]);
    });

    it('shows samples of what changed, three or two of each', () => {
      const none = { added: [], removed: [], changed: [], compared: 0, elements: {} };
      const changed = ['7', '8', '9'].map((id) => ({ id, elements: ['name'], from: 'A', to: id === '8' ? '' : 'B' }));
      const samples = {
        Practitioner: {
          added: ['1', '2', '3', '4'],
          removed: ['5', '6'],
          changed,
          compared: 4,
          elements: { name: 1, telecom: 3 },
        },
        Organization: none,
        PractitionerRole: { ...none, elements: { active: 0 }, compared: 0 },
      };
      const registers = [{ register: 'a', title: 'A', now: { lines: 1 }, before: { lines: 1 } }];
      expect(describeContent({ ...NOTHING, samples, registers } as never)).toEqual([
        'Practitioner added, such as 1, 2, 3',
        'Practitioner removed, such as 5, 6',
        'Practitioner changed in telecom 75.0 %, name 25.0 %, such as',
        '  7, name: A -> B',
        '  8, name: A -> nothing',
        'PractitionerRole changed in active 0.0 %, such as',
      ]);
      // A first import has nothing to be compared with.
      expect(
        describeContent({ ...NOTHING, samples, registers: [{ ...registers[0], before: undefined }] } as never),
      ).toEqual([]);
    });
  });

  describe('a report', () => {
    const report = (more: object = {}): ImportReport =>
      ({
        outcome: 'imported',
        judgement: NOTHING,
        files: [],
        lines: 0,
        warnings: [],
        guards: [],
        seconds: 1.5,
        phases: {},
        resources: { Practitioner: 1200, Organization: 2, PractitionerRole: 3 },
        linesLeftOut: { count: 0, examples: [] },
        ...more,
      }) as never;
    const file = (name: string, more: object = {}) => ({ name, kind: 'activities', lines: 1500, leftOut: 0, ...more });

    it('without files is the verdict alone', () => {
      const outcomes = ['imported', 'unchanged', 'checked', 'refused'].map((outcome) =>
        describeReport(report({ outcome })),
      );
      expect(outcomes).toEqual([
        'Imported: the directory was switched.\nJudgement: accepted',
        'Nothing to do: the directory holds this edition already.\nJudgement: accepted',
        'Dry run: nothing speaks against this edition. The directory is unchanged.\nJudgement: accepted',
        'Refused: the directory is unchanged.\nJudgement: accepted',
      ]);
      const refused = report({ outcome: 'refused', judgement: { ...NOTHING, verdict: 'refused', reasons: ['why'] } });
      expect([describeReport(refused), describeReport(refused, true)]).toEqual([
        'Refused: the directory is unchanged.\nJudgement: refused\n  why',
        'Refused, for the reasons at the end.',
      ]);
    });

    it('has all that was read, left out and compared', () => {
      const examples = Array.from({ length: 21 }, (_, line) => ({
        file: '/srv/e/a.txt',
        line,
        reason: 'short',
        ...(line === 0 && { unit: 'entry' }),
      }));
      const text = describeReport(
        report({
          lines: 4500,
          files: [
            file('/srv/e/a.txt', { leftOut: 1200 }),
            file('/srv/e/b.json', { unit: 'entry', kind: 'fhir', comparedWith: ['c', 'd'] }),
            file('/srv/e/c.txt', { unit: 'legal entity', lines: 2 }),
          ],
          judgement: {
            ...NOTHING,
            registers: [{ register: 'activities', title: 'A', now: { lines: 5 } }],
            departments: [{ department: '01', now: {} }],
          },
          changes: { Practitioner: { added: 1000, changed: 2, removed: 3 } },
          linkedAccounts: { other: 0, left: 1, missing: 0, changed: { left: 1, other: 0, held: 1 } },
          warnings: [{ kind: 'no-name', count: 1234, examples: ['/srv/e/a.txt, line 7'] }],
          linesLeftOut: { count: 2100, examples },
        }),
      );
      expect(text.split('\n')).toEqual([
        'Imported: the directory was switched. 4 500 lines in 1.5 s',
        'Judgement: accepted',
        '',
        '  register    lines  edition',
        '  activities      5',
        '',
        '  Practitioner     1 200 (1 000 added, 2 changed, 3 removed)',
        '  Organization     2',
        '  PractitionerRole 3',
        '',
        '  1 departments',
        '',
        '  Sign-in accounts: 1 link does not hold (1 whose record left the directory): hygie accounts list --unlinked',
        '',
        '  Sign-in accounts: 1 link holds again',
        '',
        '  Warning: 1 234 persons without a name (kept)',
        '    a.txt, line 7',
        '',
        '  2 100 lines left out',
        '    a.txt, entry 0: short',
        ...Array.from({ length: 19 }, (_, index) => `    a.txt, line ${index + 1}: short`),
        '',
        '  Files of /srv/e:',
        '    a.txt  activities: 1 500 lines, 1 200 left out',
        '    b.json  fhir: 1 500 entries, as c, d states',
        '    c.txt  activities: 2 structures',
      ]);
      const dry = describeReport(
        report({ outcome: 'checked', linkedAccounts: { other: 2, left: 1, missing: 1000, changed: { held: 2000 } } }),
      );
      expect(dry.split('\n').slice(2)).toEqual([
        ...[
          '',
          '  Sign-in accounts, with this edition: 1 003 links do not hold (2 of another person or structure now, 1 whose record left the directory, 1 000 whose record was never in it): hygie accounts list --unlinked',
        ],
        ...['', '  Sign-in accounts, with this edition: 2 000 links hold again'],
      ]);
      const spread = report({ files: [file('/srv/a/x'), file('/srv/b/y')] });
      expect(describeReport(spread).split('\n').slice(-3)).toEqual([
        ...['  Files:', '    /srv/a/x  activities: 1 500 lines', '    /srv/b/y  activities: 1 500 lines'],
      ]);
      const folders = [[], ['a/b'], ['/a/b'], ['/a/b', '/a/c'], ['/a/b', '/c/d']].map((names) =>
        folderOf({ files: names.map((name) => file(name)) } as never),
      );
      expect(folders).toEqual([undefined, undefined, '/a', '/a', undefined]);
    });
  });

  it('links of accounts: those that do not hold, and whether they were compared', () => {
    const text = (compared: boolean, counts: object) =>
      linkedAccountsText({ compared, other: 0, left: 0, missing: 0, ...counts });
    const notCompared =
      'sign-in accounts: not compared with this edition; the next import does that, of the same files too\n';
    expect([text(true, {}), text(false, {}), text(false, { other: 1, missing: 1 })]).toEqual([
      '',
      notCompared,
      `sign-in accounts: 2 links do not hold (1 of another person or structure now, 1 whose record was never in it): hygie accounts list --unlinked\n${notCompared}`,
    ]);
  });

  it('paths are shortened by their folder, and not where its name stands inside a longer one', () => {
    const texts = ['skills: /srv/a/one, /srv/a/b/two', '/mnt/srv/a/one', '/srv/ab/one', '/srv/a/srv/a/one'];
    expect(withoutFolder(texts, '/srv/a')).toEqual([
      'skills: one, b/two',
      '/mnt/srv/a/one',
      '/srv/ab/one',
      'srv/a/one',
    ]);
    expect(withoutFolder(texts, undefined)).toEqual(texts);
  });
});
