// Verifies a snapshot file without changing it: its checksum, its structure (which SQLite checks), its numbers of resources, and the
// targets of its references.

import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openSnapshotFile, type SnapshotFile } from './read/reader.ts';
import { countIn, type ResourceRow } from './read/stored-resources.ts';
import { byType, RESOURCE_TYPES, type ResourceType } from './snapshot.ts';
import { decodeText } from './text-dictionary.ts';

/**
 * The kind of a finding. `file`: the size, checksum or structure of the file is wrong. `counts`: the file has another number of resources
 * than was imported. `reference`: a reference names a resource that the snapshot does not have.
 */
export type FindingKind = 'file' | 'counts' | 'reference';

interface Finding {
  kind: FindingKind;
  count: number;
  examples: string[];
}

interface VerifyOptions {
  file: string;
  /** The file as the registry describes it. `checksum` comes from `checksumOfFile`. */
  expected: { id: string; bytes: number; counts: Readonly<Record<ResourceType, number>>; checksum?: string };
  /**
   * Called while the file is checked. `done` is the share of the phase that is finished, from 0 to 1. `resources` is the number of
   * resources that were read so far.
   */
  onProgress?: (progress: { phase: 'file' | 'references'; done: number; resources: number }) => void;
}

export interface VerifyReport {
  /** The findings, in the order in which their kinds first occurred. A sound snapshot has none. */
  findings: Finding[];
  /** The numbers of resources in the file. */
  resources: Record<ResourceType, number>;
  /** True if everything was checked. In a damaged file, the references are not checked. */
  complete: boolean;
}

const EXAMPLES = 5;
const LONGEST_EXAMPLE = 300;
/** Bytes that are read at once. */
const BLOCK = 4 * 2 ** 20;
/** Number of resources between two yields to the event loop. */
const STEP = 2000;

const REFERENCES: readonly (readonly [type: ResourceType, elements: Readonly<Record<string, ResourceType>>])[] = [
  ['Organization', { partOf: 'Organization' }],
  ['PractitionerRole', { practitioner: 'Practitioner', organization: 'Organization' }],
];

/** Makes a checksum that is computed block by block. It has 256 bits of BLAKE2b in hexadecimal digits. */
export function createChecksum(): { update(block: Uint8Array): void; digest(): string } {
  const hash = createHash('blake2b512');
  return { update: (block) => void hash.update(block), digest: () => hash.digest('hex').slice(0, 64) };
}

/** Computes the checksum of a file. `onRead` gets the number of bytes that were read so far. */
export async function checksumOfFile(file: string, onRead: (bytes: number) => void = () => {}): Promise<string> {
  const checksum = createChecksum();
  let read = 0;
  for await (const block of createReadStream(file, { highWaterMark: BLOCK })) {
    checksum.update(block);
    read += block.length;
    onRead(read);
  }
  return checksum.digest();
}

/** Verifies a snapshot file. It resolves with the findings, and rejects only if the file cannot be read. */
export async function verifySnapshotFile(options: VerifyOptions): Promise<VerifyReport> {
  const findings: Finding[] = [];
  const add = (kind: FindingKind, example: string) => {
    const known = findings.find((one) => one.kind === kind);
    const finding = known ?? { kind, count: 0, examples: [] };
    if (!known) findings.push(finding);
    finding.count++;
    if (finding.examples.length < EXAMPLES) finding.examples.push(example.slice(0, LONGEST_EXAMPLE));
  };
  const report = { findings, resources: byType(() => 0) };
  await checkBytes(options, add);
  let snapshot: SnapshotFile | undefined;
  try {
    // A file with the wrong size or checksum is opened all the same, to find the damaged part.
    snapshot = openSnapshotFile(options.file);
    checkContent(snapshot, options, report.resources, add);
    if (findings.length > 0) return { ...report, complete: false };
    await checkReferences(snapshot, options, add);
    return { ...report, complete: true };
  } catch (error) {
    if (snapshot && !isDamage(error)) throw error;
    add('file', (error as Error).message);
    return { ...report, complete: false };
  } finally {
    snapshot?.close();
  }
}

type Add = (kind: FindingKind, example: string) => void;

async function checkBytes({ file, expected, onProgress }: VerifyOptions, add: Add): Promise<void> {
  const { size } = statSync(file);
  if (size !== expected.bytes) {
    add('file', `it has ${size} bytes, and had ${expected.bytes} when it was imported`);
    return;
  }
  if (expected.checksum === undefined) return;
  const progress = (read: number) => onProgress?.({ phase: 'file', done: read / size, resources: 0 });
  if ((await checksumOfFile(file, progress)) !== expected.checksum)
    add('file', 'its checksum is not that of the file that was imported');
}

function checkContent(
  { id, database }: SnapshotFile,
  { expected }: VerifyOptions,
  resources: VerifyReport['resources'],
  add: Add,
): void {
  if (id !== expected.id) add('file', `it is the snapshot ${id}, not ${expected.id}`);
  const lines = database.prepare<[], string>('pragma integrity_check').pluck().all();
  for (const line of lines) if (line !== 'ok') add('file', line);
  for (const type of RESOURCE_TYPES) {
    resources[type] = countIn(database, type);
    const count = expected.counts[type];
    if (resources[type] !== count) add('counts', `${type}: ${resources[type]}, and ${count} when it was imported`);
  }
}

async function checkReferences({ types }: SnapshotFile, { onProgress }: VerifyOptions, add: Add): Promise<void> {
  for (const [type, elements] of REFERENCES) {
    const { count, rowAt, texts } = types[type];
    for (let ordinal = 0; ordinal < count; ordinal++) {
      const { id, body } = rowAt(ordinal) as ResourceRow;
      const resource = JSON.parse(`{"id":0${decodeText(body, texts)}`);
      for (const [element, target] of Object.entries(elements)) {
        const to = targetOf(resource[element], target);
        if (to === undefined || types[target].find(to) !== undefined) continue;
        add('reference', `${type}/${id}.${element} leads to ${target}/${to}, which is not there`);
      }
      if (ordinal % STEP > 0) continue;
      onProgress?.({ phase: 'references', done: ordinal / count, resources: ordinal });
      await nextTurn();
    }
  }
}

/** Returns the id in a reference to a resource of this type; undefined for any other reference. */
function targetOf(value: { reference?: unknown } | undefined, target: ResourceType): string | undefined {
  const reference = value?.reference;
  if (typeof reference !== 'string' || !reference.startsWith(`${target}/`)) return undefined;
  return reference.slice(target.length + 1).split('/')[0];
}

/** Checks whether an error means that the file is damaged, and not that it cannot be read at the moment. */
function isDamage(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  const ofSqlite = /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ|MISMATCH)/.test(code);
  return ofSqlite || error instanceof RangeError || error instanceof SyntaxError;
}
