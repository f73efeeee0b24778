// Restores a backup into an empty place. The backup is verified, assembled in a staging folder, and then put in its place in one step. If a
// restore is killed, the next restore begins again. If the database was already in place, the next restore only does the remaining steps.

import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { keyFileIn } from '#config/index.ts';
import type { Settings } from '#config/settings.ts';
import { withOpenDatabase } from '#server/open-database.ts';
import { keepPrivate } from '#server/private-data-folder.ts';
import { explainDisk } from '#server/staging-folder.ts';
import { openSeals } from '#shared/crypto/seals.ts';
import { requireSpace, syncFolder } from '#shared/disk.ts';
import { Refusal } from '#shared/operator-messages.ts';
import type { OnProgress } from '#shared/progress.ts';
import { openDatabase } from '#store/database/connection.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { ImportLocked, takeImportLock } from '#store/snapshots/import-lock.ts';
import { copyVerified } from './backup-files.ts';
import { type Completed, completeRestore } from './complete-restore.ts';
import { SQLITE_FILE } from './dump-database.ts';
import { KEY_FILE, SNAPSHOTS } from './make-backup.ts';
import { MANIFEST, type Manifest } from './manifest.ts';
import { hasTables, reasonsAgainst, refuseOccupied } from './restore-checks.ts';
import { fillPostgres, restoredFaults } from './restore-database.ts';
import { restoreFolder } from './unfinished-restore.ts';
import { type VerifiedBackup, verifyBackup } from './verify-backup.ts';

interface RestoreOptions {
  folder: string;
  settings: Settings;
  /**
   * True to end all sessions and tokens of people. Some of them may have been ended after the backup was made, but in the backup they are
   * still valid.
   */
  endSessions: boolean;
  /** True if nobody has the secret of the keys any more. New keys then replace the old ones, which nobody can decrypt. */
  lostSecret: boolean;
  /** True to accept a backup that was not sealed with the secret of the settings. */
  unsealed: boolean;
  onProgress: OnProgress;
  say(line: string): void;
}

export interface RestoreReport extends Completed, VerifiedBackup {}

/** Restores a backup. If it throws a `Refusal`, nothing has been changed, unless the text of the `Refusal` says otherwise. */
export async function restoreBackup(given: RestoreOptions): Promise<RestoreReport> {
  const options = { ...given, folder: resolve(given.folder) };
  const { folder, settings, onProgress, say } = options;
  const own = { ...options, settings: await withBroughtSecret(folder, settings) };
  const verified = await verifyBackup(folder, own.settings, onProgress, options);
  const { manifest, faults } = verified;
  if (faults.length > 0) {
    throw new Refusal([
      'The backup is not sound: nothing was restored.',
      ...faults.map((fault) => `  ${fault}`),
      'Remedy: use another backup.',
    ]);
  }
  const reasons = await reasonsAgainst(folder, verified, own.settings, options);
  if (reasons.length > 0) throw new Refusal(['The backup cannot be restored here.', ...reasons]);
  // The place is checked before the lock is taken, because taking the lock creates a data folder. After an unfinished restore, the place
  // may have files of that restore. Then `restoreLocked` either removes them and checks the place, or finishes that restore.
  if (!existsSync(restoreFolder(settings.dataFolder))) await refuseOccupied(settings);
  keepPrivate(settings, say);
  const lock = await lockFor(settings);
  try {
    return { ...verified, ...(await restoreLocked(own, manifest)) };
  } finally {
    await lock.release();
  }
}

/** Adds the secret in the backup to the settings if they have no secret of the keys. */
async function withBroughtSecret(folder: string, settings: Settings): Promise<Settings> {
  if (settings.keys.secrets.length > 0) return settings;
  const brought = await readFile(join(folder, KEY_FILE), 'utf8').catch(() => undefined);
  return brought === undefined ? settings : { ...settings, keys: { ...settings.keys, secrets: [brought.trim()] } };
}

/** Takes the lock that keeps imports and restores apart. Without the lock, two of them could mix their files in one place. */
async function lockFor({ dataFolder, database }: Settings): Promise<{ release(): Promise<void> }> {
  // For SQLite, `openDatabase` neither opens nor creates the file yet.
  const open = openDatabase(database);
  try {
    const lock = await takeImportLock(dataFolder, open);
    return { release: () => lock.release().finally(() => open.destroy()) };
  } catch (error) {
    await open.destroy();
    if (!(error instanceof ImportLocked)) throw error;
    throw new Refusal(`Another restore or import is under way here (${error.holder}): wait until it has ended.`);
  }
}

async function restoreLocked(options: RestoreOptions, manifest: Manifest): Promise<Completed> {
  const { folder, settings } = options;
  const staging = restoreFolder(settings.dataFolder);
  const text = await readFile(join(folder, MANIFEST), 'utf8');
  const before = await readFile(join(staging, MANIFEST), 'utf8').catch(() => undefined);
  const { database } = settings;
  const filled = async () => {
    if (database.engine === 'postgresql') return hasTables(database);
    // While the restored file is still in the staging folder, a file at the final place was not made by this restore.
    return existsSync(database.file) && !existsSync(join(staging, SQLITE_FILE));
  };
  if (before !== undefined && (await filled())) {
    if (before !== text) throw otherUnfinished(before, staging);
    // The database is compared with the manifest, because another process, such as an instance that restarts again and again, may have
    // filled the empty database meanwhile.
    await checkRestored(options, manifest, false);
    return finish(options, manifest);
  }
  await clear(staging, settings, before);
  await refuseOccupied(settings);
  try {
    await stage(options, manifest, staging);
    if (database.engine === 'sqlite') return await restoreSqlite(options, manifest, database.file);
    await placeFiles(manifest, settings);
    await fillPostgres(folder, manifest, database, options.onProgress);
  } catch (error) {
    if (!(await filled())) await clear(staging, settings, text);
    throw explainDisk(error, staging);
  }
  await checkRestored(options, manifest, true);
  return finish(options, manifest);
}

