// What is remembered of the main database on SQLite ends with any commit: of the same process, of another connection, and
// of one that comes between the question and its answer (SEC-33).

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase } from '../../src/store/database/connection.ts';
import { type Changes, rememberUntilChange, watchChanges } from '../../src/store/database/data-version.ts';
import { openTestDatabase, type TestDatabase } from '../support/databases.ts';

let opened: TestDatabase;
let changes: Changes;
beforeAll(async () => {
  opened = await openTestDatabase('sqlite');
  await opened.database.schema.createTable('things', (table) => table.integer('size'));
  changes = watchChanges(opened.settings.engine === 'sqlite' ? opened.settings.file : '');
});
afterAll(async () => {
  changes.close();
  await opened.close();
});

const add = (database = opened.database) => database('things').insert({ size: 1 });
const count = async () => ({ things: (await opened.database('things')).length });

describe('the mark', () => {
  it('stays while nothing is committed', async () => {
    const before = changes.mark();
    await count();
    await opened.database.transaction(async (work) => {
      await work('things').insert({ size: 2 });
      expect(changes.mark()).toBe(before);
      await work.rollback();
    });
    expect(changes.mark()).toBe(before);
  });

  it('is another one after a commit of the same process, and of another connection', async () => {
    const marks = [changes.mark()];
    await add();
    marks.push(changes.mark());
    const other = openDatabase(opened.settings);
    await add(other);
    marks.push(changes.mark());
    await other.destroy();
    expect(new Set(marks).size).toBe(3);
  });
});

describe('what is remembered', () => {
  it('is given again without asking until something is committed', async () => {
    let asked = 0;
    const find = rememberUntilChange(changes, () => {
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
    const find = rememberUntilChange(changes, async () => {
      const found = await count();
      await add();
      return found;
    });
    const first = await find('all');
    expect((await find('all'))?.things).toBe((first?.things ?? 0) + 1);
  });

  it('is never that there was nothing', async () => {
    const answers = [undefined, { found: true }];
    const find = rememberUntilChange(changes, async () => answers.shift());
    expect(await find('one')).toBeUndefined();
    expect(await find('one')).toEqual({ found: true });
  });

  it('has a bound', async () => {
    let asked = 0;
    const find = rememberUntilChange(changes, async (key) => {
      asked += 1;
      return { key };
    });
    for (let number = 0; number < 20_000; number += 1) await find(`key ${number}`);
    expect(asked).toBe(20_000);
    await find('key 0');
    expect(asked).toBe(20_001);
  });
});
