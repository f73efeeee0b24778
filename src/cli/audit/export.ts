// `audit export`: prints the chain of the audit trail as lines of JSON, beginning at a given record. With `--follow`, it also prints new
// records as they come. `verifyFile` reads the lines of an exported file for `audit verify`.

import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { action, flag, option, type Values } from '#cli/support/command.ts';
import { withCurrentDatabase } from '#server/open-database.ts';
import type { Seals } from '#shared/crypto/seals.ts';
import { hygie, printNotice, Refusal, UsageError } from '#shared/operator-messages.ts';
import {
  type ChainEnds,
  type ChainedRow,
  type ChainHead,
  parseHead,
  readChain,
  readEnds,
} from '#store/audit/audit-chain.ts';
import { type AuditRecord, contentOf, recordOfRow } from '#store/audit/audit-events.ts';
import { type FollowedChain, followChain, missing } from '#store/audit/verify-trail.ts';
import type { Database } from '#store/database/connection.ts';
import { isTransient } from '#store/database/transient-errors.ts';

/** Milliseconds between two reads of the database for new records. */
const LOOK_EVERY = 1000;

const OPTIONS = {
  after: option('N', 'Begins after record N. With N:DIGEST, it refuses if record N has another digest.'),
  follow: flag('Also prints new records as they come, until it is stopped.'),
} as const;

export const exportAction = action({
  summary:
    'Prints the records as lines of JSON, oldest first, each with its number (sequence), its digest and that of the record before',
  options: OPTIONS,
  run: exportRecords,
});

async function exportRecords(values: Values<typeof OPTIONS>): Promise<void> {
  const after = values.after === undefined ? { sequence: 0 } : cursorOf(values.after);
  const progress: ExportProgress = { last: { sequence: 0, digest: '' }, ended: false };
  process.stdout.once('error', () => {
    progress.ended = true;
  });
  await withCurrentDatabase(async (database) => {
    progress.last = await startAfter(database, after);
    if (values.follow) await followRecords(database, progress);
    else await printRecords(database, progress);
  });
}

interface ExportProgress {
  /** The last record that was printed. The next one follows it. */
  last: ChainHead;
  /** True once standard output fails, because the program that reads the lines has ended. The export then ends too. */
  ended: boolean;
}

/** Prints new records as they come. While the database does not answer, waits for it. */
async function followRecords(database: Database, progress: ExportProgress): Promise<void> {
  let away = false;
  while (!progress.ended) {
    try {
      await printRecords(database, progress);
      away = false;
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (!away) printNotice('The database does not answer: waiting for it.');
      away = true;
    }
    if (!progress.ended) await setTimeout(LOOK_EVERY);
  }
}

/** Prints the records that the database has now. */
async function printRecords(database: Database, progress: ExportProgress): Promise<void> {
  for await (const rows of readChain(database, progress.last.sequence)) {
    for (const row of rows) {
      if (progress.ended) return;
      await printRecord(row, progress.last);
      progress.last = row;
    }
  }
}

async function printRecord(row: ChainedRow, before: ChainHead): Promise<void> {
  const gap = row.sequence !== before.sequence + 1;
  if (gap) printNotice(`Records ${before.sequence + 1} to ${row.sequence - 1} are gone. Why: ${hygie('audit verify')}`);
  if (!process.stdout.write(exportLine(row, gap ? null : before.digest))) await stdoutReady();
}

/** Resolves when standard output takes more text, or has failed. */
async function stdoutReady(): Promise<void> {
  await once(process.stdout, 'drain').catch(() => {});
}

/** The number of the record after which an export begins. The digest of that record is absent if the operator has not given it. */
type ExportCursor = Pick<ChainHead, 'sequence'> & Partial<ChainHead>;

function cursorOf(text: string): ExportCursor {
  if (/^\d{1,15}$/.test(text)) return { sequence: Number(text) };
  const head = parseHead(text);
  if (head) return head;
  throw new UsageError('--after is the number of a record, or number and digest: 12345:DIGEST.');
}

/**
 * Finds the record after which the export begins. Throws a `Refusal` if it does not exist, or has another digest than `after`. If it was
 * removed because it was older than `audit.keep`, the export begins with the first record that is left.
 */
async function startAfter(database: Database, after: ExportCursor): Promise<ChainHead> {
  const { head, pruned } = (await readEnds(database)) as ChainEnds;
  if (after.sequence > head.sequence) {
    throw new Refusal([
      `There is no record ${after.sequence}: the last one is ${head.sequence}.`,
      `Either its end was cut off (${hygie('audit verify --head N:DIGEST')}), or the number is of another database.`,
    ]);
  }
  const first = pruned.sequence + 1;
  if (after.sequence < pruned.sequence) {
    if (after.sequence > 0)
      printNotice(`Records up to ${pruned.sequence} were removed after audit.keep: the export begins with ${first}.`);
    return pruned;
  }
  const row = await database('audit_events').where({ sequence: after.sequence }).first('digest');
  const digest = after.sequence === pruned.sequence ? pruned.digest : row?.digest;
  if (digest === undefined) {
    throw new Refusal(`Record ${after.sequence} is gone. See: ${hygie('audit verify')}`);
  }
  if (after.digest !== undefined && after.digest !== digest) {
    throw new Refusal(`Record ${after.sequence} has another digest than the one given: the trail was rewritten.`);
  }
  return { sequence: after.sequence, digest };
}

/**
 * `previous` is the digest of the record before, so that each line can be checked without the other lines. It is null if the record before
 * was removed.
 */
interface ExportedRecord extends AuditRecord {
  sequence: number;
  previous: string | null;
  digest: string;
  seal?: string;
}

function exportLine(row: ChainedRow, previous: string | null): string {
  const { sequence, digest, seal } = row;
  const line: ExportedRecord = { sequence, ...recordOfRow(row), previous, digest, ...(seal !== null && { seal }) };
  return `${JSON.stringify(line)}\n`;
}

/**
 * Verifies the records of an exported file. The file may begin anywhere in the chain, so the digest of the record before its first one is
 * taken from its first line.
 */
export async function verifyFile(file: string, seals: Seals, known: ChainHead | undefined): Promise<FollowedChain> {
  const lines = readLines(file);
  const { value: first } = await lines.next();
  if (!first) throw new Refusal(`${file} holds no record.`);
  const { previous, row } = first;
  const start = previous === null ? undefined : { sequence: row.sequence - 1, digest: previous };
  const rows = async function* () {
    yield [row];
    for await (const line of lines) yield [line.row];
  };
  const chain = await followChain(rows(), { start, seals, known });
  const end = chain.last?.sequence ?? 0;
  if (known && known.sequence > end) chain.faults.push(missing(end + 1, known.sequence));
  return chain;
}

interface Line {
  previous: string | null;
  row: ChainedRow;
}

async function* readLines(file: string): AsyncGenerator<Line> {
  const input = createReadStream(file, 'utf8');
  let number = 0;
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      if (text === '') continue;
      const line = parseLine(text);
      if (!line) throw new Refusal(`${file}, line ${number} is not a record of audit export (cut off?).`);
      yield line;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new Refusal(`${file} cannot be read (${code}).`);
  }
}

function parseLine(text: string): Line | undefined {
  try {
    const {
      sequence,
      previous,
      digest,
      seal = null,
      ...record
    } = JSON.parse(text) as ExportedRecord & { seal: string | null };
    if (!Number.isSafeInteger(sequence) || sequence < 1 || typeof digest !== 'string') return undefined;
    return { previous, row: { ...contentOf(record), sequence, digest, seal } };
  } catch {
    return undefined;
  }
}
