// Reads FHIR sources: each resource of a Bundle or NDJSON file is validated and goes into its bucket.

import { isUtf8 } from 'node:buffer';
import type { BundleEntry } from 'fhir/r3.js';
import { ImportError } from '../import-error.ts';
import { bucketOfResource, RESOURCE_RECORD } from '../passes/person-bucket.ts';
import type { SpillFiles } from '../passes/spill-file.ts';
import { STRUCTURE_RECORD, type StructureSpill } from '../passes/structure-spill.ts';
import type { Collector } from '../publish/report.ts';
import { jsonValues } from '../sources/json-values.ts';
import { eachLine, lineBlocks } from '../sources/lines.ts';
import type { Source } from '../sources/sources.ts';
import type { DirectoryResource } from './index-entries.ts';
import { resourceIssue } from './validate.ts';

interface FhirTargets {
  people: SpillFiles;
  structures: StructureSpill;
  collector: Collector;
  /** Called with the number of resources read. */
  onRead(resources: number): void;
}

/** Bytes of the largest resource. */
const LARGEST = 1 << 20;
const TOO_LARGE = `larger than ${LARGEST >> 20} MiB`;
const DOWNLOAD = 'Download or export it again.';

/** Reads an NDJSON file: one resource per line. Throws an `ImportError` when it ends within a line. */
export async function readNdjson(
  stream: AsyncIterable<Buffer>,
  source: Source,
  { onRead, ...targets }: FhirTargets,
): Promise<void> {
  const { report, input } = source;
  for await (const block of lineBlocks(stream)) {
    const before = report.lines;
    eachLine(block, (start, end, number) => {
      const parsed = parseLine(block.bytes.subarray(start, end));
      if (parsed === undefined) return;
      if (parsed.issue !== undefined && block.unfinished && end - start <= LARGEST) {
        const problem = 'the file ends in the middle: it is truncated.';
        throw new ImportError({ file: input.name, line: number }, problem, DOWNLOAD);
      }
      report.lines++;
      const issue = parsed.issue ?? keep(parsed.value, number, source, targets);
      if (issue !== undefined) targets.collector.leaveOut(report, number, issue);
    });
    onRead(report.lines - before);
  }
}

/** The value of a line, or why it has none; nothing for an empty line. */
function parseLine(bytes: Buffer): { value?: unknown; issue?: string } | undefined {
  if (bytes.length > LARGEST) return { issue: TOO_LARGE };
  if (!isUtf8(bytes)) return { issue: 'not UTF-8' };
  const text = bytes.toString('utf8').trim();
  if (text === '') return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { issue: 'not valid JSON' };
  }
}

/** Reads a Bundle of any type but `history`. Throws an `ImportError` for a file that is not one whole Bundle. */
export async function readBundle(
  stream: AsyncIterable<Buffer>,
  source: Source,
  { onRead, ...targets }: FhirTargets,
): Promise<void> {
  const selection = { array: 'entry', members: ['resourceType', 'type', 'link'], unit: 'entry' };
  const root = new Map<string, unknown>();
  for await (const values of jsonValues(stream, source.input.name, selection)) {
    for (const { key, value } of values) {
      if (typeof key === 'string') root.set(key, value);
      else readEntry(value, key, source, targets);
    }
    onRead(values.length);
  }
  checkRoot(root, source, targets.collector);
}

function readEntry(value: unknown, number: number, source: Source, targets: Omit<FhirTargets, 'onRead'>): void {
  const entry = value as BundleEntry | null;
  // What a server says about its search is no part of the answer.
  if (entry?.search?.mode === 'outcome') return;
  source.report.lines++;
  let issue: string | undefined;
  if (entry?.request?.method === 'DELETE') issue = 'the entry asks for a deletion: an edition holds what there is';
  else if (entry?.resource === undefined) issue = 'entry without resource';
  else issue = keep(withOwnReferences(entry), number, source, targets);
  if (issue !== undefined) targets.collector.leaveOut(source.report, number, issue);
}

/** Puts a resource into its bucket; returns why it cannot be used, if so. */
function keep(
  value: unknown,
  number: number,
  { file, report }: Source,
  { people, structures }: Omit<FhirTargets, 'onRead'>,
): string | undefined {
  const issue = resourceIssue(value);
  if (issue !== undefined) return issue;
  const { meta, text: _text, ...resource } = value as DirectoryResource;
  // Neither is validated, and of `meta` one element is needed.
  const text = JSON.stringify({ ...resource, ...(meta && { meta: { lastUpdated: String(meta.lastUpdated) } }) });
  if (text.length > LARGEST) return TOO_LARGE;
  const { resourceType, id } = resource;
  report.parts ??= {};
  report.parts[resourceType] = (report.parts[resourceType] ?? 0) + 1;
  if (resourceType === 'Organization') {
    structures.add(id, STRUCTURE_RECORD.resource, [String(file), String(number), text]);
  } else {
    people.addText(bucketOfResource(resourceType, id, people.buckets), RESOURCE_RECORD, file, number, text);
  }
  return undefined;
}

const REFERENCES = ['partOf', 'practitioner', 'organization'];

/** References to the server that the Bundle comes from, by its `fullUrl`, become relative: they lead here now. */
function withOwnReferences({ fullUrl, resource }: BundleEntry): unknown {
  if (typeof fullUrl !== 'string' || typeof resource !== 'object' || resource === null) return resource;
  const { resourceType, id } = resource;
  const end = `/${resourceType}/${id}`;
  if (!fullUrl.endsWith(end)) return resource;
  const base = `${fullUrl.slice(0, -end.length)}/`;
  for (const element of REFERENCES) {
    const reference = (resource as unknown as Record<string, { reference?: unknown } | undefined>)[element];
    if (typeof reference?.reference !== 'string' || !reference.reference.startsWith(base)) continue;
    reference.reference = reference.reference.slice(base.length);
  }
  return resource;
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
