// Operations: an instance that shares a database with others but not their data folder says so, and what to do.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { watchCurrentSnapshot } from '../../../src/store/snapshots/current-snapshot.ts';
import { activateSnapshot, registerSnapshot } from '../../../src/store/snapshots/registry.ts';
import { openTestDatabase, type TestDatabase } from '../../support/databases.ts';

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
    expect.stringMatching(/one\.sqlite is missing: .* share .*HYGIE_DATA.*import the edition again/),
  ]);
});
