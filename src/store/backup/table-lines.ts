// Writes and reads a table of a logical copy: a gzip file in which each line is a row as JSON.

import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';
import type { ChainedRow } from '#store/audit/audit-chain.ts';

/**
 * Maximum characters of a row, far more than any real row has. Without this limit, a small gzip file that unpacks to one line without end
 * would fill the memory.
 */
const LONGEST_LINE = 16 * 2 ** 20;

/** Bytes that are unpacked at once. */
const PIECE = 2 ** 20;

/** Writes lines to a new gzip file, batch by batch as they come. Resolves with the number of lines. */
export async function writeLines(file: string, batches: AsyncIterable<readonly string[]>): Promise<number> {
  let lines = 0;
  const text = async function* () {
    for await (const batch of batches) {
      lines += batch.length;
      if (batch.length > 0) yield `${batch.join('\n')}\n`;
    }
  };
  await pipeline(
    text,
    createGzip({ level: constants.Z_BEST_SPEED }),
    createWriteStream(file, { flags: 'wx', mode: 0o600 }),
  );
  return lines;
}

/** Reads the lines of a gzip file in batches. Throws if the file is truncated or damaged, or has a line that is too long. */
export async function* readLines(file: string): AsyncGenerator<string[]> {
  const source = createReadStream(file);
  // If a line is longer than a chunk, its beginning is copied again with each further chunk. So the chunks are large.
  const plain = createGunzip({ chunkSize: PIECE });
  source.once('error', (error) => plain.destroy(error));
  source.pipe(plain).setEncoding('utf8');
  let rest = '';
  try {
    for await (const text of plain) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > LONGEST_LINE) throw new Error(`${file} has a line without an end`);
      if (lines.length > 0) yield lines;
    }
  } finally {
    source.destroy();
  }
  if (rest !== '') throw new Error(`${file} ends in the middle of a line`);
}

/** Reads the file of the audit trail's table, in the order of its lines. Returns only the records in the hash chain. */
export async function* readChainLines(file: string): AsyncGenerator<ChainedRow[]> {
  for await (const lines of readLines(file)) {
    const rows = lines.map((line) => JSON.parse(line) as ChainedRow & { sequence: number | null });
    yield rows.filter(({ sequence }) => sequence !== null);
  }
}
