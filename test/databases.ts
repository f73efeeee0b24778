// Gives tests an empty, migrated database of each engine. Does not own the PostgreSQL server (`postgres.ts`).

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../src/shared/settings.ts';
import { type Database, migrate, openDatabase } from '../src/store/connection.ts';

export const ENGINES = ['sqlite', 'postgresql'] as const;
export type Engine = (typeof ENGINES)[number];

export interface TestDatabase {
  settings: Settings['database'];
  database: Database;
  close(): Promise<void>;
}

/** A new database of the engine, migrated; `close` removes it. */
export async function openTestDatabase(engine: Engine): Promise<TestDatabase> {
  const { settings, remove } = await newDatabase(engine);
  const database = openDatabase(settings);
  await migrate(database);
  return {
    settings,
    database,
    close: async () => {
      await database.destroy();
      await remove();
    },
  };
}

/** An empty database without any table. */
export async function newDatabase(
  engine: Engine,
): Promise<{ settings: Settings['database']; remove(): Promise<void> }> {
  if (engine === 'sqlite') {
    const folder = await mkdtemp(join(tmpdir(), 'hygie-sqlite-'));
    return {
      settings: { engine, file: join(folder, 'hygie.sqlite') },
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  }
  const server = process.env['HYGIE_TEST_POSTGRES'];
  if (!server) throw new Error('HYGIE_TEST_POSTGRES is not set: run the tests with npm test');
  const name = `hygie_${randomBytes(6).toString('hex')}`;
  const administration = openDatabase({ engine, url: `${server}/postgres` });
  await administration.raw(`create database ${name}`);
  return {
    settings: { engine, url: `${server}/${name}` },
    remove: async () => {
      await administration.raw(`drop database ${name} with (force)`);
      await administration.destroy();
    },
  };
}
