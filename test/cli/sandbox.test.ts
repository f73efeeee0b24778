// operations.md, `sandbox --practitioners N --out DIR`: fictional extraction files of any size, which a sandbox imports and production refuses.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { luhnValid } from '#import/mapping/resource-ids.ts';
import { DEMO_ACCOUNTS } from '#seeds/demo-accounts.ts';
import { type Installation, installation, type Outcome } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';

const SANDBOX = { NODE_ENV: 'production', HYGIE_ISSUER: 'https://essai.example', HYGIE_SANDBOX: '1' };
const PEOPLE = 300;

let hygie: Installation['hygie'];
/** What the command said of each edition that the tests compare. */
const made: Record<string, Outcome> = {};
const place = installation(SANDBOX);

const folderOf = (name: string) => join(place.folder, name);
const make = (name: string, ...options: string[]): Promise<Outcome> =>
  hygie(['sandbox', '--practitioners', String(PEOPLE), '--out', folderOf(name), ...options]);

/** The lines of the file with this part in its name, each as its cells, without the first line. */
function rows(name: string, part: string): string[][] {
  const file = readdirSync(folderOf(name)).find((one) => one.includes(part)) as string;
  const lines = readFileSync(join(folderOf(name), file), 'utf8')
    .split('\n')
    .slice(1, -1);
  return lines.map((line) => line.split(file.endsWith('.csv') ? ';' : '|'));
}

const column = (all: readonly string[][], at: number) => new Set(all.map((cells) => cells[at] ?? '').filter(Boolean));

const without = (some: Iterable<string> = [], others = new Set<string>()) =>
  [...some].filter((one) => !others.has(one));

/** Checksum of what is in each file, however it is packed. */
function contents(name: string): [string, string][] {
  return readdirSync(folderOf(name)).map((file) => {
    const bytes = readFileSync(join(folderOf(name), file));
    const plain = file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    return [file.replace(/\.gz$/, ''), createHash('sha256').update(plain).digest('hex')];
  });
}

