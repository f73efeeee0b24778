// Reads FHIR sources: validates each resource of a Bundle or NDJSON file, and keeps the valid ones.

import { isUtf8 } from 'node:buffer';
import type { BundleEntry } from 'fhir/r3.js';
import type { Collector } from '#import/collect/collector.ts';
import { ImportError } from '#import/collect/import-error.ts';
import type { WarningKind } from '#import/collect/warnings.ts';
import type { Source } from '#import/registers/source.ts';
import { flawsOf, type JsonFlaws, jsonValues, repeatedIssue } from '#import/sources/json-values.ts';
import { eachLine, lineBlocks } from '#import/sources/lines.ts';
import { withoutInvisible } from '#search-index/index.ts';
import type { DirectoryResource } from './index-entries.ts';
import { cellsOf, RESOURCE_COLUMNS } from './resource-columns.ts';
import { resourceIssue } from './validate.ts';

interface FhirTargets {
  collector: Collector;
  /** Called with each valid resource. `text` is its JSON text. */
  keepResource(resource: DirectoryResource, text: string, source: Source, number: number): void;
  /** Called after each block of the file, with the number of resources in the block. */
  onRead(resources: number): void;
}

/** Maximum size of a resource, in bytes. */
const LARGEST = 1 << 20;
const TOO_LARGE = `larger than ${LARGEST >> 20} MiB`;
const DOWNLOAD = 'Download or export it again.';

/** Reads an NDJSON file, which has one resource per line. Throws an `ImportError` if the file ends in the middle of a line. */
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
      const issue = parsed.issue ?? keep(parsed, number, source, targets);
      if (issue !== undefined) targets.collector.leaveOut(report, number, issue);
    });
    onRead(report.lines - before);
  }
}

interface Parsed {
  value: unknown;
  flaws: JsonFlaws;
  /** Why there is no value: the text is too large, or is no JSON in UTF-8. */
  issue?: string;
}

const NOTHING = { value: undefined, flaws: {} };

/** Parses a line. Returns undefined for an empty one. */
function parseLine(bytes: Buffer): Parsed | undefined {
  if (bytes.length > LARGEST) return { ...NOTHING, issue: TOO_LARGE };
  if (!isUtf8(bytes)) return { ...NOTHING, issue: 'not UTF-8' };
  const text = bytes.toString('utf8').trim();
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return { value, flaws: flawsOf(text, value) };
  } catch {
    return { ...NOTHING, issue: 'not valid JSON' };
  }
}

/** Reads a Bundle of any type except `history`. Throws an `ImportError` for a file that is not one complete Bundle. */
export async function readBundle(
  stream: AsyncIterable<Buffer>,
  source: Source,
  { onRead, ...targets }: FhirTargets,
): Promise<void> {
  const selection = { array: 'entry', members: ['resourceType', 'type', 'link'], unit: 'entry' };
  const root = new Map<string, unknown>();
  for await (const values of jsonValues(stream, source.input.name, selection)) {
    for (const { key, value, flaws } of values) {
      if (typeof key === 'string') root.set(key, value);
      else readEntry({ value, flaws }, key, source, targets);
    }
    onRead(values.length);
  }
  checkRoot(root, source, targets.collector);
}

function readEntry(
  { value, flaws }: Parsed,
  number: number,
  source: Source,
  targets: Omit<FhirTargets, 'onRead'>,
): void {
  const entry = value as BundleEntry | null;
  // An entry with `search.mode` outcome is ignored: it is a server's report about its own search, and no resource of the edition.
  if (entry?.search?.mode === 'outcome') return;
  source.report.lines++;
  let issue: string | undefined;
  if (entry?.request?.method === 'DELETE') issue = 'the entry asks for a deletion, which an edition cannot hold';
  else if (entry?.resource === undefined) issue = 'entry without resource';
  else issue = keep({ value: withOwnReferences(entry), flaws }, number, source, targets);
  if (issue !== undefined) targets.collector.leaveOut(source.report, number, issue);
}

