// First pass: puts every line of every source into the bucket of its person or structure. Lines about people are kept as bytes. Lines of
// FINESS, and lines of the mail register about structures, are split into cells. These lines of the mail register wait in a file of their
// own, because the owners of the mailboxes are known only after the second pass (`mailbox-owners.ts`).

import { isUtf8 } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import type { Collector } from '#import/collect/collector.ts';
import { cell } from '#import/collect/columns.ts';
import { ImportError } from '#import/collect/import-error.ts';
import { readBundle, readNdjson } from '#import/fhir/read-resources.ts';
import type { DepartmentAreas } from '#import/mapping/department-areas.ts';
import { finessId } from '#import/mapping/resource-ids.ts';
import type { Binding } from '#import/registers/bind-header.ts';
import { readFinessJson } from '#import/registers/finess-json-reader.ts';
import { F, type FinessTargets } from '#import/registers/finess-row.ts';
import { readFinessText } from '#import/registers/finess-text.ts';
import { M } from '#import/registers/person-columns.ts';
import type { Source } from '#import/registers/source.ts';
import { cleanText } from '#import/sources/clean-text.ts';
import { type ContentMeter, inWords, LONGEST_LINE, TOO_LONG } from '#import/sources/limits.ts';
import { cellBounds, eachLine, type LineBlock, lineBlocks } from '#import/sources/lines.ts';
import {
  bucketOfPerson,
  bucketOfResource,
  idCellOf,
  PERSON_RECORD,
  RESOURCE_RECORD,
  STRUCTURE_RECORD,
  type StructureSpill,
} from './buckets.ts';
import type { MailboxCandidates, MailboxRegister } from './mailbox-owners.ts';
import type { SpillFiles } from './spill-file.ts';
import { refuseHole, refuseTruncated, refuseWithoutCoordinates } from './truncation.ts';

/** BLAKE2b is used because it is three times as fast as SHA-256 on machines without instructions for SHA-256. */
const CHECKSUM = 'blake2b512';

interface ReadTargets {
  people: SpillFiles;
  structures: StructureSpill;
  mailboxes: MailboxRegister;
  mail: MailboxCandidates;
  areas: DepartmentAreas;
  /** Keys of the FINESS structures that were read. Each of them is counted for one file only. */
  counted: Set<string>;
  collector: Collector;
  meter: ContentMeter;
  /** Called with the number of bytes that were read from the disk, or with the number of lines that were read. The other number is 0. */
  onProgress(bytes: number, lines: number): void;
}

/** Reads a source to its end. Throws an `ImportError` if the source is damaged. */
export async function readSource(source: Source, targets: ReadTargets): Promise<void> {
  const stream = await source.input.open((bytes) => targets.onProgress(bytes, 0));
  const digest = createHash(CHECKSUM);
  const { form } = source.recognised;
  const content = measured(stream, source, digest, targets.meter);
  if (form) await JSON_READERS[form](content, source, jsonTargets(targets));
  else await readLines(content, source, targets);
  source.checksum = digest.digest('hex').slice(0, 64);
}

function jsonTargets(targets: ReadTargets): Parameters<typeof readBundle>[2] & Parameters<typeof readFinessJson>[2] {
  const { people, structures, onProgress } = targets;
  return {
    ...finessTargets(targets),
    onRead: (count) => onProgress(0, count),
    keepResource({ resourceType, id }, text, { file }, number) {
      if (resourceType === 'Organization')
        structures.add(id, STRUCTURE_RECORD.resource, [String(file), String(number), text]);
      else people.addText(bucketOfResource(resourceType, id, people.buckets), RESOURCE_RECORD, file, number, text);
    },
  };
}

function finessTargets(targets: ReadTargets): FinessTargets {
  const { collector } = targets;
  return { collector, keepStructure: keepStructureIn(targets), keepPosition: keepPositionIn(targets) };
}

/**
 * Maximum number of structures of one legal entity that are counted in the windows of lines (`collect/pairs.ts`). Any further structure
 * gets line 0, which belongs to no window. Otherwise a large entity would look like a shifted column, because all its structures may be odd
 * in the same way.
 */
const MOST_OF_ENTITY = 4;

/**
 * Returns a function that writes a structure of FINESS into its bucket. It also counts the structure for its file, unless an earlier file
 * has the same structure.
 */
function keepStructureIn({ structures, mail, counted }: ReadTargets): FinessTargets['keepStructure'] {
  let [last, ofEntity] = [0, 0];
  return (form, row, { report, file }, number) => {
    ofEntity = number === last ? ofEntity + 1 : 1;
    last = number;
    const id = finessId(cell(row, F.finess));
    const line = cell(row, F.line);
    const before = counted.size;
    const added = counted.add(`${line} ${id}`).size - before;
    report.parts ??= {};
    report.parts[line] = (report.parts[line] ?? 0) + added;
    structures.addReference(cell(row, F.legalFiness));
    mail.add(id, { siret: cell(row, F.siret), name: cell(row, F.name) || cell(row, F.shortName) });
    structures.add(id, STRUCTURE_RECORD[form], row, { file, line: ofEntity > MOST_OF_ENTITY ? 0 : number });
  };
}

