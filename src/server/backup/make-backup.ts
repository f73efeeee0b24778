// Makes a backup: one consistent state of the database, the files that belong to it, and the manifest.

import { constants, existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { keyFileIn } from '#config/index.ts';
import type { Settings } from '#config/settings.ts';
import { checksumOfFile } from '#search-index/index.ts';
import { explainDisk, openStaging } from '#server/staging-folder.ts';
import { openSeals } from '#shared/crypto/seals.ts';
import { hygie, Refusal } from '#shared/operator-messages.ts';
import { bytesDone, bytesRead, type OnProgress } from '#shared/progress.ts';
import { VERSION } from '#shared/version.ts';
import { headText } from '#store/audit/audit-chain.ts';
import type { Database } from '#store/database/connection.ts';
import { bring, type Distribution, distributionFor } from '#store/snapshots/distribution.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { listSnapshots, type SnapshotEntry } from '#store/snapshots/registry.ts';
import { sealFiles, sizeOf } from './backup-files.ts';
import { dumpDatabase, type Format } from './dump-database.ts';
import { secretsOf } from './key-fingerprints.ts';
import { type Manifest, writeManifest } from './manifest.ts';

export const SNAPSHOTS = 'directory';
export const CONFIGURATION = 'config';
/** Files of the configuration folder that are copied. Files and variables to which they refer by `file:` and `env:` are not copied. */
const CONFIGURATION_FILES = ['service.yaml', 'clients.yaml'] as const;
export const KEY_FILE = 'key-secret';

interface BackupOptions {
  database: Database;
  settings: Settings;
  /** The folder for the backup. It must be missing or empty. */
  folder: string;
  /** True if the backup includes the files of the current snapshot and of the one before it. */
  withDirectory: boolean;
  /** True if the backup includes the file with the secret of the keys. Such a backup is enough to decrypt everything in it. */
  withKey: boolean;
  format?: Format | undefined;
  onProgress: OnProgress;
  say(line: string): void;
}

/** Makes a backup. When this resolves, the folder is complete and on the disk. When it rejects, nothing of the backup is left. */
export async function makeBackup(options: BackupOptions): Promise<Manifest> {
  const { settings, folder } = options;
  refuseInside(resolve(folder), settings.dataFolder);
  const keyFile = keyFileIn(settings.dataFolder);
  if (options.withKey && !existsSync(keyFile)) {
    throw new Refusal([
      `--with-key: there is no ${keyFile}.`,
      'The secret is in HYGIE_KEY_SECRET: keep it where that comes from.',
    ]);
  }
  const staging = await openStaging(folder, await expectedBytes(options)).catch((error) => {
    throw explainDisk(error, folder);
  });
  try {
    const { contents, database } = await dumpDatabase({ ...options, folder: staging.folder });
    if (contents.schema.length === 0) throw new Refusal('The database is empty: there is nothing to back up.');
    if (options.withDirectory) {
      const distribution = distributionFor(options.database, settings);
      await fetchSnapshots(contents.snapshots, distribution, options);
      await copySnapshots(contents.snapshots, settings, staging.folder, options.onProgress);
    }
    await copyConfiguration(settings, staging.folder);
    if (options.withKey) await copyFile(keyFile, join(staging.folder, KEY_FILE));
    const files = await sealFiles(staging.folder, (bytes) => options.onProgress(bytesRead('checksums', bytes)));
    const [current, previous] = contents.snapshots.map(({ id, file, createdAt }) => ({
      id,
      file,
      created: createdAt.toISOString(),
    }));
    const content = {
      hygie: VERSION,
      created: new Date().toISOString(),
      issuer: settings.issuer,
      sandbox: contents.sandbox,
      database,
      ...(contents.auditHead && { auditHead: headText(contents.auditHead) }),
      keys: { ...(await secretsOf(contents.keys, settings.keys.secrets)), fileIncluded: options.withKey },
      directory: { ...(current && { current }), ...(previous && { previous }), included: options.withDirectory },
      files,
    };
    const manifest = await writeManifest(staging.folder, content, await openSeals(settings.keys.secrets));
    await staging.finish();
    return manifest;
  } catch (error) {
    await staging.discard();
    throw explainDisk(error, folder);
  }
}

// A backup inside the data folder is refused, because it would be lost together with the data.
function refuseInside(folder: string, dataFolder: string): void {
  const data = resolve(dataFolder);
  if (folder !== data && !folder.startsWith(data + sep)) return;
  throw new Refusal([
    `${folder} is inside of HYGIE_DATA (${data}): it would be lost with the data.`,
    'Remedy: name a folder elsewhere, better on another disk, and copy it to another machine.',
  ]);
}

// Leaves out the dump of PostgreSQL, because its size is not known in advance.
async function expectedBytes({ settings, withDirectory, database }: BackupOptions): Promise<number> {
  const { database: place, dataFolder } = settings;
  const own = place.engine === 'sqlite' ? await sizeOf(place.file, `${place.file}-wal`) : 0;
  if (!withDirectory) return own;
  const files = (await listSnapshots(database)).slice(0, 2).map(({ file }) => join(snapshotFolder(dataFolder), file));
  return own + (await sizeOf(...files));
}

/**
 * Fetches the snapshots that other machines imported. If one cannot be fetched, only a line about this is printed. `copySnapshots` then
 * refuses the backup, because the file is missing.
 */
async function fetchSnapshots(
  entries: readonly SnapshotEntry[],
  distribution: Distribution | undefined,
  { onProgress, say }: Pick<BackupOptions, 'onProgress' | 'say'>,
): Promise<void> {
  for (const entry of entries) {
    if (!distribution) return;
    const fetched = (done: number) => onProgress(bytesDone('fetching', done, entry.bytes));
    await bring(distribution, entry, { onProgress: fetched }).catch((error: Error) => say(error.message));
  }
}

/** Copies snapshots. A snapshot never changes, so each copy is compared with the checksum from the import. */
async function copySnapshots(
  entries: readonly SnapshotEntry[],
  { dataFolder }: Settings,
  target: string,
  onProgress: OnProgress,
): Promise<void> {
  if (entries.length === 0) return;
  await mkdir(join(target, SNAPSHOTS), { mode: 0o700 });
  for (const { id, file, checksum } of entries) {
    const source = join(snapshotFolder(dataFolder), file);
    if (!existsSync(source)) {
      throw new Refusal([
        `The directory snapshot ${source} is missing here.`,
        'Remedy: back up where HYGIE_DATA has it, import the edition again, or leave out --with-directory.',
      ]);
    }
    onProgress(bytesRead('directory', 0));
    const copy = join(target, SNAPSHOTS, file);
    await copyFile(source, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    const read = (bytes: number) => onProgress(bytesRead('directory', bytes));
    if (checksum === undefined || (await checksumOfFile(copy, read)) === checksum) continue;
    throw new Refusal([
      `The directory snapshot ${source} is damaged: its checksum is not that of its import.`,
      `Remedy: ${hygie`directory verify ${id}`} says more; or leave out --with-directory.`,
    ]);
  }
}

async function copyConfiguration({ configFolder }: Settings, target: string): Promise<void> {
  const there = CONFIGURATION_FILES.filter((name) => existsSync(join(configFolder, name)));
  if (there.length > 0) await mkdir(join(target, CONFIGURATION), { mode: 0o700 });
  for (const name of there) await copyFile(join(configFolder, name), join(target, CONFIGURATION, name));
}