function otherUnfinished(text: string, staging: string): Refusal {
  const { created } = JSON.parse(text) as Manifest;
  return new Refusal([
    `Another backup, of ${created}, is being restored here, and is not finished.`,
    `Remedy: restore that one again; or empty the database, and remove ${staging}.`,
  ]);
}

/** Removes everything that an unfinished restore has put into the data folder. Its manifest (`text`) lists the files. */
async function clear(staging: string, { dataFolder }: Settings, text: string | undefined): Promise<void> {
  let placed: string[] = [];
  try {
    placed = snapshotsIn(JSON.parse(text ?? '') as Manifest);
  } catch {
    // There is no manifest, or the restore was killed while it wrote the manifest. No file is in place then, because a restore writes its
    // manifest first.
  }
  for (const path of placed) await rm(join(snapshotFolder(dataFolder), basename(path)), { force: true });
  await rm(staging, { recursive: true, force: true });
}

/** Returns the paths of the current and the previous snapshot in the backup. Only these files get into the folder of snapshots. */
function snapshotsIn({ files, directory: { current, previous } }: Manifest): string[] {
  const named = [current, previous].map((snapshot) => `${SNAPSHOTS}/${snapshot?.file}`);
  return files.map(({ path }) => path).filter((path) => named.includes(path));
}

/**
 * Copies the files for the data folder into the staging folder, which is on the same disk. The manifest is copied first, because it lists
 * the other files.
 */
async function stage({ folder, onProgress }: RestoreOptions, manifest: Manifest, staging: string): Promise<void> {
  await mkdir(join(staging, SNAPSHOTS), { recursive: true, mode: 0o700 });
  await copyFile(join(folder, MANIFEST), join(staging, MANIFEST));
  const own = [SQLITE_FILE, KEY_FILE, ...snapshotsIn(manifest)];
  const files = manifest.files.filter(({ path }) => own.includes(path));
  await requireSpace(
    staging,
    files.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  for (const file of files) {
    onProgress({ name: 'copying', count: Math.round(file.bytes / 2 ** 20), unit: 'MiB' });
    await copyVerified(join(folder, file.path), join(staging, file.path), file);
  }
  await syncFolder(staging);
}

/** Migrates and completes the file in the staging folder. The file is moved to its place only when all this is done. */
async function restoreSqlite(options: RestoreOptions, manifest: Manifest, file: string): Promise<Completed> {
  const { settings } = options;
  const staging = restoreFolder(settings.dataFolder);
  const staged = join(staging, SQLITE_FILE);
  const completed = await withOpenDatabase({ database: { engine: 'sqlite', file: staged } }, async (database) => {
    const done = await completeRestore(database, options, manifest);
    // The write-ahead log of SQLite is not moved with the file, so it must be empty. Closing the database empties it too, but not while
    // another program has the file open.
    await database.raw('pragma wal_checkpoint(truncate)');
    return done;
  });
  // The place is checked again, because a service that was started here just before the restore began may have made a database.
  await refuseOccupied(settings);
  await placeFiles(manifest, settings);
  await rename(staged, file);
  await syncFolder(dirname(file));
  await rm(staging, { recursive: true, force: true });
  return completed;
}

/** Moves the snapshots and the secret into place. Nobody reads them before the database is in place. */
async function placeFiles(manifest: Manifest, { dataFolder }: Settings): Promise<void> {
  const staging = restoreFolder(dataFolder);
  const target = snapshotFolder(dataFolder);
  const snapshots = snapshotsIn(manifest);
  if (snapshots.length > 0) await mkdir(target, { recursive: true, mode: 0o700 });
  for (const path of snapshots) await rename(join(staging, path), join(target, basename(path)));
  if (snapshots.length > 0) await syncFolder(target);
  // If the file of the secret exists already, it has the same secret, because the checks have compared the two.
  if (manifest.keys.fileIncluded) await rename(join(staging, KEY_FILE), keyFileIn(dataFolder));
  await syncFolder(dataFolder);
}

async function checkRestored(
  { settings, lostSecret }: RestoreOptions,
  manifest: Manifest,
  untouched: boolean,
): Promise<void> {
  const seals = await openSeals(lostSecret ? [] : settings.keys.secrets);
  const faults = await withOpenDatabase(settings, (database) => restoredFaults(database, manifest, seals, untouched));
  if (faults.length === 0) return;
  throw new Refusal([
    'The database is restored, but differs from the manifest: the service does not use it until you decide.',
    ...faults.map((fault) => `  ${fault}`),
    `Remedy: empty the database, remove ${restoreFolder(settings.dataFolder)}, and restore another backup.`,
  ]);
}

/** Does the steps that remain once the database is in place. If the restore is killed, the next one can repeat all of them. */
async function finish(options: RestoreOptions, manifest: Manifest): Promise<Completed> {
  const { settings } = options;
  const completed = await withOpenDatabase(settings, (database) => completeRestore(database, options, manifest));
  await rm(restoreFolder(settings.dataFolder), { recursive: true, force: true });
  return completed;
}
