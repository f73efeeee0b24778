// Verifies a snapshot file: its checksum and structure, every resource and its references, and its index, by rebuilding
// that from the resources. Reads only.

import { statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LIST_LIMITS, type ListLimits } from '../file-layout.ts';
import { openSnapshotFile, type SnapshotFile } from '../read/reader.ts';
import { releaseMemory } from '../release-memory.ts';
import { RESOURCE_TYPES, type ResourceType } from '../snapshot.ts';
import { partialFile, removePartialFile } from '../write/builder.ts';
import { type CheckContext, checkGone, checkResources, type ResourceRules } from './check-resources.ts';
import { checksumOfFile } from './file-checksum.ts';
import { createFindings, type Finding, type Findings } from './findings.ts';
import { createKnownIds } from './known-ids.ts';
import { compareIndex, type IndexRebuild, rebuildIndex } from './rebuild-index.ts';

interface VerifyOptions {
  file: string;
  /** What the registry knows of the file; `checksum` as of `checksumOfFile`. */
  expected: { id: string; bytes: number; counts: Readonly<Record<ResourceType, number>>; checksum?: string };
  rules: ResourceRules;
  /** Rebuild the index even if the checksum shows that the file is the one that was written. */
  full?: boolean;
  onProgress?: (progress: VerifyProgress) => void;
  /** For tests: those with which the snapshot was written. */
  limits?: Partial<ListLimits>;
}

interface VerifyProgress {
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
  /** An earlier release folded its words otherwise: its indexes could not be compared with rebuilt ones. */
  otherFolding?: true;
}

/** Resources between two yields to the event loop. */
const STEP = 2000;
/** Resources of a type from which what a phase leaves behind is worth collecting before the next one begins. */
const LARGE = 50_000;

/** Verifies a snapshot file. Resolves with what is wrong; rejects only when the file cannot be looked at at all. */
export async function verifySnapshotFile(options: VerifyOptions): Promise<VerifyReport> {
  const findings = createFindings();
  const resources = { Practitioner: 0, Organization: 0, PractitionerRole: 0 };
  const asWritten = await checkBytes(options, findings);
  // A file of another size or checksum is read all the same: which part is damaged is worth knowing.
  const snapshot = opened(options, findings);
  if (snapshot === undefined) return { findings: findings.list(), resources, complete: false };
  try {
    const wanted = options.full === true || !asWritten;
    const rebuild = wanted && snapshot.sameFolding;
    const complete = await checkContent(snapshot, { ...options, rebuild }, findings, resources);
    return { findings: findings.list(), resources, complete, ...(wanted && !rebuild && { otherFolding: true }) };
  } catch (error) {
    if (!isDamage(error)) throw error;
    findings.add('file', (error as Error).message);
    return { findings: findings.list(), resources, complete: false };
  } finally {
    snapshot.close();
  }
}

/** Whether the checksum shows that the file is the one that was written. */
async function checkBytes({ file, expected, onProgress }: VerifyOptions, findings: Findings): Promise<boolean> {
  const { size } = statSync(file);
  if (size !== expected.bytes) {
    findings.add('file', `it has ${size} bytes, and had ${expected.bytes} when it was loaded`);
    return false;
  }
  if (expected.checksum === undefined) return false;
  const checksum = await checksumOfFile(file, (read) =>
    onProgress?.({ phase: 'file', done: (read / size) * 0.5, resources: 0 }),
  );
  if (checksum === expected.checksum) return true;
  findings.add('file', 'its checksum is not that of the file that was loaded');
  return false;
}

function opened({ file }: VerifyOptions, findings: Findings): SnapshotFile | undefined {
  try {
    // Not mapped: every page is read once, and would push out of memory what is needed again.
    return openSnapshotFile(file, { mapped: false });
  } catch (error) {
    findings.add('file', (error as Error).message);
    return undefined;
  }
}

/** Whether an error of SQLite means that the file is damaged, rather than that it cannot be read now. */
function isDamage(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ|MISMATCH)/.test(code) || error instanceof RangeError;
}

async function checkContent(
  snapshot: SnapshotFile,
  { expected, rules, onProgress = () => {}, ...options }: VerifyOptions & { rebuild: boolean },
  findings: Findings,
  resources: VerifyReport['resources'],
): Promise<boolean> {
  const { database } = snapshot;
  const total = () => RESOURCE_TYPES.reduce((sum, type) => sum + resources[type], 0);
  if (snapshot.id !== expected.id) findings.add('file', `it is the snapshot ${snapshot.id}, not ${expected.id}`);
  const tables = database.prepare<[], string>("select name from sqlite_schema where type = 'table'").pluck().all();
  let intact = true;
  for (const [at, table] of tables.entries()) {
    for (const line of database.prepare<[], string>(`pragma integrity_check("${table}")`).pluck().all()) {
      if (line === 'ok') continue;
      findings.add('file', line);
      intact = false;
    }
    onProgress({ phase: 'file', done: 0.5 + ((at + 1) / tables.length) * 0.5, resources: 0 });
    await nextTurn();
  }
  // Damaged pages would only bring up the same damage again, in other words.
  if (!intact) return false;

  const ids = {} as CheckContext['ids'];
  const context: CheckContext = { database, findings, rules, created: snapshot.created.getTime(), ids };
  for (const type of RESOURCE_TYPES) {
    const count = expected.counts[type];
    ids[type] = createKnownIds(count);
    const temporary = partialFile(options.file.replace(/\.sqlite$/, `-verify-${process.pid}.sqlite`));
    const rebuilt = options.rebuild ? startRebuild(temporary, type, options.limits) : undefined;
    try {
      for (const { resource, updated } of checkResources(context, type, snapshot.types[type].texts, count)) {
        resources[type]++;
        rebuilt?.add({ type, id: resource.id, ...rules.entriesOf(resource) }, updated);
        if (resources[type] % STEP > 0) continue;
        onProgress({ phase: type, done: Math.min(1, resources[type] / count), resources: total() });
        await nextTurn();
      }
      checkGone(context, type);
      if (rebuilt === undefined) continue;
      rebuilt.finish();
      for (const done of compareIndex({ snapshot: options.file, rebuilt: temporary }, type, findings)) {
        onProgress({ phase: 'indexes', done, resources: total() });
        await nextTurn();
      }
    } finally {
      rebuilt?.abandon();
      if (rebuilt) removePartialFile(temporary);
    }
    if (count >= LARGE) releaseMemory();
  }
  return true;
}

function startRebuild(file: string, type: ResourceType, limits: Partial<ListLimits> = {}): IndexRebuild {
  return rebuildIndex(file, type, { ...LIST_LIMITS, ...limits });
}
