// What an import notes while it runs: in one thread, and added up from several.

import { describe, expect, it } from '@jest/globals';
import { createCollector, type FileReport } from '#import/collect/collector.ts';
import { SKILL_COLUMNS } from '#import/registers/person-columns.ts';

const report = (name: string, more: Partial<FileReport> = {}): FileReport => ({
  name,
  kind: 'skills',
  lines: 0,
  leftOut: 0,
  ...more,
});
const numbered = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('the notes of an import', () => {
  it('warnings are counted by kind, and the first five are shown without control characters', () => {
    const collector = createCollector();
    for (const number of numbered(6)) collector.warn('no-name', `person ${number}`);
    collector.warn('test-person', `a\u0007b${'c'.repeat(1000)}`);
    expect(collector.warnings()).toEqual([
      {
        kind: 'no-name',
        meaning: 'persons without a name (kept)',
        count: 6,
        examples: ['person 1', 'person 2', 'person 3', 'person 4', 'person 5'],
      },
      {
        kind: 'test-person',
        meaning: 'people with the name of a test (kept)',
        count: 1,
        examples: [`a\\x07b${'c'.repeat(997)}…`],
      },
    ]);
  });

  it('lines that are left out are counted in their file, and the first 200 are listed with their reason', () => {
    const collector = createCollector();
    const [text, json] = [report('a.txt'), report('b.json', { unit: 'entry' })];
    collector.leaveOut(json, 7, `odd ${'x'.repeat(2000)}`);
    for (const line of numbered(200)) collector.leaveOut(text, line, 'odd');
    const { count, examples } = collector.linesLeftOut();
    expect([count, examples.length, text.leftOut, json.leftOut]).toEqual([201, 200, 200, 1]);
    expect(examples.slice(0, 2)).toEqual([
      { file: 'b.json', line: 7, unit: 'entry', reason: `odd ${'x'.repeat(996)}…` },
      { file: 'a.txt', line: 1, reason: 'odd' },
    ]);
    expect(collector.reasonsFor(json)).toEqual(examples.slice(0, 1));
    expect(collector.reasonsFor(text).map(({ line }) => line)).toEqual(numbered(199));
    const thread = createCollector();
    thread.leaveOut(report('c.txt'), 1, 'odd');
    collector.add(thread.notes(), []);
    expect(collector.linesLeftOut().examples).toHaveLength(200);
  });

  it('a repeated line is a warning and a count of its file', () => {
    const collector = createCollector();
    const file = report('a.txt');
    for (const line of [3, 5]) collector.repeat(file, line);
    expect(file).toEqual({ ...report('a.txt'), repeated: 2 });
    expect(collector.warnings()).toMatchObject([
      { kind: 'duplicate-line', count: 2, examples: ['a.txt, line 3', 'a.txt, line 5'] },
    ]);
  });

  it('a doubtful resource is a warning and is listed, up to a thousand of each kind', () => {
    const collector = createCollector();
    for (const number of numbered(1001)) collector.doubt('fused-people', `Practitioner/${number}`, 'why\u0007');
    collector.doubt('fused-structures', 'Organization/1', 'other');
    expect(collector.doubtful()).toHaveLength(1001);
    expect(collector.doubtful().slice(999)).toEqual([
      { kind: 'fused-people', reference: 'Practitioner/1000', reason: 'why\\x07' },
      { kind: 'fused-structures', reference: 'Organization/1', reason: 'other' },
    ]);
    expect(collector.warnings()).toMatchObject([
      { kind: 'fused-people', count: 1001, examples: expect.arrayContaining(['Practitioner/1: why\\x07']) },
      { kind: 'fused-structures', count: 1 },
    ]);
  });

  it('what another thread has noted is added, each note to its own', () => {
    const [thread, collector] = [createCollector(), createCollector()];
    const inThread = report('a.txt');
    for (const number of numbered(4)) thread.warn('no-name', `of the thread ${number}`);
    for (const line of [7, 9]) thread.leaveOut(inThread, line, 'odd');
    for (const line of [8, 10, 12]) thread.repeat(inThread, line);
    thread.doubt('fused-people', 'Practitioner/1', 'why');
    thread.departments['69'] = { Practitioner: 2 };
    thread.consistency.count('fused', 'case');
    thread.nameVariety.look('MARTIN', 'Jeanne');
    thread.pairs.of('roleLabels').judged(0, 5, true);
    thread.populations.mailbox('a@b.example');
    thread.columns.count('a.txt', 'skills', SKILL_COLUMNS, ['8', '1', '8190'], 2);
    const [a, b] = [report('a.txt', { lines: 20, leftOut: 1, repeated: 1 }), report('b.txt')];
    for (const number of numbered(3)) collector.warn('no-name', `${number}`);
    collector.leaveOut(b, 3, 'own');
    collector.departments['69'] = { Practitioner: 1 };
    collector.add(structuredClone(thread.notes()), [a, b]);
    expect([a, b]).toEqual([report('a.txt', { lines: 20, leftOut: 3, repeated: 4 }), report('b.txt', { leftOut: 1 })]);
    expect(collector.linesLeftOut()).toEqual({
      count: 3,
      examples: [
        { file: 'b.txt', line: 3, reason: 'own' },
        { file: 'a.txt', line: 7, reason: 'odd' },
        { file: 'a.txt', line: 9, reason: 'odd' },
      ],
    });
    expect(collector.warnings().map(({ kind, count, examples }) => [kind, count, ...examples])).toEqual([
      ['no-name', 7, '1', '2', '3', 'of the thread 1', 'of the thread 2'],
      ['duplicate-line', 3, 'a.txt, line 8', 'a.txt, line 10', 'a.txt, line 12'],
      ['fused-people', 1, 'Practitioner/1: why'],
    ]);
    expect(collector.doubtful()).toEqual([{ kind: 'fused-people', reference: 'Practitioner/1', reason: 'why' }]);
    expect(collector.departments).toEqual({ 69: { Practitioner: 3 } });
    expect(collector.consistency.all.fused).toMatchObject({ checked: 1, odd: 1, examples: ['case'] });
    expect(collector.nameVariety.all()).toEqual({ people: 1, families: 1, givens: 1 });
    expect(collector.pairs.all()).toMatchObject([{ key: 'roleLabels', checked: 1, odd: 1 }]);
    expect(collector.populations.measured().addresses).toBe(1);
    expect(collector.columns.all().map(({ column, filled }) => [column.key, filled])).toContainEqual(['nationalId', 1]);
    // Of these notes a third thread hears as well.
    expect(createAdded(collector.notes()).linesLeftOut().count).toBe(3);
  });

  function createAdded(notes: ReturnType<ReturnType<typeof createCollector>['notes']>) {
    const next = createCollector();
    next.add(notes, [report('a.txt'), report('b.txt')]);
    return next;
  }
});

