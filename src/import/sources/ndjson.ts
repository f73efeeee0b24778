// Lines of an NDJSON file, still as bytes, and the parsing of a piece of JSON.

import { isUtf8 } from 'node:buffer';

/** A piece of a file, or the note that there was one too large to be taken. */
export interface JsonPiece {
  /** Number of the element or line, from 1. */
  number: number;
  /** Absent for a piece larger than the limit. */
  bytes?: Buffer;
}

const NEWLINE = 10;

/** The value of a piece, or why there is none. `limit`: bytes of the largest piece, as its reader set it. */
export function parsePiece({ bytes }: JsonPiece, limit: number): { value: unknown } | { fault: string } {
  if (!bytes) return { fault: `larger than ${limit >> 20} MiB` };
  if (!isUtf8(bytes)) return { fault: 'not UTF-8' };
  try {
    return { value: JSON.parse(bytes.toString('utf8')) };
  } catch {
    return { fault: 'not valid JSON' };
  }
}

/** Lines of an NDJSON file, empty ones left out, with their numbers; `finished` tells a line with its line break. */
export async function* jsonLines(
  stream: AsyncIterable<Buffer>,
  limit: number,
): AsyncGenerator<(JsonPiece & { finished: boolean })[]> {
  let parts: Buffer[] = [];
  let size = 0;
  let number = 1;
  const line = (finished: boolean): (JsonPiece & { finished: boolean })[] => {
    const bytes = trimmed(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts));
    const piece = { number, finished, ...(size <= limit && { bytes }) };
    const empty = size <= limit && bytes.length === 0;
    parts = [];
    size = 0;
    number++;
    return empty ? [] : [piece];
  };
  for await (const chunk of stream) {
    const lines: (JsonPiece & { finished: boolean })[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, end));
      lines.push(...line(true));
      from = end + 1;
    }
    take(chunk.subarray(from));
    if (lines.length > 0) yield lines;
  }
  const last = line(false);
  if (last.length > 0) yield last;

  function take(part: Buffer): void {
    size += part.length;
    if (size > limit) parts = [];
    else parts.push(part);
  }
}

function trimmed(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && isBlank(bytes[end - 1] as number)) end--;
  let from = 0;
  while (from < end && isBlank(bytes[from] as number)) from++;
  return bytes.subarray(from, end);
}

/** The stream without a byte-order mark. */
export async function* withoutMark(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of stream) {
    if (!head) {
      yield chunk;
      continue;
    }
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    if (head.length < 3) continue;
    yield head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? head.subarray(3) : head;
    head = undefined;
  }
  if (head && head.length > 0) yield head;
}

/** Blanks of JSON (RFC 8259, section 2). */
export function isBlank(byte: number): boolean {
  return byte === 32 || (byte <= 13 && (byte === NEWLINE || byte === 13 || byte === 9));
}
