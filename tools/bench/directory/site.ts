// The data folder of a bench: its current edition as a file, what is drawn from it, and a service that serves it.

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadSettings } from '#config/service/load-settings.ts';
import { openSnapshot } from '#search-index/read/reader.ts';
import type { Snapshot } from '#search-index/snapshot.ts';
import { openDatabase } from '#store/database/connection.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { findSnapshot, readPointer } from '#store/snapshots/registry.ts';
import type { Cleanup } from '#tools/site/cleanup.ts';
import { ROOT, succeed } from '#tools/site/processes.ts';
import { writeConfig } from '#tools/site/service.ts';
import type { Sources } from './query-classes.ts';
import { sample } from './sample.ts';
import { type Serving, serve } from './serving.ts';

const PEOPLE = 2000;
const STRUCTURES = 1000;

interface Current {
  snapshot: Snapshot;
  /** Where the snapshot is. */
  file: string;
  bytes: number;
}

/** Opens the current snapshot of a data folder for the time of the work. Throws when there is none. */
export async function withCurrentSnapshot<Result>(
  env: Record<string, string>,
  work: (current: Current) => Promise<Result>,
): Promise<Result> {
  const settings = await loadSettings(env);
  const database = openDatabase(settings.database);
  const { current } = await readPointer(database);
  const entry = current === undefined ? undefined : await findSnapshot(database, current);
  await database.destroy();
  if (!entry) throw new Error('the data folder has no current directory');
  const file = join(snapshotFolder(settings.dataFolder), entry.file);
  const snapshot = await openSnapshot(file);
  try {
    return await work({ snapshot, file, bytes: entry.bytes });
  } finally {
    await snapshot.close();
  }
}

/** People, structures and roles of the edition, about whom the benches ask. */
export async function drawSources(snapshot: Snapshot): Promise<Sources> {
  return {
    people: await sample(snapshot, 'Practitioner', PEOPLE),
    structures: await sample(snapshot, 'Organization', STRUCTURES),
    roles: await sample(snapshot, 'PractitionerRole', STRUCTURES),
  };
}

/** Imports an edition, unless the kept folder holds one, and starts the service on it with the further variables of `env`. */
export async function openSite(
  { data, keep, env: more = {} }: { data: string; keep: string; env?: Record<string, string> },
  cleanup: Cleanup,
  tell: (text: string) => void,
): Promise<{ serving: Serving; sources: Sources }> {
  const temporary = await mkdtemp(join(tmpdir(), 'hygie-bench-site-'));
  cleanup.later(() => rm(temporary, { recursive: true, force: true }));
  const site = keep === '' ? temporary : resolve(keep);
  await mkdir(site, { recursive: true });
  const env = { ...(await writeConfig(site)), ...more };
  if (!existsSync(join(site, 'data', 'directory'))) {
    tell('import');
    await succeed(['migrate'], { env, cleanup });
    await succeed(['directory', 'import', data === '' ? join(ROOT, 'seeds/edition') : resolve(data)], { env, cleanup });
  }
  const sources = await withCurrentSnapshot(env, ({ snapshot }) => drawSources(snapshot));
  return { serving: await serve(env, cleanup), sources };
}
