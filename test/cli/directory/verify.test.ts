// Operations: `directory verify` as an operator runs it: exit codes, reasons, remedy, and that what it found damaged is
// neither spared by the next import nor rolled back to. The service answers from the sound snapshot meanwhile.

import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import { openDatabase } from '#store/database/connection.ts';
import { readPointer } from '#store/snapshots/registry.ts';
import { type Installation, installation, type Outcome } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { activity, registerText } from '#support/import/register-files.ts';

let place: Installation;
let hygie: Installation['hygie'];
let editions: string[];
const names: string[] = [];

beforeAll(async () => {
  place = installation();
  hygie = inProcess(place);
  place.configure('service.yaml', 'namespace: https://hygie.example\n');
  editions = [
    registerText('activities', [activity()]),
    registerText('activities', [activity({ 8: 'Zoé' }), activity({ 1: '19000000026', 2: '819000000026' })]),
  ].map((text, at) => {
    const path = join(place.folder, `edition-${at}.txt`);
    writeFileSync(path, text);
    return path;
  });
  await hygie(['migrate']);
});
afterAll(() => place.remove());

const verify = (...args: string[]) => hygie(['directory', 'verify', ...args]);
const current = async (): Promise<string | undefined> => {
  const database = openDatabase({ engine: 'sqlite', file: join(place.folder, 'data', 'hygie.sqlite') });
  const pointer = await readPointer(database);
  await database.destroy();
  return pointer.current;
};
const load = async (edition: number): Promise<Outcome> => {
  const outcome = await hygie(['directory', 'import', '--accept', 'partial', editions[edition] as string]);
  names.push((await current()) ?? '');
  return outcome;
};
const fileOf = (name: string) => join(place.folder, 'data', 'directory', `${name}.sqlite`);

function damage(name: string): void {
  chmodSync(fileOf(name), 0o644);
  const database = new BetterSqlite3(fileOf(name));
  database.exec("delete from practitioner where id = '819000000026'");
  database.close();
}

describe('operations: hygie directory verify', () => {
  it('has nothing to verify while the directory is empty', async () => {
    expect(await verify()).toMatchObject({ code: 1, stderr: expect.stringContaining('The directory is empty') });
  });

  it('finds the current snapshot sound, or one that is named', async () => {
    expect((await load(0)).code).toBe(0);
    expect((await load(1)).code).toBe(0);
    const sound = await verify();
    expect(sound).toMatchObject({ code: 0, stderr: '' });
    expect(sound.stdout).toMatch(
      new RegExp(
        `^Sound: ${names[1]} was read and checked in .* s: 2 Practitioner, 1 Organization, 2 PractitionerRole`,
      ),
    );
    const named = await verify(names[0] as string, '--json');
    expect(named.code).toBe(0);
    expect(JSON.parse(named.stdout)).toMatchObject({
      snapshot: names[0],
      sound: true,
      findings: [],
      resources: { Practitioner: 1, Organization: 1, PractitionerRole: 1 },
      complete: true,
    });
  });

  it('refuses what is no snapshot, and wrong usage', async () => {
    const unknown = await verify('yesterday');
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toContain(`There is no snapshot yesterday. Known are ${names[1]}, ${names[0]}`);
    expect((await verify('a', 'b')).code).toBe(2);
    expect((await verify('--full')).code).toBe(2);
  });

  it('one of another layout is not called damaged: the edition is to be imported again', async () => {
    const setLayout = (name: string, layout: string) => {
      chmodSync(fileOf(name), 0o644);
      const database = new BetterSqlite3(fileOf(name));
      const before = database.prepare("select value from property where name = 'layout'").pluck().get();
      database.prepare("update property set value = ? where name = 'layout'").run(layout);
      database.close();
      return String(before);
    };
    const layouts = names.map((name) => setLayout(name, '3'));
    const found = await verify();
    expect(found).toMatchObject({ code: 1, stdout: '' });
    expect(found.stderr).toContain(`The snapshot ${names[1]} is of another layout: import the edition again`);
    const json = await verify('--json');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ sound: false, otherLayout: true, findings: [] });
    const { stdout } = await hygie(['directory', 'status']);
    expect(stdout.match(/of another layout: import the edition again/g)).toHaveLength(2);
    expect(found.stderr + stdout).not.toMatch(/damaged/i);
    const back = await hygie(['directory', 'rollback']);
    expect(back).toMatchObject({ code: 1, stderr: expect.stringContaining('is of another layout') });
    for (const [at, name] of names.entries()) setLayout(name, layouts[at] as string);
    expect((await hygie(['directory', 'status'])).stdout).not.toContain('another layout');
  });

  it('says what is wrong with a damaged one and how to go on, and notes it', async () => {
    damage(names[1] as string);
    // As a process, as a nightly check is.
    const found = await place.hygie(['directory', 'verify']);
    expect(found).toMatchObject({ code: 1, stdout: '' });
    expect(found.stderr).toContain(`The snapshot ${names[1]} is not sound.`);
    expect(found.stderr).toMatch(/errors of the file itself\n {4}its checksum is not that/);
    expect(found.stderr).toMatch(/counts that are not those of the import/);
    expect(found.stderr).toContain(`Remedy: npm run -s hygie -- directory rollback switches to ${names[0]} at once`);
    const json = JSON.parse((await verify('--json')).stdout);
    expect(json).toMatchObject({ sound: false, remedy: expect.stringContaining('rollback') });
    expect(json.findings.map(({ kind }: { kind: string }) => kind)).toEqual(expect.arrayContaining(['file', 'counts']));
    expect((await hygie(['directory', 'status'])).stdout).toContain('DAMAGED, found');
  });

  it('the next import of the same edition loads it anew, under new versions; nobody rolls back to the damaged one', async () => {
    const again = await load(1);
    expect(again.code).toBe(0);
    expect(again.stdout).toMatch(/^Imported/);
    expect(again.stdout).toContain('was found damaged');
    expect((await verify()).code).toBe(0);
    const database = new BetterSqlite3(fileOf(names[2] as string), { readonly: true });
    const versions = database.prepare('select distinct version from practitioner').pluck().all();
    database.close();
    expect(Math.min(...(versions as number[]))).toBeGreaterThan(1_000_000);
    const back = await hygie(['directory', 'rollback']);
    expect(back).toMatchObject({ code: 1, stderr: expect.stringContaining(`${names[1]}, was found damaged`) });
    expect(await current()).toBe(names[2]);
    expect((await verify(names[1] as string)).stderr).toContain('Remedy: it is not served.');
  });

  it('a file that is missing', async () => {
    rmSync(fileOf(names[1] as string));
    const missing = await verify(names[1] as string);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain(`${names[1]}.sqlite is missing`);
  });
});
