// Which editions are not published: incomplete ones, and those that nobody chose; and the names of snapshots.

import { appendFileSync, readdirSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { snapshotName } from '#import/begin-import.ts';
import type { Acceptance } from '#import/guards/acceptances.ts';
import { sentenceOf } from '#import/guards/verdict.ts';
import type { ImportReport } from '#import/judgement/import-report.ts';
import { listInputs } from '#import/sources/inputs.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { listSnapshots, readPointer, rollBack } from '#store/snapshots/registry.ts';
import {
  activity,
  type Bench,
  type Cells,
  finessEstablishment,
  finessFile,
  finessLegalEntity,
  openBench,
  registerText,
  SETTINGS,
} from '#support/import/register-files.ts';
import { openedForAll, openedForEach } from '#support/opened.ts';

// Directory data, section 4: an edition that lacks a register, or most of one, or that holds other people, is refused, and the
// refusal names the register, both counts, the limit and the remedy.
describe('import: incomplete editions', () => {
  const PEOPLE = 30;
  const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, index) => index + from);
  const rppsOf = (index: number) => String(19000000000 + index);
  const person = (index: number) => ({ 0: '8', 1: rppsOf(index), 2: `8${rppsOf(index)}` });
  const finess = (index: number) => String(690000000 + index);

  type Register = Parameters<typeof registerText>[0];
  const people = (register: Register, indexes: number[], cellsOf: (index: number) => Cells) =>
    registerText(register, indexes.map(cellsOf));
  const activities = (count: number, from = 0) =>
    people('activities', numbers(count, from), (at) => activity({ ...person(at), 23: `R${rppsOf(at)}` }));
  const skills = (count: number) =>
    people('skills', numbers(count), (at) => ({ ...person(at), 9: 'S', 11: 'SM26', 12: 'X' }));
  const diplomas = (count: number) =>
    people('diplomas', numbers(count), (at) => ({ ...person(at), 5: 'DE', 7: 'DE09', 8: 'X' }));
  const mailboxes = (count: number) =>
    people('mailboxes', numbers(count), (at) => ({ 0: 'PER', 1: `p${at}@b.example`, 4: `8${rppsOf(at)}` }));
  const legalEntities = (count: number) =>
    finessFile(...numbers(count).map((index) => finessLegalEntity({ 1: finess(500 + index) })));
  const establishments = (count: number) =>
    finessFile(...numbers(count).map((index) => finessEstablishment({ 1: finess(index), 2: finess(500 + index) })));

  const WHOLE = {
    'pa.txt': activities(PEOPLE),
    'sf.txt': skills(PEOPLE),
    'di.txt': diplomas(PEOPLE),
    'mss.txt': mailboxes(PEOPLE),
    'ej.csv': legalEntities(10),
    'et.csv': establishments(90),
  };
  type Files = Partial<Record<keyof typeof WHOLE, string>>;

  const load = (
    files: Files,
    guards: { registers?: number; shrinkage?: number; removed?: number } = {},
    accept: Acceptance[] = [],
    at: Bench = bench,
  ) => {
    const directory = { ...SETTINGS.directory, guards: { ...SETTINGS.directory.guards, ...guards } };
    return at.run(
      Object.entries(files).map(([name, text]) => at.file(name, text)),
      { settings: { ...SETTINGS, dataFolder: at.dataFolder, directory }, accept },
    );
  };
  const reasons = ({ guards }: ImportReport, name: string) =>
    guards.filter((guard) => guard.name === name && !guard.passed).map(sentenceOf);

  const whole = openedForAll(() => openBench());
  beforeAll(async () => {
    expect((await load(WHOLE, {}, [], whole)).outcome).toBe('imported');
  });
  const bench = openedForEach(() => openBench(whole));

  describe('directory data 4: an incomplete edition', () => {
    it('the activity file alone: each missing register is a reason, and the directory stays', async () => {
      const { current } = await readPointer(bench.database);
      const report = await load({ 'pa.txt': activities(PEOPLE + 1) }, { shrinkage: 1, removed: 1 });
      expect(report.outcome).toBe('refused');
      expect(reasons(report, 'registers').sort()).toEqual([
        expect.stringMatching(/^registers \(diplomas\): PS_LibreAcces_Dipl_AutExerc: 30 lines before, 0 now/),
        expect.stringMatching(
          /^registers \(finess structureej\): FINESS .*, lines "structureej": 10 lines before, 0 now/,
        ),
        expect.stringMatching(
          /^registers \(finess structureet\): FINESS .*, lines "structureet": 90 lines before, 0 now/,
        ),
        expect.stringMatching(/^registers \(mailboxes\): Extraction_Correspondance_MSSante: 30 lines before, 0 now/),
        'registers (skills): PS_LibreAcces_SavoirFaire: 30 lines before, 0 now (100.0 % fewer, limit 10.0 %). Give the missing file',
      ]);
      expect((await readPointer(bench.database)).current).toBe(current);
      expect(await listSnapshots(bench.database)).toHaveLength(1);
    });

    it('less than the limit is accepted, and so is all of it with the limit raised', async () => {
      expect((await load({ ...WHOLE, 'sf.txt': skills(27) })).outcome).toBe('imported');
      const report = await load({ 'pa.txt': activities(PEOPLE + 1) }, { registers: 1, shrinkage: 1, removed: 1 });
      expect(report.outcome).toBe('imported');
    });
  });

  describe('directory data 4: a swapped population', () => {
    const others = { ...WHOLE, 'pa.txt': activities(PEOPLE, 5) };

    it('as many others in the place of those removed are a refusal, and nothing is left behind', async () => {
      const report = await load(others);
      expect(report.outcome).toBe('refused');
      expect(reasons(report, 'shrinkage')).toEqual([]);
      expect(reasons(report, 'removed')[0]).toBe(
        'removed (Practitioner): 5 of 30 are not in this edition (16.7 %, limit 10.0 %). Are these files of another population? If so, use --accept other-people',
      );
      expect(await listSnapshots(bench.database)).toHaveLength(1);
      expect(readdirSync(snapshotFolder(bench.dataFolder))).toHaveLength(1);
    });

    it('is accepted where other people are meant, whatever the registers', async () => {
      expect((await load({ 'pa.txt': activities(PEOPLE, 100) }, {}, [{ name: 'other-people' }])).outcome).toBe(
        'imported',
      );
    });
  });
});

