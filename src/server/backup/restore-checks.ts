// Makes the checks of a restore before it writes anything. They refuse a backup that does not belong here, and a place that is not empty.
// `manifest.ts` has already refused a backup of a version before 1.0.0.

import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keyFileIn } from '#config/index.ts';
import type { Settings } from '#config/settings.ts';
import { withOpenDatabase } from '#server/open-database.ts';
import { Refusal } from '#shared/operator-messages.ts';
import { listTables } from '#store/backup/database-contents.ts';
import { toolVersion } from '#store/backup/postgres-tools.ts';
import { unknownMigrations } from '#store/database/migration-source.ts';
import { isPooled } from '#store/database/pooler.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { secretNeeded } from './key-fingerprints.ts';
import { KEY_FILE } from './make-backup.ts';
import type { Manifest } from './manifest.ts';
import type { VerifiedBackup } from './verify-backup.ts';

/** Returns the reasons why this release, with these settings, cannot restore the backup; empty if it can. */
export async function reasonsAgainst(
  folder: string,
  { manifest, seal }: Pick<VerifiedBackup, 'manifest' | 'seal'>,
  settings: Settings,
  { lostSecret, unsealed }: { lostSecret: boolean; unsealed: boolean },
): Promise<string[]> {
  const reasons: string[] = [];
  const { database, sandbox } = manifest;
  const { newer } = unknownMigrations(database.schema);
  if (newer.length > 0) {
    reasons.push(
      `A newer release (${manifest.hygie}) made the backup: this one does not know ${newer.join(', ')}.`,
      '  Remedy: use that release, or a newer one.',
    );
  }
  if (database.engine === 'postgresql' && settings.database.engine === 'sqlite') {
    reasons.push(
      'The backup is of PostgreSQL, and DATABASE_URL is not set: it cannot become an SQLite file.',
      '  Remedy: set DATABASE_URL to an empty PostgreSQL database (createdb hygie).',
    );
  }
  if (database.kind === 'pg_dump' && (await toolVersion('pg_restore')) === undefined) {
    reasons.push(
      'The backup is one of pg_dump, and pg_restore is not installed here.',
      '  Remedy: install the client programs of PostgreSQL. Backups with --format copy need none.',
    );
  }
  if (database.kind === 'pg_dump' && settings.database.engine === 'postgresql' && (await leadsToPooler(settings))) {
    reasons.push(
      'The backup is one of pg_dump, and DATABASE_URL leads to a connection pooler, whose connections pg_restore would leave changed.',
      '  Remedy: set DATABASE_URL to the host and port of PostgreSQL itself for the restore.',
    );
  }
  if (sandbox && !settings.sandbox && settings.mode === 'production') {
    reasons.push(
      'The backup is of a sandbox, and this is production.',
      '  Remedy: set HYGIE_SANDBOX=1, or name a backup of production.',
    );
  }
  if (settings.sandbox && !sandbox) {
    reasons.push(
      'The backup is not of a sandbox, and HYGIE_SANDBOX is set: its people may be real.',
      '  Remedy: remove HYGIE_SANDBOX, or name a backup of a sandbox.',
    );
  }
  const ofSecret = await reasonsOfSecret(folder, manifest, settings, lostSecret);
  reasons.push(...ofSecret);
  // If the keys need another secret, `ofSecret` has already reported this, and the seal needs no report of its own.
  if (seal === 'unchecked' && settings.keys.secrets.length > 0 && ofSecret.length === 0 && !unsealed) {
    reasons.push(
      'The secret that is set has not sealed the manifest: somebody may have changed the backup.',
      '  Remedy: set HYGIE_KEY_SECRET as where the backup was made. If you know where the backup comes from: --unsealed',
    );
  }
  return reasons;
}

async function reasonsOfSecret(
  folder: string,
  manifest: Manifest,
  { dataFolder, keys }: Settings,
  lostSecret: boolean,
): Promise<string[]> {
  const file = keyFileIn(dataFolder);
  const present = existsSync(file) ? await readFile(file, 'utf8') : undefined;
  const brought = manifest.keys.fileIncluded ? await readFile(join(folder, KEY_FILE), 'utf8') : undefined;
  if (present !== undefined && brought !== undefined && present.trim() !== brought.trim()) {
    return [`${file} has another secret than the backup brings.`, '  Remedy: move it away, if nothing here needs it.'];
  }
  if (lostSecret) {
    if (keys.secrets.length > 0) return [];
    return [
      '--lost-secret needs a new secret: what the old one encrypted stays closed, and the service makes none beside it.',
      `  Remedy: set HYGIE_KEY_SECRET; or: (umask 077; openssl rand -base64 32 > ${file})`,
    ];
  }
  const needed = await secretNeeded(manifest, keys.secrets);
  if (needed === undefined) return [];
  return [
    needed,
    '  Remedy: set HYGIE_KEY_SECRET as where the backup was made, or HYGIE_KEY_SECRET_OLD beside the present one; or, if none was set there,',
    `  put the file key-secret of that data folder into ${dataFolder}. If it is lost for good: --lost-secret`,
  ];
}

/** Throws a `Refusal` if the place is not empty: if it has an SQLite file, tables in PostgreSQL, or snapshots. */
export async function refuseOccupied(settings: Pick<Settings, 'database' | 'dataFolder'>): Promise<void> {
  const reasons: string[] = [];
  const { database, dataFolder } = settings;
  if (database.engine === 'sqlite') {
    const there = ['', '-wal', '-journal'].map((end) => database.file + end).filter((file) => existsSync(file));
    reasons.push(...there.map((file) => `${file} is there already.`));
  } else if (await hasTables(database)) reasons.push('The database in DATABASE_URL has tables already.');
  const snapshots = snapshotFolder(dataFolder);
  const files = existsSync(snapshots) ? readdirSync(snapshots).filter((name) => name.endsWith('.sqlite')) : [];
  if (files.length > 0) reasons.push(`${snapshots} has snapshots of the directory already.`);
  if (reasons.length === 0) return;
  const anew = database.engine === 'sqlite' ? '' : ', and DATABASE_URL to an empty database (createdb hygie_restored)';
  throw new Refusal([
    'A restore needs an empty place, and changes nothing that is there.',
    ...reasons.map((reason) => `  ${reason}`),
    `Remedy: stop the service and move the data away, or set HYGIE_DATA to a new folder${anew}.`,
  ]);
}

function leadsToPooler(settings: Pick<Settings, 'database'>): Promise<boolean> {
  return withOpenDatabase(settings, isPooled);
}

export function hasTables(database: Settings['database']): Promise<boolean> {
  return withOpenDatabase({ database }, async (open) => (await listTables(open)).length > 0);
}
