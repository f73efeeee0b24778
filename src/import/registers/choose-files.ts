// Chooses the files of one edition: from each folder, the newest file of each register. Files of one register with different dates are
// never imported together.

import { createHash } from 'node:crypto';
import { ImportError } from '#import/collect/import-error.ts';
import type { Warn } from '#import/collect/warnings.ts';
import { compareDates, type EditionDate, editionDate } from '#import/sources/edition-date.ts';
import type { Input } from '#import/sources/input.ts';
import { nameWithoutDate, newestOf, warnOfPassedOver } from '#import/sources/newest-editions.ts';
import type { Recognised } from './source.ts';

/** An input that was recognised as a register. */
export interface Candidate {
  input: Input;
  recognised: Recognised;
  /** First bytes of the content. */
  head: Buffer;
}

type DatedCandidate = Candidate & EditionDate;

const HEAD_OF_TEXT = 4096;

/**
 * Returns the files to import, each with its date. From each folder or archive, it takes the newest edition of each register and warns
 * about the older ones. Of several copies of a file, it returns one. Throws an `ImportError` in three cases: a file has an impossible date,
 * the operator gave two editions of a register, or a register has several files of which one has no date.
 */
export async function oneEdition(candidates: readonly Candidate[], warn: Warn): Promise<DatedCandidate[]> {
  const dated = candidates.map((candidate) => ({
    ...candidate,
    ...editionDate(candidate.recognised.edition, candidate.input.names),
  }));
  const chosen = new Set<DatedCandidate>();
  for (const group of Map.groupBy(dated, registerOf).values()) {
    const taken: DatedCandidate[] = [];
    for (const given of Map.groupBy(group, ({ input }) => input.given).values()) {
      const choice = newestOf(given);
      warnOfPassedOver(choice, ({ input }) => input.name, warn);
      taken.push(...choice.taken);
    }
    for (const one of taken) refuseFault(one);
    const distinct = await withoutCopies(taken, warn);
    refuseTwoEditions(distinct);
    for (const one of distinct) {
      if (one.conflict !== undefined) warn('other-date', `${one.input.name}: ${one.conflict}`);
      chosen.add(one);
    }
  }
  return dated.filter((one) => chosen.has(one));
}

/**
 * Returns the name of the register to which an input belongs. Each kind of FINESS text file is a register with a date of its own, and
 * FINESS JSON is another register. FHIR files can contain anything, so they are grouped by name: if names differ only by a date, the files
 * are editions of one register.
 */
function registerOf({ recognised, head, input }: Candidate): string {
  const { kind, form, headerLines } = recognised;
  if (kind === 'fhir') return `fhir ${nameWithoutDate(input.names[0] ?? '')}`;
  if (kind !== 'finess') return kind;
  if (form !== undefined) return `finess ${form}`;
  const line = head.toString('latin1', 0, HEAD_OF_TEXT).split('\n')[headerLines] ?? '';
  return `finess ${/[a-z]+/.exec(line)?.[0]}`;
}

function refuseFault({ input, fault }: DatedCandidate): void {
  if (fault === undefined) return;
  throw new ImportError(
    { file: input.name },
    `cannot be an edition: ${fault}.`,
    'Take the file as published, under its own name; or correct the name.',
  );
}

/** Leaves out files with the same content as another file. Of several copies, one with a date is kept if there is any. */
async function withoutCopies(files: readonly DatedCandidate[], warn: Warn): Promise<DatedCandidate[]> {
  const kept: { file: DatedCandidate; checksum?: string }[] = [];
  const dated = files.filter(({ date }) => date !== undefined);
  const newestFirst = dated.sort((a, b) => compareDates(b.date ?? '', a.date ?? ''));
  for (const file of [...newestFirst, ...files.filter(({ date }) => date === undefined)]) {
    const entry: (typeof kept)[number] = { file };
    // FHIR files are not compared with each other, because repeated resources are recognised by their ids later.
    const alike = file.recognised.kind === 'fhir' ? [] : kept.filter((other) => other.file.head.equals(file.head));
    if (alike.length > 0) entry.checksum = await checksumOf(file.input);
    for (const other of alike) other.checksum ??= await checksumOf(other.file.input);
    const original = alike.find(({ checksum }) => checksum === entry.checksum);
    if (original) warn('repeated-file', `${file.input.name}, as ${original.file.input.name}`);
    else kept.push(entry);
  }
  return kept.map((entry) => entry.file);
}

async function checksumOf(input: Input): Promise<string> {
  const digest = createHash('blake2b512');
  for await (const chunk of await input.open(() => {}, false)) digest.update(chunk);
  return digest.digest('hex');
}

/**
 * Throws an `ImportError` unless all files of one register belong to one edition. They do if all have the same date, or if all are FHIR
 * files without a date.
 */
function refuseTwoEditions(files: readonly DatedCandidate[]): void {
  const [first] = files;
  if (!first || files.length === 1) return;
  const undated = files.find(({ date }) => date === undefined);
  const dated = files.filter(({ date }) => date !== undefined);
  if (undated && (dated.length > 0 || undated.recognised.kind !== 'fhir')) {
    const other = files.find((file) => file !== undated) ?? first;
    throw new ImportError(
      { file: undated.input.name },
      `is of the same register as ${other.input.name}, and which is newer is unclear: its name has no date.`,
      'Leave one of them, or name them as they are published (..._YYYYMMDDhhmm.txt).',
    );
  }
  const other = dated.find(({ date }) => compareDates(date ?? '', first.date ?? '') !== 0);
  if (!other) return;
  throw new ImportError(
    { file: first.input.name },
    `is of another edition than ${other.input.name} (${first.date} and ${other.date}).`,
    'Give the files of one edition; of those in one folder, the newest are taken.',
  );
}
