// Operations: `directory verify` finds a damaged snapshot; one without its file, or a damaged one, is not rolled back to. An import that is
// interrupted says so.

import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import { listenForInterruption } from '#cli/directory/import.ts';
import type { Phase } from '#import/collect/progress.ts';
import { openDatabase } from '#store/database/connection.ts';
import { readPointer } from '#store/snapshots/registry.ts';
import { type Installation, installation, type Outcome } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { migratedInstallation } from '#support/cli/serving.ts';
import { openTestDatabase } from '#support/databases.ts';
import { activity, registerText } from '#support/import/register-files.ts';

describe('operations: hygie directory verify', () => {
  let place: Installation;
  let hygie: Installation['hygie'];
  let editions: string[];
  /** The snapshots that a test loaded, in order. */
  let names: string[];

  const begin = (installed: Installation) => {
    names = [];
    place = installed;
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
  };
  /** Both editions, loaded once; each test has a copy. */
  let loadedOnce: { names: readonly string[]; data: string };
  beforeAll(async () => {
    begin(await migratedInstallation());
    for (const edition of [0, 1]) expect((await load(edition)).code).toBe(0);
    loadedOnce = { names, data: join(place.folder, 'data') };
  });
  beforeEach(async () => begin(await migratedInstallation()));

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
  const loadBoth = () => {
    cpSync(loadedOnce.data, join(place.folder, 'data'), { recursive: true });
    names = [...loadedOnce.names];
  };
  const fileOf = (name: string) => join(place.folder, 'data', 'directory', `${name}.sqlite`);

  function damage(name: string): void {
    chmodSync(fileOf(name), 0o644);
    const database = new BetterSqlite3(fileOf(name));
    database.exec("delete from practitioner where id = '819000000026'");
    database.close();
  }

  it('SEC-48 an import that fails says why, also where the audit trail takes no record of it', async () => {
    const bad = join(place.folder, 'bad.txt');
    writeFileSync(bad, 'no register');
    const file = new BetterSqlite3(join(place.folder, 'data', 'hygie.sqlite'));
    file.exec("create trigger full before insert on audit_events begin select raise(abort, 'no room'); end");
    file.close();
    const { code, stderr } = await hygie(['directory', 'import', bad]);
    expect([code, stderr.split('\n').slice(-4)]).toEqual([
      1,
      [
        'The audit trail has no record of this failure: the database did not take it.',
        'The import is refused; the directory is unchanged.',
        expect.stringContaining(bad),
        '',
      ],
    ]);
  });

  it('SEC-48 an import that is done prints its report, also where the audit trail takes no record of it', async () => {
    const file = new BetterSqlite3(join(place.folder, 'data', 'hygie.sqlite'));
    file.exec("create trigger full before insert on audit_events begin select raise(abort, 'no room'); end");
    file.close();
    const { code, stdout, stderr } = await hygie([
      ...['directory', 'import', '--json', '--accept', 'partial', editions[0] as string],
    ]);
    expect([code, JSON.parse(stdout).snapshot]).toEqual([1, await current()]);
    expect(stderr).toContain('It is done, but the audit trail has no record of it');
  });

  it('finds the current snapshot sound, or one that is named', async () => {
    loadBoth();
    const sound = await verify();
    expect(sound).toMatchObject({ code: 0, stderr: '' });
    expect(sound.stdout).toMatch(
      new RegExp(
        `^Sound: ${names[1]} was read and checked in .* s: 2 Practitioner, 1 Organization, 2 PractitionerRole`,
      ),
    );
    const named = await verify(names[0] as string, '--json');
    expect(named.code).toBe(0);
    expect(JSON.parse(named.stdout)).toEqual({
      snapshot: names[0],
      sound: true,
      findings: [],
      resources: { Practitioner: 1, Organization: 1, PractitionerRole: 1 },
      complete: true,
      seconds: expect.any(Number),
    });
  });

  it('one of another layout is not called damaged: the edition is to be imported again', async () => {
    loadBoth();
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
    loadBoth();
    damage(names[1] as string);
    const found = await verify();
    expect(found).toMatchObject({ code: 1, stdout: '' });
    expect(found.stderr).toContain(`The snapshot ${names[1]} is not sound.`);
    expect(found.stderr).toMatch(/errors of the file itself\n {4}its checksum is not that/);
    expect(found.stderr).toMatch(/counts that differ from those of the import/);
    expect(found.stderr).toContain(`Remedy: npm run -s hygie -- directory rollback switches to ${names[0]} at once`);
    const json = JSON.parse((await verify('--json')).stdout);
    expect(json).toMatchObject({ sound: false, remedy: expect.stringContaining('rollback') });
    expect(json.findings.map(({ kind }: { kind: string }) => kind)).toEqual(expect.arrayContaining(['file', 'counts']));
    expect((await hygie(['directory', 'status'])).stdout).toContain('DAMAGED, found');
  });

  it('one that nobody has verified is not rolled back to either, until it is whole again', async () => {
    loadBoth();
    const [before = ''] = names;
    const whole = readFileSync(fileOf(before));
    rmSync(fileOf(before));
    const { snapshots } = JSON.parse((await hygie(['directory', 'status', '--json'])).stdout);
    const missing = snapshots.filter((one: { fileMissing?: boolean }) => one.fileMissing);
    expect(missing).toEqual([expect.objectContaining({ id: before })]);
    writeFileSync(fileOf(before), Buffer.concat([whole.subarray(0, -1), Buffer.from([(whole.at(-1) ?? 0) ^ 1])]));
    const damaged = await hygie(['directory', 'rollback']);
    expect(damaged.stderr).toMatch(/The previous snapshot, .* was found damaged: import/);
    expect(await current()).toBe(names[1]);
    writeFileSync(fileOf(before), whole);
    expect(await hygie(['directory', 'rollback'])).toMatchObject({ code: 0 });
    expect(await current()).toBe(before);
  });

  it('the next import of the same edition loads it anew, under new versions; nobody rolls back to the damaged one', async () => {
    loadBoth();
    damage(names[1] as string);
    expect((await verify()).code).toBe(1);
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

  it('a file that is missing is fetched from a database that has it, and stored again where parts are lacking', async () => {
    const { database, settings, close } = await openTestDatabase('postgresql');
    const place = installation(settings.engine === 'postgresql' ? { DATABASE_URL: settings.url } : {});
    place.configure('service.yaml', 'namespace: https://hygie.example\ndirectory: { distribution: database }\n');
    const hygie = inProcess(place);
    const edition = join(place.folder, 'pa.txt');
    writeFileSync(edition, registerText('activities', [activity()]));
    expect(await hygie(['directory', 'import', '--accept', 'partial', edition])).toMatchObject({ code: 0 });
    const folder = join(place.folder, 'data', 'directory');
    const files = () => readdirSync(folder).filter((name) => name.endsWith('.sqlite'));
    const [file = ''] = files();
    rmSync(join(folder, file));
    const verify = () => hygie(['directory', 'verify']);
    const status = async () => (await hygie(['directory', 'status'])).stdout;
    expect(await status()).toContain('its file is not here, but in the database');
    expect(await verify()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Sound: .*\.\n$/) });
    expect(files()).toEqual([file]);
    for (const table of ['directory_snapshot_parts', 'directory_parts']) await database(table).delete();
    const lacked = /\nThe database lacked parts of it, or had damaged ones: [\d\s]+ bytes were stored anew\.\n$/;
    expect(await verify()).toMatchObject({ code: 0, stdout: expect.stringMatching(lacked) });
    for (const table of ['directory_snapshot_parts', 'directory_parts']) await database(table).delete();
    rmSync(join(folder, file));
    expect(await status()).toContain('WITHOUT ITS FILE here');
    expect((await verify()).stderr).toMatch(
      /The snapshot \S+ is not in .*, and cannot be fetched: .*\n.*Remedy: run this command where its file is, or import the edition again: npm run -s hygie -- directory import PATH\.\.\./,
    );
    await close();
  });
});

// Operations: a signal ends an import, which says so; not while the directory is switched.
describe('operations: an import that is interrupted', () => {
  const done: unknown[] = [];
  let listener: ReturnType<typeof listenForInterruption> | undefined;
  const signalIn = (phase: Phase) => {
    done.length = 0;
    listener = listenForInterruption(
      () => done.push('last words'),
      (code) => done.push(code),
    );
    listener.check(phase);
    process.emit('SIGTERM', 'SIGTERM');
    return listener;
  };
  afterEach(() => listener?.end());

  it('ends at its next step', () => {
    const { check } = signalIn('people');
    expect(done).toEqual([]);
    expect(() => check('structures')).toThrow('Interrupted: the directory is unchanged.');
  });

  it('ends at once, but with its judgement, while the index is finished', () => {
    signalIn('indexing');
    expect(done).toEqual(['last words', 130]);
  });

  it('goes on where the directory is being switched', () => {
    signalIn('switching');
    expect(done).toEqual([]);
  });
});