/** Keeps a resource if it is valid. Otherwise returns the reason why it cannot be used. */
function keep(
  { value, flaws }: Parsed,
  number: number,
  source: Source,
  { collector, keepResource }: Omit<FhirTargets, 'onRead'>,
): string | undefined {
  const issue = resourceIssue(value) ?? flawIssue(flaws);
  if (issue !== undefined) return issue;
  const { meta, text: _text, ...resource } = value as DirectoryResource;
  // `meta` and the narrative are not validated, so they are not kept. Only `meta.lastUpdated` is kept, because `deduplicate.ts` compares
  // it.
  const updated: unknown = meta?.lastUpdated;
  const text = JSON.stringify({ ...resource, ...(typeof updated === 'string' && { meta: { lastUpdated: updated } }) });
  if (text.length > LARGEST) return TOO_LARGE;
  const { report } = source;
  const { resourceType, id } = resource;
  for (const kind of oddities(resource as DirectoryResource, text, flaws))
    collector.warn(kind, `${resourceType}/${id}`);
  report.parts ??= {};
  report.parts[resourceType] = (report.parts[resourceType] ?? 0) + 1;
  const columns = RESOURCE_COLUMNS[resourceType];
  collector.columns.count(report.name, `fhir ${resourceType}`, columns, cellsOf(resource), number);
  keepResource(resource as DirectoryResource, text, source, number);
  return undefined;
}

function flawIssue(flaws: JsonFlaws): string | undefined {
  const { beyond } = flaws;
  if (beyond === undefined) return repeatedIssue(flaws);
  return `the number ${beyond.slice(0, 40)} has more digits than can be kept`;
}

const REFERENCES = ['partOf', 'practitioner', 'organization'];

/**
 * Makes references to the server of the Bundle relative, because this directory now serves the resources. The address of that server is the
 * beginning of `fullUrl`.
 */
function withOwnReferences({ fullUrl, resource }: BundleEntry): unknown {
  if (typeof fullUrl !== 'string' || typeof resource !== 'object' || resource === null) return resource;
  const { resourceType, id } = resource as { resourceType?: unknown; id?: unknown };
  if (typeof resourceType !== 'string' || typeof id !== 'string') return resource;
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
      'is a Bundle of type history, which also holds earlier versions.',
      'Export the current state: a collection, a search, or NDJSON.',
    );
  }
  const links = root.get('link');
  if (Array.isArray(links) && links.some((link) => (link as { relation?: unknown })?.relation === 'next')) {
    collector.warn('further-pages', input.name);
  }
}

// The rest of the file finds oddities of valid resources. A resource with an oddity is kept unchanged, and reported.

/** Maximum age of a person in a register, in years. Somebody older was probably given a wrong date of birth. */
const OLDEST = 130;

/** Returns the oddities of a valid resource. `text` is its JSON text. */
export function oddities(resource: DirectoryResource, text: string, { rewritten }: JsonFlaws): WarningKind[] {
  const kinds: WarningKind[] = [];
  if (rewritten !== undefined) kinds.push('rewritten-number');
  if (withoutInvisible(text) !== text) kinds.push('invisible-in-resource');
  if (resource.resourceType === 'Practitioner' && isImplausible(resource.birthDate))
    kinds.push('implausible-birth-date');
  return kinds;
}

/**
 * Tells whether a date of birth is implausible, although it is valid in STU3. The date of tomorrow is plausible, because in other time
 * zones the day begins earlier.
 */
function isImplausible(birthDate: string | undefined): boolean {
  if (birthDate === undefined) return false;
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  return (
    birthDate > tomorrow.slice(0, birthDate.length) ||
    Number(birthDate.slice(0, 4)) < Number(tomorrow.slice(0, 4)) - OLDEST
  );
}
