// Issue item "Upgrades": a database of every release, with rows that its store wrote, gets the schema of a new one, and nothing of what
// was in it is lost. `schema.ts` says what that schema is.

import { describe, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { migrate } from '#store/database/migrate.ts';
import { SCHEMA } from '#store/schema.ts';
import type { Table } from '#store/table-definition.ts';
import { bothEngines } from '#support/both-engines.ts';
import { type Engine, newDatabase, openTestDatabase } from '#support/databases.ts';
import { contentsOf, keptIn, loadFixture, RELEASES } from '#support/upgrades/fixture.ts';
import { useRows, writeRows } from '#support/upgrades/rows.ts';
import { columnsOf, schemaOf } from '#support/upgrades/schema-of.ts';

async function inNewDatabase(engine: Engine, work: (database: Database) => Promise<void>): Promise<void> {
  const { settings, remove } = await newDatabase(engine);
  const database = openDatabase(settings);
  try {
    await work(database);
  } finally {
    await database.destroy();
    await remove();
  }
}

describe.each(bothEngines('store/upgrades/releases.system'))('on %s', (engine) => {
  it.each(RELEASES)('a database of %s gets the schema of a new one, and keeps its rows', (release) =>
    inNewDatabase(engine, async (database) => {
      const written = await loadFixture(database, engine, release);
      const before = await contentsOf(database);
      await migrate(database);
      const fresh = await openTestDatabase(engine);
      const expected = await schemaOf(fresh.database);
      await fresh.close();
      expect(await schemaOf(database)).toEqual(expected);
      expect(keptIn(await contentsOf(database), before)).toEqual(before);
      const { found, expected: meant } = await useRows(database, Object.keys(before), written);
      expect(found).toMatchObject(meant);
    }),
  );

  it('the rows of the next fixture: one in every table, and the store can use them', () =>
    inNewDatabase(engine, async (database) => {
      await migrate(database);
      const written = await writeRows(database);
      const contents = await contentsOf(database);
      expect(Object.keys(contents).filter((table) => contents[table]?.length === 0)).toEqual([]);
      expect(Object.keys(contents).sort()).toEqual(Object.keys(SCHEMA).sort());
      const { found, expected } = await useRows(database, Object.keys(contents), written);
      expect(found).toMatchObject(expected);
    }));

  it('schema.ts has the columns of the database, and says which may be null', () =>
    inNewDatabase(engine, async (database) => {
      await migrate(database);
      const described = Object.entries<Table>(SCHEMA).flatMap(([table, { columns }]) =>
        Object.entries(columns).map(([name, { nullable }]) => `${table}.${name}${nullable ? ' null' : ''}`),
      );
      expect(await columnsOf(database)).toEqual(described.sort());
    }));
});
