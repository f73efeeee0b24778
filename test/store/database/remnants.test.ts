// What was removed from an SQLite file, or replaced in it, is not to be read there any more, nor in a backup.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { copySqlite } from '#store/backup/sqlite-backup.ts';
import { openDatabase } from '#store/database/connection.ts';

it('SEC-62 a key that was encrypted, and a row that was deleted, are in neither file nor backup in plain text', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hygie-remnants-'));
  const [file, copy] = [join(folder, 'hygie.sqlite'), join(folder, 'copy.sqlite')];
  const database = openDatabase({ engine: 'sqlite', file });
  await database.raw('create table material (id text primary key, text text)');
  const rows = Array.from({ length: 100 }, (_, id) => ({ id: `${id}`, text: `canary${id}${'x'.repeat(1500)}` }));
  await database.batchInsert('material', rows, 50);
  // Longer than a page.
  await database('material').insert({ id: 'long', text: 'canaries '.repeat(4000) });
  const left = (path: string) => (readFileSync(path, 'latin1').match(/canar/g) ?? []).length;
  await database.raw('pragma wal_checkpoint(truncate)');
  expect(left(file)).toBeGreaterThan(100);

  // Encrypted, a key is a little longer.
  await database('material')
    .whereNot({ id: 'long' })
    .update({ text: `sealed${'y'.repeat(1600)}` });
  await database.raw('pragma wal_checkpoint(truncate)');
  expect(readFileSync(file, 'latin1')).not.toMatch(/canary\d/);
  // What is left in the file of longer rows is in free pages, which a backup has not.
  await database('material').where('id', '>', '5').delete();
  await copySqlite(file, copy, () => {});
  expect(left(copy)).toBe(0);
  await database.destroy();
  rmSync(folder, { recursive: true });
});
