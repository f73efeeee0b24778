// Reads FHIR sources: each resource of a Bundle or NDJSON file is validated and goes into its bucket.

import { ImportError } from '../import-error.ts';
import { bucketOfResource, RESOURCE_RECORD } from '../passes/person-bucket.ts';
import type { SpillFiles } from '../passes/spill-file.ts';
import { STRUCTURE_RECORD, type StructureSpill } from '../passes/structure-spill.ts';
import type { Collector } from '../publish/report.ts';
import { createSplitter, JsonSyntaxError, type RootMember } from '../sources/json-stream.ts';
import { type JsonPiece, jsonLines, parsePiece, withoutMark } from '../sources/ndjson.ts';
import type { Source } from '../sources/sources.ts';
import type { DirectoryResource } from './index-entries.ts';
import { resourceIssue } from './validate.ts';

export interface FhirTargets {
  people: SpillFiles;
  structures: StructureSpill;
  collector: Collector;
  /** Told how many resources were read. */
  onRead(resources: number): void;
}

/** Bytes of the largest resource. */
const LARGEST = 1 << 20;
const DOWNLOAD = 'Download or export it again.';

/** Members of a Bundle that are looked at beside its entries. */
const OF_INTEREST: ReadonlySet<string> = new Set(['resourceType', 'type', 'link']);

/** An entry of a Bundle, as far as it is looked at. */
interface Entry {
  fullUrl?: unknown;
  resource?: unknown;
  request?: { method?: unknown };
  search?: { mode?: unknown };
}

/** Reads an NDJSON file: one resource per line. Throws an `ImportError` when it ends within a line. */
export async function readNdjson(
  stream: AsyncIterable<Buffer>,
  source: Source,
  { onRead, ...targets }: FhirTargets,
): Promise<void> {
  for await (const lines of jsonLines(withoutMark(stream), LARGEST)) {
    for (const line of lines) {
      const parsed = parsePiece(line, LARGEST);
      if ('fault' in parsed && !line.finished && line.bytes) throw truncated(source, `line ${line.number}`);
      source.report.lines++;
      const fault = 'fault' in parsed ? parsed.fault : keep(parsed.value, line.number, line.bytes, source, targets);
      if (fault !== undefined) targets.collector.leaveOut(source.report, line.number, fault);
    }
    onRead(lines.length);
  }
}

/** Reads a Bundle of any type but `history`. Throws an `ImportError` for a file that is not one whole Bundle. */
export async function readBundle(
  stream: AsyncIterable<Buffer>,
  source: Source,
  { onRead, ...targets }: FhirTargets,
): Promise<void> {
  const splitter = createSplitter({ array: 'entry', limit: LARGEST });
  const root = new Map<string, unknown>();
  try {
    for await (const chunk of withoutMark(stream)) {
      const { pieces, members } = splitter.push(chunk);
      for (const member of members) if (OF_INTEREST.has(member.key)) root.set(member.key, memberValue(member));
      for (const piece of pieces) readEntry(piece, source, targets);
      onRead(pieces.length);
    }
    splitter.end();
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new ImportError({ file: source.input.name }, `behind entry ${error.element}: ${error.message}.`, DOWNLOAD);
  }
  checkRoot(root, source, targets.collector);
}

function readEntry(piece: JsonPiece, source: Source, targets: Omit<FhirTargets, 'onRead'>): void {
  const parsed = parsePiece(piece, LARGEST);
  const entry = 'fault' in parsed ? undefined : (parsed.value as Entry | null);
  // What a server says of its search is no part of the answer.
  if (entry?.search?.mode === 'outcome') return;
  source.report.lines++;
  let fault = 'fault' in parsed ? parsed.fault : undefined;
  if (fault === undefined) {
    if (entry?.request?.method === 'DELETE') fault = 'the entry asks for a deletion: an edition holds what there is';
    else if (entry?.resource === undefined) fault = 'entry without resource';
    else fault = keep(withOwnReferences(entry), piece.number, undefined, source, targets);
  }
  if (fault !== undefined) targets.collector.leaveOut(source.report, piece.number, fault);
}

/** Puts a resource into its bucket; returns why it cannot be used, if so. `bytes`: its text, where it is at hand. */
function keep(
  value: unknown,
  number: number,
  bytes: Buffer | undefined,
  { file, report }: Source,
  { people, structures }: Omit<FhirTargets, 'onRead'>,
): string | undefined {
  const fault = resourceIssue(value);
  if (fault !== undefined) return fault;
  const { resourceType, id } = value as DirectoryResource;
  report.parts ??= {};
  report.parts[resourceType] = (report.parts[resourceType] ?? 0) + 1;
  const text = bytes ?? Buffer.from(JSON.stringify(value));
  if (resourceType === 'Organization') {
    structures.add(id, STRUCTURE_RECORD.resource, [String(file), String(number), text.toString('utf8')]);
  } else {
    const bucket = bucketOfResource(resourceType, id, people.buckets);
    people.add(bucket, RESOURCE_RECORD, file, number, text, 0, text.length);
  }
  return undefined;
}

const REFERENCES = ['partOf', 'practitioner', 'organization'];

/** References to the server that the Bundle comes from, as its `fullUrl` tells, become relative: they lead here now. */
function withOwnReferences({ fullUrl, resource }: Entry): unknown {
  if (typeof fullUrl !== 'string' || typeof resource !== 'object' || resource === null) return resource;
  const { resourceType, id } = resource as Record<string, unknown>;
  const end = `/${resourceType}/${id}`;
  if (!fullUrl.endsWith(end)) return resource;
  const base = `${fullUrl.slice(0, -end.length)}/`;
  for (const element of REFERENCES) {
    const reference = (resource as Record<string, { reference?: unknown } | undefined>)[element];
    if (typeof reference?.reference !== 'string' || !reference.reference.startsWith(base)) continue;
    reference.reference = reference.reference.slice(base.length);
  }
  return resource;
}

function memberValue({ bytes }: RootMember): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

function checkRoot(root: ReadonlyMap<string, unknown>, { input }: Source, collector: Collector): void {
  if (root.get('resourceType') !== 'Bundle') {
    throw new ImportError({ file: input.name }, 'is not a FHIR Bundle: its resourceType says otherwise.', DOWNLOAD);
  }
  if (root.get('type') === 'history') {
    throw new ImportError(
      { file: input.name },
      'is a Bundle of type history: it holds what was, too.',
      'Export what there is: a collection, a search, or NDJSON.',
    );
  }
  const links = root.get('link');
  if (Array.isArray(links) && links.some((link) => (link as { relation?: unknown })?.relation === 'next')) {
    collector.warn('further-pages', input.name);
  }
}

function truncated({ input }: Source, place: string): ImportError {
  return new ImportError({ file: input.name }, `${place}: the file ends in the middle: it is truncated.`, DOWNLOAD);
}
