// A directory on SQLite into which editions are loaded as by `directory import FOLDER`, and put back as it was after each trial.

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { EXPECTED_REGISTERS } from '#config/service/guard-table.ts';
import { ImportError } from '#import/collect/import-error.ts';
import type { ImportReport } from '#import/judgement/import-report.ts';
import { importEdition } from '#import/locked-import.ts';
import { openSnapshot } from '#search-index/read/reader.ts';
import { RESOURCE_TYPES } from '#search-index/snapshot.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { migrate } from '#store/database/migrate.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { findSnapshot, readPointer } from '#store/snapshots/registry.ts';
import { DEFAULT_LIMITS } from '#support/config/guards.ts';
import type { EditionFiles } from './edition-files.ts';

/** Text of every resource without `meta`, by type and id. */
export type Resources = ReadonlyMap<string, string>;

export interface Outcome {
  /** Name of the guard, or `unreadable`, with the sentence; empty if the edition is loaded. */
  refusals: readonly { name: string; said: string }[];
  report?: ImportReport;
}

export interface Directory {
  load(files: EditionFiles): Promise<Outcome>;
  /** Resources of the current snapshot; none in an empty directory. */
  resources(): Promise<Resources>;
  /** The name of the current snapshot. */
  current(): Promise<string | undefined>;
  database: Database;
  /** Remembers how the directory is now. */
  keep(): Promise<void>;
  /** Puts it back as it was then. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

export async function openDirectory(): Promise<Directory> {
  const folder = mkdtempSync(join(tmpdir(), 'hygie-damage-'));
  const [dataFolder, kept, incoming] = ['data', 'kept', 'edition'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(dataFolder);
  const open = () => openDatabase({ engine: 'sqlite', file: join(dataFolder, 'hygie.sqlite') });
  let database = open();
  await migrate(database);
  const guards = {
    ...DEFAULT_LIMITS,
    minimum: { Practitioner: 0, Organization: 0 },
    expected: [...EXPECTED_REGISTERS],
  };
  const directory = { guards, keep: 2, largestUnpacked: 32 << 20, distribution: 'folder' as const };
  const settings = { namespace: 'https://hygie.example', dataFolder, directory, keys: { secrets: [] } };
  const current = async () => {
    const { current: id } = await readPointer(database);
    return id === undefined ? undefined : findSnapshot(database, id);
  };
  return {
    async load(files) {
      rmSync(incoming, { recursive: true, force: true });
      mkdirSync(incoming);
      for (const [name, content] of files) writeFileSync(join(incoming, name), content);
      try {
        const report = await importEdition({ paths: [incoming], database, settings });
        const refusing = report.guards.filter(({ passed, accepted }) => !passed && !accepted);
        const said = ({ register = '', figures }: (typeof refusing)[number]) =>
          `${register} ${figures}`.replaceAll(`${incoming}/`, '');
        return { refusals: refusing.map((one) => ({ name: one.name, said: said(one) })), report };
      } catch (error) {
        if (!(error instanceof ImportError)) throw error;
        return {
          refusals: [
            {
              name: 'unreadable',
              said: error.message.replaceAll(`${incoming}/`, '').replaceAll(incoming, basename(incoming)),
            },
          ],
        };
      }
    },
    async resources() {
      const entry = await current();
      const found = new Map<string, string>();
      if (entry === undefined) return found;
      const snapshot = await openSnapshot(join(snapshotFolder(dataFolder), entry.file));
      for (const type of RESOURCE_TYPES) {
        const lines = (await snapshot.scan(type, { from: 0, to: 1_000_000 })).split('\n').slice(0, -1);
        for (const line of lines) {
          const { meta: _meta, ...resource } = JSON.parse(line) as { id: string; meta: unknown };
          found.set(`${type}/${resource.id}`, JSON.stringify(resource));
        }
      }
      await snapshot.close();
      return found;
    },
    current: async () => (await current())?.id,
    get database() {
      return database;
    },
    async keep() {
      await database.destroy();
      rmSync(kept, { recursive: true, force: true });
      cpSync(dataFolder, kept, { recursive: true });
      database = open();
    },
    async restore() {
      await database.destroy();
      rmSync(dataFolder, { recursive: true, force: true });
      cpSync(kept, dataFolder, { recursive: true });
      database = open();
    },
    async close() {
      await database.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
