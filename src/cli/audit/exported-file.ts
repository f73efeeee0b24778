// Writes and reads the lines of `audit export`. Each line is a record with its number, the digest of the record before it, its own digest
// and its seal.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Seals } from '#shared/crypto/seals.ts';
import { Refusal } from '#shared/operator-messages.ts';
import type { ChainHead } from '#store/audit/audit-chain.ts';
import { type AuditRecord, contentOf, recordOfRow } from '#store/audit/audit-events.ts';
import type { ChainedRow } from '#store/audit/chain-reader.ts';
import { type FollowedChain, followChain, missing } from '#store/audit/verify-chain.ts';

/** `previous` is the digest of the record before, so that each line can be checked by itself. It is null if that record was removed. */
interface ExportedRecord extends AuditRecord {
  sequence: number;
  previous: string | null;
  digest: string;
  seal?: string;
}

export function exportLine(row: ChainedRow, previous: string | null): string {
  const { sequence, digest, seal } = row;
  const line: ExportedRecord = { sequence, ...recordOfRow(row), previous, digest, ...(seal !== null && { seal }) };
  return `${JSON.stringify(line)}\n`;
}

/**
 * Verifies the records of an exported file. The file may begin anywhere in the chain, so the digest before it is taken from its first line.
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