// Directory data, renewal: what an import without a person at hand refuses: mixed editions, and a directory that goes back
// by itself.
describe('renewal: files that nobody chose', () => {
  const PA = 'PS_LibreAcces_Personne_activite';

  const bench = openedForEach(openBench);

  const edition = (name: string, given: string) =>
    bench.file(name, registerText('activities', [activity({ 8: given }), activity({ 1: '19000000026' })]));
  const run = (...paths: string[]) => bench.run(paths, { foundIn: bench.folder });
  const refusal = async (...paths: string[]) => {
    const { outcome, guards } = await run(...paths);
    return `${outcome}: ${guards.flatMap(({ name, passed, figures }) => (passed ? [] : [`${name}: ${figures}`])).join('\n')}`;
  };

  it('a file that is no register is left out, as one of a folder is', async () => {
    const readme = bench.file('README.md', 'Downloaded every night.');
    const report = await run(edition(`${PA}_202610080830.txt`, 'Zoé'), readme);
    expect(report.outcome).toBe('imported');
    expect(report.warnings).toContainEqual(expect.objectContaining({ kind: 'not-a-register', count: 1 }));
  });

  it('an edition older than the directory, and one that a rollback left', async () => {
    const [eighth, ninth] = [edition(`${PA}_202610080830.txt`, 'Zoé'), edition(`${PA}_202610090830.txt`, 'Léa')];
    expect((await run(eighth)).outcome).toBe('imported');
    expect((await run(ninth)).outcome).toBe('imported');
    expect((await run(ninth)).outcome).toBe('unchanged');
    const older = edition(`${PA}_202610070830.txt`, 'Ida');
    const named = await bench.run([older]);
    expect(named.judgement).toMatchObject({ verdict: 'refused', acceptedBy: '--accept older-edition:activities' });
    expect(await refusal(older)).toMatch(
      /^refused: older-edition: of 2026-10-07T08:30, and .* that of 2026-10-09T08:30/,
    );
    await rollBack(bench.database);
    expect(await refusal(ninth)).toMatch(/^refused: left-edition: snapshot \S+ holds this edition and was left/);
    // By hand what was left is loaded, and what is older where that is accepted.
    expect((await bench.run([ninth])).outcome).toBe('imported');
    expect((await bench.run([older], { accept: [{ name: 'older-edition' }] })).outcome).toBe('imported');
  });

  it('a file that is written on while it is read', async () => {
    const path = edition(`${PA}_202610080830.txt`, 'Zoé');
    const [input] = await listInputs([path]);
    const reading = async () => {
      for await (const chunk of (await input?.open(() => {})) ?? []) appendFileSync(path, chunk.subarray(0, 100));
    };
    await expect(reading()).rejects.toThrow(/202610080830\.txt: was changed while it was read\. Wait until/);
  });
});

// The registry and the remedies that list snapshots rely on the order of their names.
it('the name of a snapshot sorts by time, within one second too', () => {
  const times = Array.from({ length: 200 }, (_, at) => new Date(Date.UTC(2026, 10, 21, 2, 45, 0) + at * 7));
  const names = times.map(snapshotName);
  expect([...names].sort()).toEqual(names);
  expect(names[1]).toMatch(/^20261121T024500007Z-[0-9a-f]{4}$/);
});
