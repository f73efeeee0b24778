// Operations: an instance that shares a database with others but not their data folder says so, and what to do; a copy of the file
// is enough (deploy/README.md, two instances).

import { copyFileSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { watchCurrentSnapshot } from '#store/snapshots/current-snapshot.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { activateSnapshot, registerSnapshot } from '#store/snapshots/registry.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';
import { openShippedSnapshot } from '#support/shipped-snapshot.ts';

let opened: TestDatabase;
beforeAll(async () => {
  opened = await openTestDatabase('sqlite');
});
afterAll(() => opened.close());

it('the error names the file that is missing, and HYGIE_DATA', async () => {
  const { database } = opened;
  const counts = { Practitioner: 1, Organization: 0, PractitionerRole: 0 };
  const entry = { id: 'one', engine: 'sqlite' as const, file: 'one.sqlite', createdAt: new Date(), counts, bytes: 1 };
  await registerSnapshot(database, { ...entry, editions: {}, sourcesChecksum: 'abc' });
  await activateSnapshot(database, 'one');
  const folder = join('no', 'such', 'folder');
  const reported: string[] = [];
  const watched = await watchCurrentSnapshot({ database, folder, onError: ({ message }) => reported.push(message) });
  await watched.close();
  expect(reported).toEqual([
    expect.stringMatching(
      /one\.sqlite is missing: .* share .*HYGIE_DATA.*a copy of the file.*import the edition again/,
    ),
  ]);
});

it('a copy of the file, as rsync makes it, becomes current without a restart', async () => {
  const { database } = opened;
  const shipped = await openShippedSnapshot();
  const { id } = shipped;
  await shipped.close();
  const own = snapshotFolder(process.env['HYGIE_TEST_TEMPLATE'] ?? '');
  const [file = ''] = readdirSync(own).filter((name) => name.endsWith('.sqlite'));
  const counts = { Practitioner: 1, Organization: 0, PractitionerRole: 0 };
  const entry = { id, engine: 'sqlite' as const, file, createdAt: new Date(), counts, bytes: 1 };
  await registerSnapshot(database, { ...entry, editions: {}, sourcesChecksum: 'def' });
  await activateSnapshot(database, id);
  const folder = mkdtempSync(join(tmpdir(), 'hygie-copied-'));
  const watched = await watchCurrentSnapshot({ database, folder });
  try {
    expect(watched.current()).toBeUndefined();
    copyFileSync(join(own, file), join(folder, '.partly'));
    renameSync(join(folder, '.partly'), join(folder, file));
    await watched.refresh();
    expect(watched.current()?.id).toBe(id);
  } finally {
    await watched.close();
    rmSync(folder, { recursive: true });
  }
});