describe('the agreement of registers', () => {
  it('cases are counted, in groups too, with three examples of odd ones', () => {
    const { consistency } = createCollector();
    consistency.count('namesInSkills', undefined, ['department 69', 'profession 10']);
    for (const number of numbered(4)) consistency.count('namesInSkills', `case ${number}`, ['department 69']);
    expect(consistency.all.namesInSkills).toEqual({
      checked: 5,
      odd: 4,
      examples: ['case 1', 'case 2', 'case 3'],
      groups: { 'department 69': { checked: 5, odd: 4 }, 'profession 10': { checked: 1, odd: 0 } },
    });
    expect(consistency.all.namesInDiplomas).toEqual({ checked: 0, odd: 0, examples: [], groups: {} });
    const other = createCollector().consistency;
    other.count('namesInSkills', 'first', ['department 13', 'department 69']);
    other.add(consistency.all);
    expect(other.all.namesInSkills).toEqual({
      checked: 6,
      odd: 5,
      examples: ['first', 'case 1', 'case 2'],
      groups: {
        'department 13': { checked: 1, odd: 1 },
        'department 69': { checked: 6, odd: 5 },
        'profession 10': { checked: 1, odd: 0 },
      },
    });
  });

  it('different names are counted of the first 4096 people with both, in each thread', () => {
    const { nameVariety } = createCollector();
    nameVariety.look('', 'Jeanne');
    nameVariety.look('MARTIN', '');
    for (const number of numbered(4097)) nameVariety.look(`NOM${number % 100}`, `Prénom${number}`);
    expect(nameVariety.all()).toEqual({ people: 4096, families: 100, givens: 4096 });
    nameVariety.add({ people: 3, families: 2, givens: 1 });
    nameVariety.add({ people: 10, families: 20, givens: 30 });
    expect(nameVariety.all()).toEqual({ people: 4109, families: 122, givens: 4127 });
  });
});
