// What is committed to SQLite gets from its write-ahead log into its file while the service runs, so that the log stays short,
// wherever the service was started from.

import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startCheckpoints } from '#store/database/checkpoints.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';
import { until } from '#support/until.ts';

const MIB = 1024 * 1024;
const before = process.cwd();
let opened: TestDatabase;
beforeAll(async () => {
  opened = await openTestDatabase('sqlite');
  process.chdir(tmpdir());
});
afterAll(async () => {
  process.chdir(before);
  await opened.close();
});

it('the file grows by what was committed, started from a folder without packages', async () => {
  const { settings, database } = opened;
  const file = settings.engine === 'sqlite' ? settings.file : '';
  const ends: Error[] = [];
  const checkpoints = startCheckpoints(file, (error) => ends.push(error));
  await database.schema.createTable('things', (table) => table.text('text'));
  const size = statSync(file).size;
  await database('things').insert({ text: 'x'.repeat(200_000) });
  await until(() => ends.length > 0 || statSync(file).size >= size + 200_000, 'the file has it');
  expect(ends).toEqual([]);
  await checkpoints.stop();
});

it('SEC-58 the log is cut once it is longer than 16 MiB', async () => {
  const { settings, database } = opened;
  const file = settings.engine === 'sqlite' ? settings.file : '';
  const size = () => statSync(`${file}-wal`).size;
  await database.schema.createTable('many_things', (table) => table.text('text'));
  await database('many_things').insert({ text: 'x'.repeat(40 * MIB) });
  expect(size()).toBeGreaterThan(40 * MIB);
  const checkpoints = startCheckpoints(file);
  await until(() => size() <= 16 * MIB, 'the log is short');
  await checkpoints.stop();
});
