// Gives tests an empty, migrated database of each engine.

import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Settings } from '#config/settings.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { migrate } from '#store/database/migrate.ts';

export const ENGINES = ['sqlite', 'postgresql'] as const;
export type Engine = (typeof ENGINES)[number];

export interface TestDatabase {
  settings: Settings['database'];
  database: Database;
  close(): Promise<void>;
}

const MIGRATED = 'HYGIE_TEST_MIGRATED';

/** A new database of the engine, migrated; `close` removes it. */
export async function openTestDatabase(engine: Engine): Promise<TestDatabase> {
  const { settings, remove } = await newDatabase(
    engine,
    engine === 'postgresql' ? await migratedTemplate() : undefined,
  );
  if (settings.engine === 'sqlite') await writeMigrated(settings.file);
  const database = openDatabase(settings);
  return {
    settings,
    database,
    close: async () => {
      await database.destroy();
      await remove();
    },
  };
}

/** Makes the file of a migrated SQLite database that was not used: a copy of that of the run. */
export async function writeMigrated(file: string): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  const template = process.env[MIGRATED];
  if (template) return copyFileSync(template, file);
  const database = openDatabase({ engine: 'sqlite', file });
  await migrate(database);
  await database.destroy();
}

/** Makes the file that those of the run are copies of. */
export async function makeMigrated(file: string): Promise<void> {
  await writeMigrated(file);
  process.env[MIGRATED] = file;
}

function migratedTemplate(): Promise<string> {
  return templateDatabase('hygie_migrated', async (url) => {
    const database = openDatabase({ engine: 'postgresql', url });
    await migrate(database);
    await database.destroy();
  });
}

/** An empty database without any table; on PostgreSQL it may begin as a copy of a `templateDatabase`. */
export async function newDatabase(
  engine: Engine,
  template = 'template1',
): Promise<{ settings: Settings['database']; remove(): Promise<void> }> {
  if (engine === 'sqlite') {
    const folder = await mkdtemp(join(tmpdir(), 'hygie-sqlite-'));
    return {
      settings: { engine, file: join(folder, 'hygie.sqlite') },
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  }
  const name = `hygie_${randomBytes(6).toString('hex')}`;
  const administration = openDatabase({ engine, url: postgresUrl('postgres') });
  // Half the work of the default, which writes every page of the copy to the log as well.
  await administration.raw(`create database ${name} template ${template} strategy file_copy`);
  return {
    settings: { engine, url: postgresUrl(name) },
    remove: async () => {
      await administration.raw(`drop database ${name} with (force)`);
      await administration.destroy();
    },
  };
}

/**
 * Fills a PostgreSQL database once in a test run, whichever worker asks first, and gives its name for `newDatabase`. It
 * has the name only when it is whole.
 */
export function templateDatabase(name: string, fill: (url: string) => Promise<void>): Promise<string> {
  const known = templates.get(name) ?? makeTemplateDatabase(name, fill);
  templates.set(name, known);
  return known;
}

const templates = new Map<string, Promise<string>>();

async function makeTemplateDatabase(name: string, fill: (url: string) => Promise<void>): Promise<string> {
  const administration = openDatabase({ engine: 'postgresql', url: postgresUrl('postgres') });
  try {
    await administration.transaction(async (lock) => {
      await lock.raw('select pg_advisory_xact_lock(hashtext(?))', [name]);
      if (await lock('pg_database').where({ datname: name }).first()) return;
      const unfinished = `${name}_unfinished`;
      await administration.raw(`drop database if exists ${unfinished}`);
      await administration.raw(`create database ${unfinished}`);
      await fill(postgresUrl(unfinished));
      await administration.raw(`alter database ${unfinished} rename to ${name}`);
    });
  } finally {
    await administration.destroy();
  }
  return name;
}

function postgresUrl(database: string): string {
  const server = process.env['HYGIE_TEST_POSTGRES'];
  if (!server) throw new Error('HYGIE_TEST_POSTGRES is not set: run the tests with npm test');
  return `${server}/${database}`;
}
