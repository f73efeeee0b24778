// Owns the check of a whole snapshot file, from its bytes to the last entry of its indexes: the order of the checks, and
// what is left out when an earlier one fails. Only reads. Does not own the single checks (`sqlite-verify-*.ts`).

import { statSync } from 'node:fs';
import { setImmediate as laterTurn } from 'node:timers/promises';
import { FIELDS } from '../file-layout.ts';
import { openSnapshotFile, type SnapshotFile } from '../read/reader.ts';
import { releaseMemory } from '../release-memory.ts';
import { RESOURCE_TYPES, type ResourceType } from '../snapshot.ts';
import { checksumOfFile } from './file-checksum.ts';
import { createFindings, type Finding, type Findings } from './findings.ts';
import { createLedger } from './multiset-checksum.ts';
import { createKnownIds } from './verify-ids.ts';
import { checkIndexes } from './verify-indexes.ts';
import { type CheckContext, checkResources, positionsOf, type ResourceRules } from './verify-resources.ts';

export interface VerifyOptions {
  file: string;
  /** What the catalogue knows of the file; `checksum` as of `checksumOfFile`. */
  expected: { id: string; bytes: number; counts: Readonly<Record<ResourceType, number>>; checksum?: string };
  rules: ResourceRules;
  /** Compare the indexes with every resource, instead of with some COMPARED of each type. */
  full?: boolean;
  onProgress?: (progress: VerifyProgress) => void;
}

export interface VerifyProgress {
  phase: 'file' | ResourceType | 'indexes';
  /** Share of the phase that is done, 0-1. */
  done: number;
  /** Resources read so far. */
  resources: number;
}

export interface VerifyReport {
  /** None: the snapshot is sound. */
  findings: Finding[];
  /** Resources that were read. */
  resources: Record<ResourceType, number>;
  /** Whether everything was looked at; a damaged file is not read to its end. */
  complete: boolean;
}

/**
 * Resources of each type that the indexes are compared with, evenly spread. A damaged list concerns hundreds of them, and
 * comparing with millions takes minutes.
 */
const COMPARED = 200_000;
/** Resources of a type from which what a phase leaves behind is worth collecting before the next one begins. */
const LARGE = 50_000;

/** Checks a snapshot file. Resolves with what is wrong; rejects only when the file cannot be looked at at all. */
export async function verifySnapshotFile(options: VerifyOptions): Promise<VerifyReport> {
  const findings = createFindings();
  const resources = { Practitioner: 0, Organization: 0, PractitionerRole: 0 };
  await checkBytes(options, findings);
  // Only its size or checksum may differ: what is damaged by that is worth to know.
  const snapshot = opened(options, findings);
  if (snapshot === undefined) return { findings: findings.list(), resources, complete: false };
  try {
    const complete = await checkContent(snapshot, options, findings, resources);
    return { findings: findings.list(), resources, complete };
  } catch (error) {
    if (!isDamage(error)) throw error;
    findings.add('file', (error as Error).message);
    return { findings: findings.list(), resources, complete: false };
  } finally {
    snapshot.close();
  }
}

async function checkBytes({ file, expected, onProgress }: VerifyOptions, findings: Findings): Promise<void> {
  const { size } = statSync(file);
  if (size !== expected.bytes)
    findings.add('file', `it has ${size} bytes, and had ${expected.bytes} when it was loaded`);
  else if (expected.checksum !== undefined) {
    const checksum = await checksumOfFile(file, (read) =>
      onProgress?.({ phase: 'file', done: (read / size) * 0.5, resources: 0 }),
    );
    if (checksum !== expected.checksum) findings.add('file', 'its checksum is not that of the file that was loaded');
  }
}

function opened({ file }: VerifyOptions, findings: Findings): SnapshotFile | undefined {
  try {
    const snapshot = openSnapshotFile(file);
    // Every page is read once: as a part of our memory they would push out what is needed again.
    snapshot.database.pragma('mmap_size = 0');
    return snapshot;
  } catch (error) {
    findings.add('file', (error as Error).message);
    return undefined;
  }
}

/** Whether a fault of SQLite says that the file is damaged, rather than that it cannot be read now. */
function isDamage(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ|MISMATCH)/.test(code) || error instanceof RangeError;
}

async function checkContent(
  snapshot: SnapshotFile,
  { expected, rules, full = false, onProgress = () => {} }: VerifyOptions,
  findings: Findings,
  resources: VerifyReport['resources'],
): Promise<boolean> {
  const total = () => RESOURCE_TYPES.reduce((sum, type) => sum + resources[type], 0);
  if (snapshot.id !== expected.id) findings.add('file', `it is the snapshot ${snapshot.id}, not ${expected.id}`);
  let intact = true;
  const tables = snapshot.database
    .prepare<[], string>("select name from sqlite_schema where type = 'table'")
    .pluck()
    .all();
  for (const [at, table] of tables.entries()) {
    intact = checkTable(snapshot, table, findings) && intact;
    onProgress({ phase: 'file', done: 0.5 + ((at + 1) / tables.length) * 0.5, resources: 0 });
    await laterTurn();
  }
  // Pages that lead astray would only bring up the same damage again, in other words.
  if (!intact) return false;

  const created = Date.parse(
    snapshot.database.prepare<[], string>("select value from property where name = 'created'").pluck().get() ?? '',
  );
  const ids = {} as CheckContext['ids'];
  for (const type of RESOURCE_TYPES) {
    const { count } = snapshot.types[type];
    if (count !== expected.counts[type]) {
      findings.add('counts', `${type}: ${count}, and ${expected.counts[type]} when it was loaded`);
    }
    ids[type] = createKnownIds(count);
    /** Lets go of what the phase before has needed. */
    const letGo = () => {
      if (count >= LARGE) releaseMemory();
    };
    const every = full ? 1 : Math.ceil(count / COMPARED);
    const ledger = createLedger(count, FIELDS.length, every);
    const context: CheckContext = { snapshot, findings, rules, created, ids, ledger };
    for (const done of checkResources(context, type, positionsOf(context, type))) {
      resources[type] = done;
      onProgress({ phase: type, done: count === 0 ? 1 : done / count, resources: total() });
      await laterTurn();
    }
    letGo();
    for (const done of checkIndexes(context, type)) {
      onProgress({ phase: 'indexes', done, resources: total() });
      await laterTurn();
    }
    checkGone(context, type);
    letGo();
  }
  return true;
}

function checkTable({ database }: SnapshotFile, table: string, findings: Findings): boolean {
  const faults = database.prepare<[], string>(`pragma integrity_check("${table}")`).pluck().all();
  for (const line of faults) if (line !== 'ok') findings.add('file', line);
  return faults.every((line) => line === 'ok');
}

/** An id is there or gone, never both. */
function checkGone({ snapshot, findings, ids, created }: CheckContext, type: ResourceType): void {
  const rows = snapshot.database
    .prepare<[string], { id: string; version: number; since: number }>(
      'select id, version, since from gone where type = ?',
    )
    .iterate(type);
  for (const { id, version, since } of rows) {
    if (ids[type].has(id)) findings.add('gone', `${type}/${id} is there, and said to be gone`);
    if (version < 1 || since > created) findings.add('gone', `${type}/${id}: gone since ${since}, version ${version}`);
  }
}
