// Verifies a backup without changing it: its files, the content of its database, and the chain of its audit trail. The callers,
// `cli/backup.ts` and `restore-checks.ts`, also check whether the secret that is set decrypts the keys in the backup (`secretNeeded`).

import { join, resolve } from 'node:path';
import type { Settings } from '#config/settings.ts';
import { openSeals, type Seals } from '#shared/crypto/seals.ts';
import { bytesDone, type OnProgress } from '#shared/progress.ts';
import { type ChainHead, parseHead } from '#store/audit/audit-chain.ts';
import { type FollowedChain, followChain, verifyTrail } from '#store/audit/verify-trail.ts';
import { readContents } from '#store/backup/database-contents.ts';
import { checkDump, toolVersion } from '#store/backup/postgres-tools.ts';
import { openCopy, sqliteFaults } from '#store/backup/sqlite-backup.ts';
import { readChainLines, readLines } from '#store/backup/table-lines.ts';
import type { Database } from '#store/database/connection.ts';
import { fileFaults } from './backup-files.ts';
import { COPY_FOLDER, DUMP_FILE, SQLITE_FILE } from './dump-database.ts';
import { lackingSecrets } from './key-fingerprints.ts';
import { type Manifest, readManifest, type SealState } from './manifest.ts';

export interface VerifiedBackup {
  manifest: Manifest;
  seal: SealState;
  /** One sentence for each fault. A sound backup has none. */
  faults: string[];
  /** One sentence for each check that was not possible. */
  notices: string[];
}

/** Maximum number of faults of the audit trail that are described one by one. */
const MOST_NAMED = 10;

const NO_SEAL =
  'manifest.json has no seal, and a secret is set here: it was made without one (then: --unsealed), or somebody has removed the seal to change it';

/**
 * Verifies a backup. Throws a `Refusal` if the folder has no readable manifest; all other faults are in the result. If a secret is set
 * here, a missing seal is a fault, because a forger could leave the seal out. With `unsealed`, a missing seal is only a notice.
 */
export async function verifyBackup(
  folder: string,
  { keys }: Pick<Settings, 'keys'>,
  onProgress: OnProgress,
  { unsealed }: { unsealed: boolean },
): Promise<VerifiedBackup> {
  const place = resolve(folder);
  const seals = await openSeals(keys.secrets);
  const { manifest, seal } = await readManifest(place, seals);
  const notices: string[] = [];
  const total = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  const faults = await fileFaults(place, manifest.files, (bytes) =>
    onProgress(bytesDone('checksums', total === 0 ? 1 : bytes / total, total)),
  );
  if (seal === 'wrong') faults.unshift('manifest.json was changed: its seal is wrong');
  if (seal === 'unsealed') {
    if (seals.available && !unsealed) faults.unshift(NO_SEAL);
    else notices.push('The manifest has no seal: it was made without HYGIE_KEY_SECRET.');
  }
  if (seal === 'unchecked') {
    notices.push(
      'The seal of the manifest was not checked: the secret that sealed it is not set. Checksums show damage, but not forgery.',
    );
  }
  if (faults.length === 0) {
    onProgress({ name: 'contents', count: 0, unit: 'rows' });
    const sealsOfTrail = (await lackingSecrets(manifest, keys.secrets)).length > 0 ? await openSeals([]) : seals;
    const found = await contentFaults(place, manifest, sealsOfTrail, notices).catch((error: Error) => [
      `the database in it cannot be read: ${error.message}`,
    ]);
    faults.push(...found);
  }
  return { manifest, seal, faults, notices };
}

async function contentFaults(folder: string, manifest: Manifest, seals: Seals, notices: string[]): Promise<string[]> {
  const { kind } = manifest.database;
  if (kind === 'sqlite') return sqliteContentFaults(join(folder, SQLITE_FILE), manifest, seals);
  if (kind === 'copy') return copyFaults(join(folder, COPY_FOLDER), manifest, seals);
  if ((await toolVersion('pg_restore')) === undefined) {
    notices.push('The dump was not read: pg_restore is not installed here. A restore needs it.');
    return [];
  }
  notices.push(
    'Only a restore can count the rows of a dump and verify its audit trail, in the database that it fills.',
  );
  await checkDump(join(folder, DUMP_FILE));
  return [];
}

async function sqliteContentFaults(file: string, manifest: Manifest, seals: Seals): Promise<string[]> {
  const copy = openCopy(file);
  try {
    const faults = await sqliteFaults(copy);
    if (faults.length > 0) return faults;
    const contents = await readContents(copy);
    faults.push(...rowFaults(manifest, contents.tables));
    if (contents.schema.join() !== manifest.database.schema.join())
      faults.push('the database has another schema than the manifest says');
    return [...faults, ...(await trailFaults(copy, manifest, seals))];
  } finally {
    await copy.destroy();
  }
}

/** Verifies the audit trail in a database, and compares it with the head in the manifest. */
export async function trailFaults(database: Database, manifest: Manifest, seals: Seals): Promise<string[]> {
  const head = headIn(manifest);
  return head ? chainFaults(await verifyTrail(database, seals, head)) : [];
}

function headIn({ auditHead }: Manifest): ChainHead | undefined {
  return auditHead === undefined ? undefined : parseHead(auditHead);
}

async function copyFaults(folder: string, manifest: Manifest, seals: Seals): Promise<string[]> {
  const found: Record<string, number> = {};
  for (const table of Object.keys(manifest.database.tables)) {
    let rows = 0;
    for await (const lines of readLines(fileOf(folder, table))) rows += lines.length;
    found[table] = rows;
  }
  const faults = rowFaults(manifest, found);
  const head = headIn(manifest);
  if (head === undefined) return faults;
  const start = await prunedHead(folder);
  const chain = await followChain(readChainLines(fileOf(folder, 'audit_events')), { start, seals, known: head });
  const end = chain.last ?? start;
  if (end.sequence !== head.sequence)
    faults.push(`audit trail: it ends with record ${end.sequence}, and not ${head.sequence}`);
  return [...faults, ...chainFaults(chain)];
}

/** Returns the path of the file that has the rows of a table, in a copy of the tables. */
export function fileOf(folder: string, table: string): string {
  return join(folder, `${table}.ndjson.gz`);
}

/** Returns the last one of the records that a clean-up has removed from the audit trail. */
async function prunedHead(folder: string): Promise<ChainHead> {
  for await (const [line] of readLines(fileOf(folder, 'audit_chain'))) {
    const row = JSON.parse(line ?? '') as { pruned_sequence: number; pruned_digest: string };
    return { sequence: row.pruned_sequence, digest: row.pruned_digest };
  }
  throw new Error('the table audit_chain is empty');
}

/** Returns a sentence for each table that has another number of rows than the manifest says. */
export function rowFaults({ database }: Manifest, found: Readonly<Record<string, number>>): string[] {
  return Object.entries(database.tables)
    .filter(([table, rows]) => found[table] !== rows)
    .map(([table, rows]) => `table ${table}: ${found[table] ?? 'no'} rows, and not ${rows}`);
}

/** Returns the faults of an audit trail, in sentences. */
export function chainFaults({ faults }: Pick<FollowedChain, 'faults'>): string[] {
  const named = faults
    .slice(0, MOST_NAMED)
    .map(({ sequence, problem }) => `audit trail, record ${sequence ?? '?'}: ${problem}`);
  return faults.length > MOST_NAMED ? [...named, `audit trail: ${faults.length - MOST_NAMED} more faults`] : named;
}