describe('sandbox', () => {
  beforeAll(async () => {
    place.configure('service.yaml', 'namespace: https://essai.example/ns\n');
    hygie = inProcess(place);
    made['day-0'] = await make('day-0', '--json');
    made['day-1'] = await make('day-1', '--day', '1');
    made['many'] = await hygie(['sandbox', '--practitioners', '4100', '--day', '300', '--out', folderOf('many')]);
  });

  it('an edition is imported into a sandbox, and that of the next day as a renewal; production refuses it', async () => {
    expect(made['day-0']).toMatchObject({ code: 0, stderr: '' });
    const { date, practitioners, files } = JSON.parse(made['day-0']?.stdout ?? '');
    expect({ date, practitioners }).toEqual({ date: '2026-10-08', practitioners: PEOPLE });
    expect(files).toHaveLength(6);
    // A service runs as another account.
    expect(statSync(folderOf('day-0')).mode & 0o777).toBe(0o777 & ~process.umask());
    for (const { name, bytes, lines } of files) {
      const text = readFileSync(join(folderOf('day-0'), name));
      expect([name, bytes, lines]).toEqual([name, text.length, text.toString().split('\n').length - 1]);
    }
    expect(made['day-1']).toMatchObject({ code: 0 });
    for (const day of ['day-0', 'day-1']) {
      const { code, stdout } = await hygie(['directory', 'import', folderOf(day), '--json']);
      expect([day, code]).toEqual([day, 0]);
      expect(JSON.parse(stdout)).toMatchObject({ outcome: 'imported', resources: { Practitioner: PEOPLE } });
    }
    const refused = await hygie(['directory', 'import', folderOf('day-0')], {
      env: { HYGIE_SANDBOX: '', HYGIE_DATA: folderOf('production') },
    });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/fictional people of the demonstration, which production refuses/);
  });

  it('the next day a few have left, arrived, moved or got a mailbox, and all others are as they were', () => {
    const [before, after] = ['day-0', 'day-1'].map((day) => rows(day, 'activite'));
    const people = [before, after].map((lines = []) => column(lines, 1));
    expect(people.map(({ size }) => size)).toEqual([PEOPLE, PEOPLE]);
    expect(without(people[0], people[1]).length).toBe(1);
    const inStreet = (day: string) => rows(day, 'activite').filter((cells) => cells[32] === 'DU JOUR 1').length;
    const joined = (day: string) => rows(day, 'MSSante').filter((cells) => cells[1]?.startsWith('jour1.')).length;
    expect([inStreet('day-0'), joined('day-0'), joined('day-1')]).toEqual([0, 0, 1]);
    const same = new Set(before?.map((cells) => cells.join('|')));
    expect(after?.filter((cells) => !same.has(cells.join('|'))).length).toBeLessThan(6);
  });

  it('the same options write the same, packed or not; another seed, other people', async () => {
    await make('again', '--gzip');
    expect(readdirSync(folderOf('again')).every((file) => file.endsWith('.gz'))).toBe(true);
    expect(contents('again')).toEqual(contents('day-0'));
    await make('others', '--seed', '2');
    const demo = new Set(DEMO_ACCOUNTS.flatMap(({ practitioners }) => practitioners ?? []));
    const [mine, theirs] = ['day-0', 'others'].map((name) => column(rows(name, 'activite'), 2));
    expect(without(mine, new Set(without(mine, theirs)))).toEqual([...(mine ?? [])].filter((id) => demo.has(id)));
    expect([...demo].every((id) => mine?.has(id))).toBe(true);
  });

  it('numbers are valid, each of one person or structure, in ranges of nobody; registers agree, in copies of structures too', async () => {
    expect(made['many']).toMatchObject({ code: 0 });
    const [activities, located, entities, mailboxes] = ['activite', '1100507', '1100501', 'MSSante'].map((part) =>
      rows('many', part),
    ) as [string[][], string[][], string[][], string[][]];
    const [establishments, coordinates] = ['structureet', 'geolocalisation'].map((kind) =>
      located.filter(([first]) => first === kind),
    ) as [string[][], string[][]];
    expect(coordinates.map((cells) => cells[1])).toEqual(establishments.map((cells) => cells[1]));
    expect(new Set(coordinates.map((cells) => cells.slice(2, 4).join())).size).toBe(coordinates.length);
    expect(column(activities, 1).size).toBe(4100);
    for (const [at, range] of [
      [1, /^19\d{9}$/],
      [19, /^99\d{12}$/],
      [20, /^99\d{7}$/],
      [21, /^(\d\d|2[AB])[456]\d{6}$/],
      [22, /^(\d\d|2[AB])[456]\d{6}$/],
    ] as const) {
      const numbers = [...column(activities, at)];
      expect(numbers.length).toBeGreaterThan(100);
      expect(numbers.filter((number) => !range.test(number) || !luhnValid(number))).toEqual([]);
    }
    expect(column(establishments, 1).size).toBe(establishments.length);
    expect(column(establishments, 22).size).toBe(establishments.length);
    expect(column(entities, 1).size).toBe(entities.length);
    expect(without(column(activities, 21), column(establishments, 1))).toEqual([]);
    expect(without(column(establishments, 2), column(entities, 1))).toEqual([]);
    expect(without(column(mailboxes, 4), column(activities, 2))).toEqual([]);
    // Each structure has one name, and one address of mail one owner.
    const names = Map.groupBy(activities, (cells) => cells[23] ?? '');
    expect([...names].filter(([id, all]) => id !== '' && column(all, 24).size > 1).map(([id]) => id)).toEqual([]);
    const owners = Map.groupBy(mailboxes, (cells) => cells[1] ?? '');
    const ownerOf = (cells: string[]) => (cells[0] === 'ORG' ? cells[6] : cells[4]);
    expect([...owners].filter(([, all]) => new Set(all.map(ownerOf)).size > 1)).toEqual([]);
  });

  it('the people of the demonstration are in every edition, with their places of work', () => {
    const activities = rows('many', 'activite');
    const ids = new Set([...column(activities, 2)]);
    const places = new Set([
      ...column(activities, 23),
      ...[...column(rows('many', '1100507'), 1)].map((id) => `F${id}`),
    ]);
    for (const { practitioners = [], workspaces = [] } of DEMO_ACCOUNTS) {
      expect(practitioners.filter((id) => !ids.has(id))).toEqual([]);
      expect(workspaces.filter((id) => !places.has(id))).toEqual([]);
    }
  });

  it.each([
    [['--out', 'x'], /sandbox needs --practitioners \(a whole number from 100 to 2 000 000\)/],
    [['--practitioners', '99', '--out', 'x'], /--practitioners is a whole number from 100 to 2 000 000, not "99"/],
    [['--practitioners', '1e3', '--out', 'x'], /not "1e3"/],
    [['--practitioners', '100'], /sandbox needs --out/],
    [['--practitioners', '100', '--out', 'x', '--day', '366'], /--day is a whole number from 0 to 365/],
    [['--practitioners', '100', '--out', 'x', 'y'], /sandbox does not take "y"/],
  ])('wrong usage: %j', async (args, message) => {
    const { code, stderr } = await hygie(['sandbox', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(existsSync('x')).toBe(false);
  });

  it('a folder that holds something stays as it is', async () => {
    mkdirSync(folderOf('mine'));
    writeFileSync(join(folderOf('mine'), 'a'), 'mine');
    expect(await make('mine')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/mine is not empty[\s\S]*Remedy: /),
    });
    expect(readdirSync(folderOf('mine'))).toEqual(['a']);
  });

  it('a disk that becomes full leaves nothing behind', async () => {
    const before = readdirSync(place.folder);
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    const any = await open(import.meta.filename);
    const files = Object.getPrototypeOf(any) as FileHandle;
    await any.close();
    const { appendFile } = files;
    let blocks = 3;
    const append = jest.spyOn(files, 'appendFile').mockImplementation(async function (this: FileHandle, ...args) {
      if (blocks-- === 0) throw full;
      return Reflect.apply(appendFile, this, args);
    });
    const { code, stderr } = await make('full').finally(() => append.mockRestore());
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The disk of \S*full is full: nothing of full is left/)]);
    expect(readdirSync(place.folder)).toEqual(before);
  });
});
