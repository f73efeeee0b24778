// Splits a stream of bytes into lines, and lines into cells. The lines stay bytes, and the caller decodes a line when it needs the text.

import { isUtf8 } from 'node:buffer';

export interface LineBlock {
  bytes: Buffer;
  /** True if the whole block is valid UTF-8. If it is false, the reader must check each line. */
  utf8: boolean;
  /** Number of the block's first line, counted from 1. */
  firstLine: number;
  /** True if the file ends with this block and its last line has no line break. */
  unfinished: boolean;
  /** True if the block is only a part of a line, because the line is longer than about `LONGEST_PART` bytes. */
  endless: boolean;
}

/** The byte that separates the cells in registers of people. */
export const PIPE = 124;

const NEWLINE = 10;
/** Approximate maximum number of bytes of a single line that are held in memory. */
const LONGEST_PART = 1 << 22;
const BLANK = 32;

/** Yields blocks of whole lines, without the byte order mark of the file. The last line of the file may lack its line break. */
export async function* lineBlocks(stream: AsyncIterable<Buffer>): AsyncGenerator<LineBlock> {
  let rest: Buffer[] = [];
  let firstLine = 1;
  let first = true;
  for await (const chunk of stream) {
    const last = chunk.lastIndexOf(NEWLINE);
    if (last < 0) {
      rest.push(chunk);
      if (rest.length * chunk.length < LONGEST_PART) continue;
      // A very long line is passed on in parts, so that the reader can refuse it before it fills the memory.
      const bytes = Buffer.concat(rest.splice(0));
      yield { bytes, utf8: isUtf8(bytes), firstLine, unfinished: false, endless: true };
      continue;
    }
    let bytes: Buffer = Buffer.concat([...rest, chunk.subarray(0, last + 1)]);
    rest = last + 1 < chunk.length ? [chunk.subarray(last + 1)] : [];
    if (first) bytes = withoutMark(bytes);
    first = false;
    const block = { bytes, utf8: isUtf8(bytes), firstLine, unfinished: false, endless: false };
    firstLine += countLines(bytes);
    yield block;
  }
  let bytes: Buffer = Buffer.concat(rest);
  if (first) bytes = withoutMark(bytes);
  if (bytes.length > 0) yield { bytes, utf8: isUtf8(bytes), firstLine, unfinished: true, endless: false };
}

/** Calls `onLine` with the bounds of each line, without the line break, and with the number of the line. */
export function eachLine(block: LineBlock, onLine: (start: number, end: number, line: number) => void): void {
  const { bytes } = block;
  let line = block.firstLine;
  for (let start = 0; start < bytes.length; line++) {
    const found = bytes.indexOf(NEWLINE, start);
    const next = found < 0 ? bytes.length : found;
    const end = next > start && bytes[next - 1] === 13 ? next - 1 : next;
    onLine(start, end, line);
    start = next + 1;
  }
}

/**
 * Returns the bounds of a cell of a line, without the blanks around its text. The first cell has index 0. Undefined if the line has too few
 * cells.
 */
export function cellBounds(bytes: Buffer, start: number, end: number, index: number): [number, number] | undefined {
  let from = start;
  let at = start;
  for (let left = index; left > 0; left--) {
    while (at < end && bytes[at] !== PIPE) at++;
    if (at >= end) return undefined;
    from = ++at;
  }
  while (at < end && bytes[at] !== PIPE) at++;
  while (from < at && bytes[from] === BLANK) from++;
  while (from < at && bytes[at - 1] === BLANK) at--;
  return [from, at];
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
