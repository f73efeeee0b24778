// Spill files, record by record; the buckets of people and structures; and the owners of mailboxes.

import { existsSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { practitionerId } from '#import/mapping/practitioner.ts';
import { finessId, idFrom, siretId } from '#import/mapping/resource-ids.ts';
import {
  bucketOfPerson,
  bucketOfResource,
  createStructureSpill,
  groupStructures,
  idCellOf,
  PERSON_RECORD,
  RESOURCE_RECORD,
  STRUCTURE_RECORD,
} from '#import/passes/buckets.ts';
import { createMailboxCandidates, createMailboxRegister } from '#import/passes/mailbox-owners.ts';
import {
  bucketOf,
  bucketOfText,
  createBucketMemory,
  createSpillFiles,
  eachRecord,
  tooManyLines,
} from '#import/passes/spill-file.ts';
import { M, MAILBOX_COLUMNS } from '#import/registers/person-columns.ts';
import { bindingOf, lineOf } from '#support/import/lines.ts';
import { newFolder } from '#support/new-folder.ts';

type Spill = ReturnType<typeof createSpillFiles>;

const recordsIn = (content: Buffer) => {
  const records: unknown[] = [];
  eachRecord(content, ({ kind, file, line, start, end }) =>
    records.push([kind, file, line, content.toString('utf8', start, end)]),
  );
  return records;
};
/** The records of each structure of a spill of one bucket. */
const structuresIn = (spill: Spill) =>
  [...groupStructures(spill.take(0))].map(([id, records]) => [
    id,
    ...records.map(({ kind, file, line, row }) => [kind, file, line, ...row]),
  ]);

describe('import: spill files', () => {
  it('give back every record of a bucket, with its kind, file and line', () => {
    const folder = newFolder();
    const spill = createSpillFiles(folder, 'x', 2);
    const long = 'y'.repeat(70_000);
    spill.addText(1, 1, 65_535, 4_000_000_000, 'é');
    spill.add(1, 2, 3, 4, Buffer.from('abcdef'), 2, 4);
    spill.addText(0, 7, 8, 9, '');
    spill.addText(1, 5, 6, 7, long);
    for (let line = 0; line < 5000; line++) spill.addText(0, 1, 0, line, `line ${line}`);
    spill.seal();
    expect(spill.buckets).toBe(2);
    const lines = Array.from({ length: 5000 }, (_, line) => [1, 0, line, `line ${line}`]);
    expect(recordsIn(spill.take(0))).toEqual([[7, 8, 9, ''], ...lines]);
    expect(recordsIn(spill.take(1))).toEqual([
      [1, 65_535, 4_000_000_000, 'é'],
      [2, 3, 4, 'cd'],
      [5, 6, 7, long],
    ]);
    expect([existsSync(join(folder, 'x-0')), existsSync(join(folder, 'x-1'))]).toEqual([false, false]);
  });

  it('of several writers are read one after the other into one memory', () => {
    const folder = newFolder();
    for (const name of ['a', 'b', 'c']) {
      const spill = createSpillFiles(folder, name, 2);
      spill.addText(0, 1, 0, 1, `${name} first`);
      if (name !== 'b') spill.addText(1, 1, 0, 2, `${name} second`);
      spill.seal();
    }
    const memory = createBucketMemory();
    const first = memory.take(folder, ['a', 'b', 'c'], 0);
    expect(recordsIn(first).map((one) => (one as string[])[3])).toEqual(['a first', 'b first', 'c first']);
    const second = memory.take(folder, ['a', 'c'], 1);
    expect(recordsIn(second).map((one) => (one as string[])[3])).toEqual(['a second', 'c second']);
    expect(second.buffer).toBe(first.buffer);
  });

  it('that hold too much of one thing are refused, with the place', () => {
    const spill = createSpillFiles(newFolder(), 'x', 1, {
      nameOf: (file) => (file === 7 ? 'f.txt' : undefined),
      largest: 40_000,
    });
    const add = (file: number) => spill.addText(0, 1, file, 12, 'x'.repeat(30_000));
    for (let count = 0; count < 2; count++) add(7);
    const fault = 'too many lines are about one and the same person or structure.';
    const message = `${fault} Is an identifier repeated in place of many? Take the files as published.`;
    expect(() => add(7)).toThrow(new RegExp(`^f\\.txt, line 12: ${message.replaceAll('?', '\\?')}$`));
    expect(() => add(8)).toThrow(new RegExp(`^${message.replaceAll('?', '\\?')}$`));
    spill.close();
    expect(tooManyLines('Organization/F1', {}).message).toBe(
      message.replace('one and the same person or structure', 'Organization/F1'),
    );
  });

  it('ten thousand lines of one structure are taken, and no more', () => {
    const lines = (count: number) => {
      const spill = createSpillFiles(newFolder(), 'x', 1);
      const structures = createStructureSpill(spill);
      for (let index = 0; index < count; index++) structures.add('F1', 1, [String(index)]);
      structures.seal();
      return spill.take(0);
    };
    expect([...groupStructures(lines(10_000))]).toHaveLength(1);
    expect(() => [...groupStructures(lines(10_001))]).toThrow('too many lines are about Organization/F1');
  });

  it('a file that became shorter is an error', () => {
    const folder = newFolder();
    const spill = createSpillFiles(folder, 'x', 1);
    spill.addText(0, 1, 0, 1, 'text');
    spill.seal();
    truncateSync(join(folder, 'x-0'), 5);
    expect(() => recordsIn(spill.take(0))).toThrow();
  });

  it('buckets are a hash of the key: these', () => {
    const texts = ['', 'a', 'F690000013', '819000000018', 'é'];
    expect(texts.map((text) => bucketOfText(text, 1 << 30))).toEqual([
      18652613, 604776748, 35534820, 536884194, 513665217,
    ]);
    const bytes = Buffer.from('|819000000018|');
    expect(bucketOf(bytes, 1, 13, 7)).toBe(bucketOfText('819000000018', 7));
  });
});

describe('import: records of people and structures', () => {
  it('have these kinds', () => {
    expect([PERSON_RECORD, RESOURCE_RECORD, STRUCTURE_RECORD]).toEqual([
      { activities: 1, diplomas: 2, skills: 3, mailboxes: 4 },
      5,
      { activity: 1, finessText: 2, finessJson: 3, reference: 4, mailbox: 5, resource: 6, kept: 7, position: 8 },
    ]);
  });

  it('the cell of the national identifier is where its column is', () => {
    const positions = Array.from({ length: 10 }, (_, column) => column * 10);
    const cells = [1, 2, 3, 4].map((kind) => idCellOf({ positions } as never, kind));
    expect([...cells, idCellOf({ positions: [] } as never, 1)]).toEqual([20, 20, 20, 40, 2]);
  });

  it('a person is where the Practitioner and its roles will be', () => {
    const of = (national: string) => bucketOfPerson(Buffer.from(`|${national}|`), 1, 1 + national.length, 1 << 20);
    const id = practitionerId('3/1234567');
    expect(of('819000000018')).toBe(bucketOfText('819000000018', 1 << 20));
    expect(of('3/1234567')).toBe(bucketOfText(id, 1 << 20));
    const [long, longer] = ['1'.repeat(49), '1'.repeat(60)];
    expect([of(long), of(longer)]).toEqual([bucketOfText(long, 1 << 20), bucketOfText(long, 1 << 20)]);
    const [role, other] = [`${long}-0123456789abcd`, 'role-1'];
    expect(bucketOfResource('PractitionerRole', role, 1 << 20)).toBe(bucketOfText(long, 1 << 20));
    expect(bucketOfResource('PractitionerRole', other, 1 << 20)).toBe(bucketOfText(other, 1 << 20));
    expect(bucketOfResource('Practitioner', longer, 1 << 20)).toBe(bucketOfText(long, 1 << 20));
  });

  it('structures come by id, each with its records; a legal entity is referred to once', () => {
    const spill = createSpillFiles(newFolder(), 'x', 1);
    const structures = createStructureSpill(spill);
    structures.add('F2', STRUCTURE_RECORD.activity, ['a', '', 'c'], { file: 3, line: 4 });
    structures.add('F1', STRUCTURE_RECORD.mailbox, ['é']);
    for (const finess of ['', '1', '1', '2']) structures.addReference(finess);
    structures.addKept('F3');
    structures.seal();
    expect(structuresIn(spill)).toEqual([
      ['F1', [5, 0, 0, 'é'], [4, 0, 0, '1']],
      ['F2', [1, 3, 4, 'a', '', 'c'], [4, 0, 0, '2']],
      ['F3', [7, 0, 0, '']],
    ]);
  });
});

describe('import: owners of mailboxes', () => {
  const binding = bindingOf(MAILBOX_COLUMNS);
  function opened() {
    const collector = createCollector();
    const folder = newFolder();
    const register = createMailboxRegister(createSpillFiles(folder, 'mail', 1), collector);
    const report = { name: 'mss.txt', kind: 'mailboxes' as const, lines: 0, leftOut: 0 };
    const read = (text: string, number = 2) => register.read(text, binding, { report, file: 3 } as never, number);
    const assigned = (candidates: Parameters<typeof register.assign>[0]) => {
      const spill = createSpillFiles(folder, 'structures', 1);
      const structures = createStructureSpill(spill);
      register.assign(candidates, structures);
      structures.seal();
      return structuresIn(spill).map(([id, ...records]) => [
        id,
        ...records.map((one) => [...(one as unknown[]).slice(0, 3), (one as string[])[3 + M.address]]),
      ]);
    };
    return { collector, register, report, read, assigned };
  }
  const box = (structureIdType: string, structureId: string, more: object = {}) =>
    lineOf(M, { type: 'ORG', address: `${structureId}@x.example`, structureIdType, structureId, ...more }).join('|');

  it('are named by keys of these kinds', () => {
    const { read, register } = opened();
    const types = ['FINESS', 'siret', 'SIREN', 'ADELI_RANG', 'RPPS_RANG', 'OTHER'];
    expect(types.map((type, at) => read(box(type, `${at}`)))).toEqual(types.map(() => undefined));
    expect(register.keys).toEqual({
      id: new Set(['0', 'F0', '1', '2', '3', '4', '5']),
      siret: new Set(['1']),
      national: new Set(['10', '31', '22', '03', '44']),
    });
    const candidates = createMailboxCandidates(register.keys);
    candidates.add('F0', { siret: '1', name: 'CH des Lilas', nationalId: '22' });
    candidates.add('5', { siret: '', name: '' });
    candidates.add('other', { siret: '2', name: 'x', nationalId: '99' });
    expect(candidates.all()).toEqual([
      { key: 'id:F0', id: 'F0', name: 'ch des lilas' },
      { key: 'siret:1', id: 'F0', name: 'ch des lilas' },
      { key: 'national:22', id: 'F0', name: 'ch des lilas' },
      { key: 'id:5', id: '5', name: '' },
    ]);
  });

  it('get the lines that name them; the same name decides among several, and unknown ones get ids', () => {
    const { read, assigned, collector } = opened();
    read(box('SIRET', '1'), 2);
    read(box('SIRET', '2', { name: 'Les Roses' }), 3);
    read(box('FINESS', '3'), 4);
    read(box('SIRET', '4/5'), 5);
    read(box('OTHER', '6 7', { address: 'six@x.example' }), 6);
    read(box('FINESS', '8'), 7);
    const named = (key: string, id: string, name = '') => ({ key, id, name });
    expect(
      assigned([
        ...[named('siret:1', 'R2', 'a'), named('siret:1', 'R1', 'b'), named('siret:1', 'R1', 'c')],
        ...[named('siret:2', 'R3', 'les lilas'), named('siret:2', 'R4', 'les roses'), named('id:F3', 'F3')],
      ]),
    ).toEqual(
      [
        ['F3', [5, 3, 4, '3@x.example']],
        [finessId('8'), [5, 3, 7, '8@x.example']],
        ['R1', [5, 3, 2, '1@x.example']],
        ['R2', [5, 3, 2, '1@x.example']],
        ['R4', [5, 3, 3, '2@x.example']],
        [siretId('4/5'), [5, 3, 5, '4/5@x.example']],
        [idFrom('6 7', 'o-'), [5, 3, 6, 'six@x.example']],
      ].toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    );
    expect(collector.warnings()).toMatchObject([{ kind: 'shared-siret', count: 1, examples: ['1@x.example: R1, R2'] }]);
  });

  it('lines that cannot be used say why, and repeated ones count once', () => {
    const { read, report, collector } = opened();
    const good = box('FINESS', '1');
    const noAddress = box('FINESS', '1', { address: 'x' });
    expect([
      read(good),
      read(good, 3),
      ...[`${good}|x|y`, box('FINESS', ''), noAddress].map((one) => read(one)),
    ]).toEqual([
      ...[undefined, undefined, `${MAILBOX_COLUMNS.length + 2} cells instead of ${MAILBOX_COLUMNS.length}`],
      ...['no mail address', 'no mail address'],
    ]);
    expect(read(box('FINESS', '', { address: 'a@x.example' }))).toBe('neither a person nor a structure');
    expect(read(box('FINESS', '2\u200b', { address: 'b@x.example' }), 9)).toBeUndefined();
    expect(report).toMatchObject({ repeated: 1 });
    expect(collector.warnings().map(({ kind, examples }) => [kind, ...examples])).toEqual([
      ['duplicate-line', 'mss.txt, line 3'],
      ['invisible-character', 'mss.txt, line 9'],
    ]);
    expect(collector.columns.all().find(({ column }) => column.key === 'type')).toMatchObject({
      file: 'mss.txt',
      register: 'mailboxes',
      rows: 5,
      filled: 5,
    });
  });
});
