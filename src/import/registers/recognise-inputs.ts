// Turns the inputs into the sources of one edition: recognises the register of each input, chooses the inputs of one edition, and sorts
// them.

import type { Collector, FileReport } from '#import/collect/collector.ts';
import type { RegisterKind } from '#import/collect/columns.ts';
import { ImportError } from '#import/collect/import-error.ts';
import type { Input } from '#import/sources/input.ts';
import { type Candidate, oneEdition } from './choose-files.ts';
import { looksLikeJson, recognise } from './recognise.ts';
import { promisedRegister, promisesRegister, REGISTERS } from './register-kinds.ts';
import type { Recognised, Source } from './source.ts';

/**
 * The order in which registers are read. The mail register comes first, because it names structures by their identifiers. These identifiers
 * must be known when the other registers are read, so that the structures that have them can be collected.
 */
const ORDER: readonly RegisterKind[] = ['mailboxes', 'finess', 'activities', 'skills', 'diplomas', 'fhir'];

/** The unit in which the content of a source is counted. Undefined means lines. */
const UNITS: Readonly<Record<NonNullable<Recognised['form']>, FileReport['unit']>> = {
  ndjson: undefined,
  bundle: 'entry',
  'finess-json': 'legal entity',
};

const HEAD = 1 << 16;
/**
 * Recognises the register of every input by its content, and returns the inputs of one edition as sources. A file that is no register
 * causes an `ImportError` if the operator named the file, or if its name looks like that of a register. Any other such file of a folder
 * gives a warning and is left out. `incoming` are the names of files that were left out because they are still being written.
 */
export async function recogniseInputs(
  inputs: readonly Input[],
  collector: Collector,
  incoming: readonly string[] = [],
): Promise<Source[]> {
  const candidates: Candidate[] = [];
  const others: OtherFile[] = [];
  for (const input of inputs) {
    const head = await headOf(await input.open(() => {}, false));
    const recognised = recognise(input.name, head);
    if (!recognised) {
      const refusal = new ImportError({ file: input.name }, ...faultOf(head));
      if (input.named || promisesRegister(input.name)) throw refusal;
      others.push({ name: input.name, refusal, packed: packingOf(head) !== undefined });
      collector.warn('not-a-register', input.name);
      continue;
    }
    for (const { label, found } of recognised.binding?.drifted ?? []) {
      collector.warn('drifted-header', `${input.name}: "${found}" is taken for "${label}"`);
    }
    candidates.push({ input, recognised, head });
  }
  if (candidates.length === 0) throw nothingToRead(others, incoming.find(promisedRegister));
  const chosen = await oneEdition(candidates, collector.warn);
  for (const { input } of chosen) await input.check();
  const sources = chosen.map(({ input, recognised, date }, file) => {
    const { kind, form } = recognised;
    const unit = form === undefined ? undefined : UNITS[form];
    const report: FileReport = {
      name: input.name,
      kind,
      ...(date !== undefined && { edition: date }),
      lines: 0,
      leftOut: 0,
      ...(input.publishedIn.length > 0 && { comparedWith: input.publishedIn }),
      ...(unit && { unit }),
    };
    return { input, recognised, report, file, checksum: '' };
  });
  return sources.sort((a, b) => ORDER.indexOf(a.recognised.kind) - ORDER.indexOf(b.recognised.kind));
}

interface OtherFile {
  name: string;
  /** The error that tells why the file is no register. */
  refusal: ImportError;
  packed: boolean;
}

const LISTED = 5;

/**
 * Makes the error for the case that none of the inputs is a register. A file that is the only input, or that is packed, was probably meant
 * to be a register. If there is such a file, the error about this file is returned.
 */
function nothingToRead(others: readonly OtherFile[], unfinished: string | undefined): ImportError {
  const [only] = others;
  const telling = others.length === 1 ? only : others.find(({ packed }) => packed);
  if (telling) return telling.refusal;
  const names = others.slice(0, LISTED).map(({ name }) => name);
  if (others.length > LISTED) names.push(`${others.length - LISTED} more`);
  const waiting = unfinished === undefined ? '' : ` ${unfinished} is still being written, by its name.`;
  const problem = only
    ? `None of these is a register that Hygie knows: ${names.join(', ')}.`
    : 'There is no file to read.';
  return new ImportError({}, problem + waiting, 'Give the files of the public extractions, or folders that hold them.');
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

/** Returns why a file is no register, and what the operator can do. */
function faultOf(head: Buffer): [problem: string, remedy: string] {
  if (isUtf16(head))
    return ['is UTF-16, not UTF-8.', 'Take the file as published, or convert it: iconv -f UTF-16 -t UTF-8.'];
  const packing = packingOf(head);
  if (packing !== undefined)
    return [
      `is packed by ${packing}, which Hygie does not open here.`,
      'Unpack it, and give its files: plain, or each of them packed once, by gzip or zip.',
    ];
  if (looksLikeJson(head))
    return [
      'is JSON, but neither FHIR nor FINESS: it has no "resourceType", "entry" or "pmej" at its root.',
      'Take the file as published; if its layout has changed, Hygie needs an update.',
    ];
  const titles = Object.values(REGISTERS).map((register) => register.title);
  return [
    head.length === 0 ? 'is empty.' : 'is not a register that Hygie knows: its first line is not the header of any.',
    `Known are ${titles.join(', ')}, plain, gzip or zip. Take the file as published.`,
  ];
}

/**
 * Formats of packed files that may be found as the content of an input. Hygie opens gzip and zip only once, so a content in one of these
 * two formats was packed twice. Hygie opens none of the other formats. Each format has a name and its magic bytes, with their position if
 * it is not 0.
 */
const PACKINGS: readonly (readonly [name: string, bytes: string, at?: number])[] = [
  ['zip', 'PK\x03\x04'],
  ['gzip', '\x1f\x8b'],
  ['7-Zip', "7z\xbc\xaf'\x1c"],
  ['RAR', 'Rar!\x1a\x07'],
  ['xz', '\xfd7zXZ\x00'],
  ['Zstandard', '\x28\xb5\x2f\xfd'],
  ['bzip2', 'BZh'],
  ['tar', 'ustar', 257],
];

function packingOf(head: Buffer): string | undefined {
  return PACKINGS.find(([, bytes, at = 0]) => head.toString('latin1', at, at + bytes.length) === bytes)?.[0];
}

/** Recognises UTF-16 by its byte order mark. Without a mark, nearly every second byte must be zero, as in texts with Latin letters. */
function isUtf16(head: Buffer): boolean {
  if (head.length < 4) return false;
  if ([0xfffe, 0xfeff].includes(head.readUInt16BE(0))) return true;
  const sample = head.subarray(0, 200);
  const zeros = (from: number) => sample.filter((byte, at) => at % 2 === from && byte === 0).length;
  return Math.max(zeros(0), zeros(1)) > 0.4 * sample.length && Math.min(zeros(0), zeros(1)) === 0;
}
