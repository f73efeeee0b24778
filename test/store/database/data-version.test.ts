// What is remembered of the main database on SQLite ends with any commit: of the same process, of another connection, and
// of one that comes between the question and its answer (SEC-33).

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase } from '#store/database/connection.ts';
import { cacheUntilCommit, type DataVersion, watchDataVersion } from '#store/database/data-version.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';

let opened: TestDatabase;
let version: DataVersion;
beforeAll(async () => {
  opened = await openTestDatabase('sqlite');
  await opened.database.schema.createTable('things', (table) => table.integer('size'));
  version = watchDataVersion(opened.settings.engine === 'sqlite' ? opened.settings.file : '');
});
afterAll(async () => {
  version.close();
  await opened.close();
});

const add = (database = opened.database) => database('things').insert({ size: 1 });
const count = async () => ({ things: (await opened.database('things')).length });

describe('the data version', () => {
  it('stays while nothing is committed', async () => {
    const before = version.current();
    await count();
    await opened.database.transaction(async (work) => {
      await work('things').insert({ size: 2 });
      expect(version.current()).toBe(before);
      await work.rollback();
    });
    expect(version.current()).toBe(before);
  });

  it('is another one after a commit of the same process, and of another connection', async () => {
    const versions = [version.current()];
    await add();
    versions.push(version.current());
    const other = openDatabase(opened.settings);
    await add(other);
    versions.push(version.current());
    await other.destroy();
    expect(new Set(versions).size).toBe(3);
  });
});

describe('what is cached', () => {
  it('is given again without asking until something is committed', async () => {
    let asked = 0;
    const find = cacheUntilCommit(version, () => {
      asked += 1;
      return count();
    });
    const first = await find('all');
    expect(await find('all')).toBe(first);
    expect(asked).toBe(1);
    await add();
    expect((await find('all'))?.things).toBe((first?.things ?? 0) + 1);
    expect(asked).toBe(2);
  });

  it('is not what was read before a commit that came while it was on its way', async () => {
    const find = cacheUntilCommit(version, async () => {
      const found = await count();
      await add();
      return found;
    });
    const first = await find('all');
    expect((await find('all'))?.things).toBe((first?.things ?? 0) + 1);
  });

  it('is never that there was nothing', async () => {
    const answers = [undefined, { found: true }];
    const find = cacheUntilCommit(version, async () => answers.shift());
    expect(await find('one')).toBeUndefined();
    expect(await find('one')).toEqual({ found: true });
  });

  it('has a bound', async () => {
    let asked = 0;
    const find = cacheUntilCommit(version, async (key) => {
      asked += 1;
      return { key };
    });
    for (let number = 0; number < 20_000; number += 1) await find(`key ${number}`);
    expect(asked).toBe(20_000);
    await find('key 0');
    expect(asked).toBe(20_001);
  });
});
