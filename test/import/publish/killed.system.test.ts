// Directory data, section 4: an import killed at any moment (SIGKILL, as by a power switch or an empty memory) leaves the live
// directory as it was, and nothing behind that the next import does not clear up. Real processes.

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { migrate } from '#store/database/migrate.ts';
import { type CurrentSnapshot, watchCurrentSnapshot } from '#store/snapshots/current-snapshot.ts';
import { listSnapshots } from '#store/snapshots/registry.ts';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { launch } from '#support/cli/serving.ts';
import { activity, registerText } from '#support/import/register-files.ts';

const PEOPLE = 1000;
const GIVEN = ['Zoé', 'Léa'] as const;
const idOf = (index: number) => String(19000000000 + index);

describe('directory data 4: kill -9 at any moment of an import', () => {
  let installed: Installation;
  let dataFolder: string;
  let database: Database;
  let serving: CurrentSnapshot;

  const editionOf = (given: string) => join(installed.folder, `${given}.txt`);
  const files = (): string[] => {
    try {
      const names = readdirSync(dataFolder, { recursive: true, encoding: 'utf8' });
      return names.filter((name) => !name.startsWith('hygie.sqlite'));
    } catch (error) {
      // A folder went while it was listed.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return files();
      throw error;
    }
  };
  /** The given name that everybody has in the directory that is served: of one edition, and of it wholly. */
  const served = async (): Promise<string> => {
    await serving.refresh();
    const snapshot = serving.current();
    const names = new Set<string>();
    for (const index of [0, PEOPLE / 2, PEOPLE - 1]) {
      const found = await snapshot?.read('Practitioner', `8${idOf(index)}`);
      names.add(JSON.parse(found?.json ?? '{}').name?.[0]?.given?.[0] ?? 'nobody');
    }
    const all = await snapshot?.search({ type: 'Practitioner', clauses: [], limit: 1, total: true });
    expect(all?.total).toBe(PEOPLE);
    expect([...names]).toHaveLength(1);
    return [...names].join();
  };

  beforeAll(async () => {
    installed = installation();
    dataFolder = join(installed.folder, 'data');
    database = openDatabase({ engine: 'sqlite', file: join(dataFolder, 'hygie.sqlite') });
    await migrate(database);
    for (const given of GIVEN) {
      const people = Array.from({ length: PEOPLE }, (_, index) => activity({ 1: idOf(index), 8: given }));
      writeFileSync(editionOf(given), registerText('activities', people));
    }
    expect(
      await installed.hygie(['directory', 'import', '--accept', 'partial,changed,names-changed', editionOf(GIVEN[0])]),
    ).toMatchObject({ code: 0 });
    serving = await watchCurrentSnapshot({ database, folder: join(dataFolder, 'directory'), everyMs: 1e6 });
  });
  afterAll(async () => {
    await serving.close();
    await database.destroy();
  });

  const BUILDING = /\.sqlite\.unfinished$/;
  it.each([
    ['it takes the lock', /import\.holder$/, 0],
    ['it begins to read', /import-\w+\/people-0$/, 0],
    ['it announces the snapshot', /\.pending$/, 0],
    ['it begins to build', BUILDING, 0],
    ['it builds', BUILDING, 40],
    ['it builds, later', BUILDING, 200],
    ['the snapshot has its name, and no row yet', 'new snapshot', 0],
    ['the snapshot has its name, a moment later', 'new snapshot', 5],
  ])('when %s', async (_moment, sign, delay) => {
    const before = await served();
    const known = new Set(files());
    const isSign = (name: string) =>
      sign instanceof RegExp ? sign.test(name) : name.endsWith('.sqlite') && !known.has(name);
    const other = GIVEN.find((given) => given !== before) ?? '';
    const { child, ended, output } = launch(installed, [
      'directory',
      'import',
      '--accept',
      'partial,changed,names-changed',
      editionOf(other),
    ]);
    // What an earlier one left may look like a sign: it is gone once this one holds the lock.
    while (child.exitCode === null && !files().some((name) => isSign(name) && !known.has(name))) await setTimeout(1);
    await setTimeout(delay);
    child.kill('SIGKILL');
    // Nothing ends it earlier but its success.
    const code = await ended;
    if (code !== null && code !== 0) throw new Error(output());
    expect(GIVEN).toContain(await served());
  });

  it('and the next one succeeds, with nothing left over', async () => {
    const status = await installed.hygie(['directory', 'status', '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({ current: serving.current()?.id });
    const before = await served();
    const next = GIVEN.find((given) => given !== before) ?? '';
    expect(
      await installed.hygie(['directory', 'import', '--accept', 'partial,changed,names-changed', editionOf(next)]),
    ).toMatchObject({ code: 0 });
    expect(await served()).toBe(next);
    const kept = (await listSnapshots(database)).map(({ file }) => `directory/${file}`);
    expect(files().sort()).toEqual(['directory', 'directory-import.lock', ...kept].sort());
  });
});