function keepPositionIn({ structures, areas, collector }: ReadTargets): FinessTargets['keepPosition'] {
  return (form, finess, position, at) => {
    if (position === undefined) return;
    if (typeof position === 'string') return collector.warn(position, `${finess}, ${at}`);
    const { latitude, longitude } = position;
    areas.add(finess, position);
    structures.add(finessId(finess), STRUCTURE_RECORD.position, [form, latitude.toFixed(6), longitude.toFixed(6)]);
  };
}

const JSON_READERS = { ndjson: readNdjson, bundle: readBundle, 'finess-json': readFinessJson } as const;

/** Passes the chunks of a stream on. Counts their bytes and adds them to the checksum. */
async function* measured(
  stream: AsyncIterable<Buffer>,
  { input }: Source,
  digest: Hash,
  meter: ContentMeter,
): AsyncGenerator<Buffer> {
  let own = 0;
  for await (const chunk of stream) {
    own += chunk.length;
    await meter.count(input, chunk.length, own);
    digest.update(chunk);
    yield chunk;
  }
}

async function readLines(stream: AsyncIterable<Buffer>, source: Source, targets: ReadTargets): Promise<void> {
  const finess = finessTargets(targets);
  for await (const block of lineBlocks(stream)) {
    const before = source.report.lines;
    refuseHole(block, source);
    if (block.endless) throw endless(block, source);
    if (source.recognised.kind === 'finess') readFinessText(block, source, finess);
    else dealOut(block, source, targets);
    refuseTruncated(block, source);
    targets.onProgress(0, source.report.lines - before);
  }
  refuseWithoutCoordinates(source);
}

function endless({ bytes, firstLine }: LineBlock, { input }: Source): ImportError {
  const problem = `this line goes on for more than ${inWords(bytes.length)}: no register has such lines.`;
  return new ImportError({ file: input.name, line: firstLine }, problem, 'Take the file as published.');
}

const NOT_UTF8 = 'not UTF-8';
const NO_NATIONAL_ID = 'national identifier missing or malformed';

/**
 * Puts the lines of a block into the buckets of their people. Lines about mailboxes of structures go to `mailboxes`. Unusable lines are left
 * out.
 */
function dealOut(block: LineBlock, source: Source, { people, mailboxes, collector }: ReadTargets): void {
  const { recognised, report, file } = source;
  const binding = recognised.binding as Binding;
  const kind = PERSON_RECORD[recognised.kind as keyof typeof PERSON_RECORD];
  const ofMailboxes = kind === PERSON_RECORD.mailboxes;
  const idCell = idCellOf(binding, kind);
  eachLine(block, (start, end, line) => {
    if (line <= recognised.headerLines || start === end) return;
    report.lines++;
    const issue = keepLine(start, end, line);
    if (issue !== undefined) collector.leaveOut(report, line, issue);
  });

  /** Keeps a line. If the line is left out, returns the reason. */
  function keepLine(start: number, end: number, line: number): string | undefined {
    const { bytes, utf8 } = block;
    if (end - start > LONGEST_LINE) return TOO_LONG;
    if (!utf8 && !isUtf8(bytes.subarray(start, end))) return NOT_UTF8;
    if (ofMailboxes && !isPersonal(bytes, start, end, binding))
      return mailboxes.read(bytes.toString('utf8', start, end), binding, source, line);
    if (keepOfPerson(bytes, start, end, line)) return undefined;
    const cleaned = cleanedLine(bytes.toString('utf8', start, end));
    if (!keepOfPerson(cleaned, 0, cleaned.length, line)) return NO_NATIONAL_ID;
    collector.warn('invisible-character', `${report.name}, line ${line}`);
    return undefined;
  }

  /** Puts a line into the bucket of its person. Returns false if the line has no national identifier. */
  function keepOfPerson(bytes: Buffer, start: number, end: number, line: number): boolean {
    const bounds = cellBounds(bytes, start, end, idCell);
    if (!bounds || !isNationalId(bytes, bounds[0], bounds[1])) return false;
    people.add(bucketOfPerson(bytes, bounds[0], bounds[1], people.buckets), kind, file, line, bytes, start, end);
    return true;
  }
}

const cleanedLine = (text: string) => Buffer.from(cleanText(text, () => {}));

/** Tells whether a line of the mail register is about a person: it has the type PER, or it names no structure. */
function isPersonal(bytes: Buffer, start: number, end: number, { positions }: Binding): boolean {
  const textAt = (column: number) => {
    const bounds = cellBounds(bytes, start, end, positions[column] ?? 0);
    return bounds ? cleanText(bytes.toString('utf8', bounds[0], bounds[1]), () => {}).trim() : '';
  };
  return textAt(M.type).toUpperCase() === 'PER' || textAt(M.structureId) === '';
}

/** Tells whether the bytes are a national identifier: a digit, then at least three letters, digits, `/`, `.` or `-`. */
function isNationalId(bytes: Buffer, start: number, end: number): boolean {
  if (end - start < 4) return false;
  const first = bytes[start] ?? 0;
  if (first < 48 || first > 57) return false;
  for (let at = start + 1; at < end; at++) {
    const byte = bytes[at] ?? 0;
    const ok = (byte >= 45 && byte <= 57) || (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122);
    if (!ok) return false;
  }
  return true;
}
