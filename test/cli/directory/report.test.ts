// Operations: `directory report [--json] --out FILE` writes what is known of the quality of the edition in force, beside the one before.

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { directoryCommands } from '#support/cli/directory-commands.ts';
import { err } from '#support/cli/in-process.ts';
import { activity, type Cells, registerText } from '#support/import/register-files.ts';

const person = (number: number, cells: Cells = {}) => {
  const rpps = `1900000${String(number).padStart(4, '0')}`;
  return activity({ 1: rpps, 2: `8${rpps}`, 7: `DUPONT${number}`, ...cells });
};
const TWINS = [1, 2].map((number) => person(number, { 7: 'LE GALL', 8: 'Anne' }));
const TODAY = [
  ...TWINS,
  person(3, { 7: 'TEST', 8: 'TEST2' }),
  person(4, { 9: '50', 10: 'Sage-Femme' }),
  // Nothing is said of where this person works.
  person(5, { ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [at + 17, ''])), 9: '50', 10: 'Sage-Femme' }),
];

describe('operations: hygie directory report', () => {
  const { folder, connect, hygie } = directoryCommands();
  const page = join(folder, 'page');

  beforeEach(() => rmSync(page, { force: true }));

  async function load(name: string, lines: readonly Cells[], mailboxes: readonly Cells[] = []): Promise<void> {
    const path = join(folder, name);
    writeFileSync(path, registerText('activities', lines));
    const paths = mailboxes.length > 0 ? [path, join(folder, `${name}-mailboxes`)] : [path];
    if (paths[1]) writeFileSync(paths[1], registerText('mailboxes', mailboxes));
    expect(await hygie('directory', 'import', '--accept', 'partial', ...paths)).toBe(0);
  }

  async function reported(): Promise<Record<string, Record<string, unknown>[]>> {
    expect(await hygie('directory', 'report', '--json', '--out', page)).toBe(0);
    return JSON.parse(readFileSync(page, 'utf8'));
  }

  it('counts by profession and department, beside the edition before, and names who is there twice, nowhere or as a test', async () => {
    await load('before', TODAY.slice(0, 4));
    await load('today', TODAY);
    const report = await reported();
    const { professions, professionsByDepartment, registers, edition } = report;
    expect(professions).toEqual([
      { code: '10', profession: 'Médecin', now: 3, before: 3 },
      { code: '50', profession: 'Sage-Femme', now: 2, before: 1 },
    ]);
    expect(professionsByDepartment?.[0]).toEqual({
      department: 'unknown',
      profession: 'Sage-Femme',
      now: 1,
      before: 0,
    });
    expect(registers).toMatchObject([{ register: 'activities', lines: 5, linesBefore: 4 }]);
    expect(edition).toMatchObject([{ verdict: expect.stringMatching(/^accepted/) }]);
    expect(report).toMatchObject({
      samePersonUnderSeveralNumbers: [{ name: 'LE GALL Anne', numbers: '819000000001, 819000000002' }],
      peopleWithoutPlaceOfWork: [{ profession: 'Sage-Femme', people: 1 }],
      namesakesWithoutPlaceOfWork: [{ people: 0 }],
      examplesWithoutPlaceOfWork: [{ number: '819000000005', name: 'DUPONT5 Jeanne' }],
      namesOfTests: [{ number: '819000000003', name: 'TEST TEST2' }],
    });
  });

  it('leaves out what corrections hide', async () => {
    await load('today', TODAY);
    for (const number of [1, 3, 5])
      expect(await hygie('directory', 'correct', `Practitioner/81900000000${number}`, '--reason', 'objection')).toBe(0);
    expect(await reported()).toMatchObject({
      samePersonUnderSeveralNumbers: [],
      examplesWithoutPlaceOfWork: [],
      namesOfTests: [],
    });
  });

  it('leaves out mailboxes, reasons and names of others that corrections hide', async () => {
    const people = [...TODAY, person(6, { 7: 'PETIT', 8: 'Jean' }), person(7, { 7: 'MARTIN', 8: 'Anna' })];
    const mailboxes = people.map(({ 1: rpps, 2: id, 7: family, 8: given }, at): Cells => {
      const address = at < 6 ? 'cabinet@mssante.example' : 'jean.petit@mssante.example';
      return { 0: 'PER', 1: address, 2: '8', 3: rpps ?? '', 4: id ?? '', 9: family ?? '', 10: given ?? '' };
    });
    await load('today', people, mailboxes);
    const database = connect();
    const row = await database('directory_judgements').first('report');
    const report = JSON.parse(row?.report ?? '{}');
    report.judgement.reasons = [
      'pairs (mailboxes): such as "x@y.example" beside "PETIT Jean" (line 9)',
      'partial: none',
    ];
    await database('directory_judgements').update({ report: JSON.stringify(report) });
    await database.destroy();
    const before = await reported();
    expect(before['mailboxesWithNameOfAnother']).toMatchObject([{ reason: expect.stringContaining('"PETIT Jean"') }]);
    expect(before['addressesOfSeveralPeople']).toMatchObject([{ address: 'cabinet@mssante.example' }]);
    expect(before['reasons']).toMatchObject(report.judgement.reasons.map((reason: string) => ({ reason })));
    const correct = (...words: string[]) => hygie('directory', 'correct', '--reason', 'objection', ...words);
    expect(await correct('Practitioner/819000000006')).toBe(0);
    expect(await correct('Practitioner/819000000002', '--mailbox', 'all')).toBe(0);
    expect(await reported()).toMatchObject({
      mailboxesWithNameOfAnother: [],
      addressesOfSeveralPeople: [],
      reasons: [{ reason: 'pairs (mailboxes): it names what a correction hides' }, { reason: 'partial: none' }],
    });
  });

  it('writes a page that a person can read, for the account of the operator only', async () => {
    await load('today', TODAY);
    expect(await hygie('directory', 'report', '--out', page)).toBe(0);
    const text = readFileSync(page, 'utf8');
    expect(text).toMatch(/^# Quality of the directory\n/);
    expect(text).toContain('## Names of tests\n\n| Number | Name |\n| --- | --- |\n| 819000000003 | TEST TEST2 |\n');
    expect(text).toContain('## Addresses of several people\n\nNone.\n');
    expect(statSync(page).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.startsWith('page'))).toEqual(['page']);
  });

  it('refuses a directory that is empty, or that an earlier release has judged', async () => {
    expect(await hygie('directory', 'report', '--out', page)).toBe(1);
    expect(err).toContain('The directory is empty');
    await load('today', TODAY);
    const database = connect();
    await database('directory_judgements').update({ report: '{"judgement":{}}' });
    await database.destroy();
    expect(await hygie('directory', 'report', '--out', page)).toBe(1);
    expect(err).toContain('import it once more');
    expect(readdirSync(folder)).not.toContain('page');
  });

  it('leaves no half page behind, and asks where to write', async () => {
    await load('today', TODAY);
    mkdirSync(page);
    expect(await hygie('directory', 'report', '--out', page)).toBe(1);
    expect(err).toContain(`${page} cannot be written (EISDIR).`);
    expect(readdirSync(folder).filter((name) => name.startsWith('page'))).toEqual(['page']);
    expect(await hygie('directory', 'report', '--out', join(page, 'missing', 'page'))).toBe(1);
    expect(err).toContain('missing/page cannot be written (ENOENT).');
    rmSync(page, { recursive: true });
    expect(await hygie('directory', 'report')).toBe(2);
  });
});
