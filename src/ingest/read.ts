// Owns the first pass of an import: every line of every input is dealt out to the bucket of the person or structure it
// is about, still as bytes. Does not own what the lines become (`people.ts`, `structures.ts`).

import { isUtf8 } from 'node:buffer';
import { createHash, hash } from 'node:crypto';
import type { Binding } from './columns.ts';
import { IngestFault } from './fault.ts';
import type { FinessLines } from './finess-lines.ts';
import type { Input } from './inputs.ts';
import { promisesRegister, REGISTERS, type Recognised, type RegisterKind, recognise } from './kinds.ts';
import { cellBounds, eachLine, type LineBlock, lineBlocks } from './lines.ts';
import type { MailOwners } from './mail-owners.ts';
import { M } from './registers/mailbox.ts';
import type { Collector, FileReport } from './report.ts';
import { bucketOf, type Spool } from './spool.ts';

/** An input and what it was recognised as. */
export interface Source {
  input: Input;
  recognised: Recognised;
  report: FileReport;
  /** Number under which the spool knows it. */
  file: number;
  /** SHA-256 of the decompressed content, once it was read. */
  checksum: string;
}

/** Kinds of records about persons. */
export const PERSON_RECORD = { activities: 1, diplomas: 2, skills: 3, mailboxes: 4 } as const;

/** The mail register comes first, because which structures it asks for must be known when they pass by. */
const ORDER: readonly RegisterKind[] = ['mailboxes', 'finess', 'activities', 'skills', 'diplomas'];

const HEAD = 1 << 16;
const PIPE = 124;

/**
 * Recognises every input by its content. A named file that is no register is a fault, and so is one whose name promises
 * a register; other files of a folder are reported and left out.
 */
export async function recogniseInputs(inputs: readonly Input[], collector: Collector): Promise<Source[]> {
  const sources: Source[] = [];
  for (const input of inputs) {
    const head = await headOf(await input.open(() => {}));
    const recognised = recognise(input.name, head);
    if (!recognised) {
      if (input.named || promisesRegister(input.name)) throw notARegister(input.name, head);
      collector.warn('not-a-register', input.name);
      continue;
    }
    const { kind, edition, binding } = recognised;
    const report = { name: input.name, kind, ...(edition !== undefined && { edition }), lines: 0, leftOut: 0 };
    for (const { label, found } of binding?.drifted ?? []) {
      collector.warn('drifted-header', `${input.name}: "${found}" is taken for "${label}"`);
    }
    sources.push({ input, recognised, report, file: sources.length, checksum: '' });
  }
  refuseTwoEditions(sources);
  return sources.sort((a, b) => ORDER.indexOf(a.recognised.kind) - ORDER.indexOf(b.recognised.kind));
}

async function headOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= HEAD) break;
  }
  return Buffer.concat(chunks);
}

function notARegister(file: string, head: Buffer): IngestFault {
  const titles = Object.values(REGISTERS).map((register) => register.title);
  return new IngestFault(
    { file },
    head.length === 0 ? 'is empty.' : 'is no register that Hygie knows: its first line is the header of none.',
    `Known are ${titles.join(', ')}, plain, gzip or zip. Take the file as published.`,
  );
}

function refuseTwoEditions(sources: readonly Source[]): void {
  for (const { recognised, input } of sources) {
    const { kind, edition } = recognised;
    const other = sources.find(
      (source) =>
        source.recognised.kind === kind &&
        kind !== 'finess' &&
        source.recognised.edition !== undefined &&
        edition !== undefined &&
        source.recognised.edition < edition,
    );
    if (other) {
      throw new IngestFault(
        { file: input.name },
        `is of another edition than ${other.input.name} (${edition} and ${other.recognised.edition}).`,
        'Give the files of one edition only.',
      );
    }
  }
}

export interface ReadTargets {
  people: Spool;
  finess: FinessLines;
  mail: MailOwners;
  collector: Collector;
  /** Told of bytes consumed on disk and of lines read. */
  onProgress(bytes: number, lines: number): void;
}

/** Kinds and checksums of all sources: an edition that was loaded already is recognised by it. */
export function sourcesChecksum(sources: readonly Source[], settings: string): string {
  const parts = sources.map(({ recognised, checksum }) => `${recognised.kind} ${checksum}`).sort();
  return hash('sha256', [settings, ...parts].join('\n'), 'hex');
}

/** Reads one source to its end. Throws an `IngestFault` when it is damaged. */
export async function readSource(source: Source, targets: ReadTargets): Promise<void> {
  const stream = await source.input.open((bytes) => targets.onProgress(bytes, 0));
  const digest = createHash('sha256');
  for await (const block of lineBlocks(stream)) {
    digest.update(block.bytes);
    const before = source.report.lines;
    if (source.recognised.kind === 'finess') targets.finess.read(block, source);
    else dealOut(block, source, targets);
    if (block.unfinished) refuseTruncated(block, source);
    targets.onProgress(0, source.report.lines - before);
  }
  source.checksum = digest.digest('hex');
}

/** A last line without its line break is whole when it has all its cells. */
function refuseTruncated(block: LineBlock, { recognised, input, report }: Source): void {
  if (!recognised.binding) return;
  eachLine(block, (start, end) => {
    if (cellBounds(block.bytes, start, end, (recognised.binding?.cells ?? 1) - 1, PIPE)) return;
    throw new IngestFault(
      { file: input.name, line: report.lines + 1 },
      'the file ends in the middle of this line: it is truncated.',
      'Download it again.',
    );
  });
}

const NOT_UTF8 = 'not UTF-8';
const NO_NATIONAL_ID = 'national identifier missing or malformed';

function dealOut(block: LineBlock, source: Source, { people, mail, collector }: ReadTargets): void {
  const { recognised, report, file } = source;
  const binding = recognised.binding as Binding;
  const { bytes } = block;
  const kind = PERSON_RECORD[recognised.kind as keyof typeof PERSON_RECORD];
  const idCell = binding.positions[recognised.kind === 'mailboxes' ? M.nationalId : 2] ?? 2;
  const typeCell = kind === PERSON_RECORD.mailboxes ? (binding.positions[M.type] ?? 0) : -1;
  eachLine(block, (start, end, line) => {
    if (line <= recognised.headerLines || start === end) return;
    report.lines++;
    let fault: string | undefined;
    if (!block.utf8 && !isUtf8(bytes.subarray(start, end))) fault = NOT_UTF8;
    else if (typeCell >= 0 && !isPersonal(bytes, start, end, typeCell)) {
      fault = mail.read(bytes.toString('utf8', start, end), binding, source, line);
    } else {
      const bounds = cellBounds(bytes, start, end, idCell, PIPE);
      if (bounds && isNationalId(bytes, bounds[0], bounds[1])) {
        people.add(bucketOf(bytes, bounds[0], bounds[1], people.buckets), kind, file, line, bytes, start, end);
      } else fault = NO_NATIONAL_ID;
    }
    if (fault !== undefined) collector.leaveOut(report, line, fault);
  });
}

/** Whether a line of the mail register is about a person (type PER). */
function isPersonal(bytes: Buffer, start: number, end: number, typeCell: number): boolean {
  const bounds = cellBounds(bytes, start, end, typeCell, PIPE);
  return bounds !== undefined && bytes.toString('latin1', bounds[0], bounds[1]).trim().toUpperCase() === 'PER';
}

/** A digit, then at least three letters, digits, `/`, `.` or `-`. */
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
