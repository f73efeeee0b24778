// Owns the cutting of large JSON files into pieces without holding them: the elements of one array of the root object,
// and the lines of an NDJSON file. Every piece is still bytes.
// Does not own what a piece means, nor whether it is valid JSON within: who takes a piece parses it.

/** A piece of a file, or the note that there was one too large to be taken. */
export interface JsonPiece {
  /** Number of the element or line, from 1. */
  number: number;
  /** Absent for a piece larger than the limit. */
  bytes?: Buffer;
}

/** A member of the root object that is not one of the wanted arrays, when it is small. */
export interface RootMember {
  key: string;
  bytes: Buffer;
}

/** The file is no JSON object, or ends before it is closed. `element`: how many elements were whole before. */
export class JsonFault extends Error {
  override name = 'JsonFault';
  readonly element: number;

  constructor(fault: string, element: number) {
    super(fault);
    this.element = element;
  }
}

export interface SplitOptions {
  /** Name of the array of the root object whose elements are wanted. */
  array: string;
  /** Bytes of the largest piece. */
  limit: number;
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const NEWLINE = 10;

/** Bytes of a root member that are kept; the wanted arrays are not members in this sense. */
const MEMBER_BYTES = 1 << 16;
const DEEPEST = 512;
const MOST_KEYS = 64;

/** What stands next at the level of the root object or of the wanted array. */
type Expected = 'root' | 'key' | 'colon' | 'value' | 'comma' | 'end';

/**
 * A splitter that is fed chunk by chunk. `push` returns the pieces and root members that the chunk completed. Throws a
 * `JsonFault` for a file that is not one JSON object. Inside of a piece only strings and brackets are looked at.
 */
export function createSplitter({ array, limit }: SplitOptions) {
  let open: number[] = [];
  let expected: Expected = 'root';
  let inArray = false;
  let inString = false;
  let escaped = false;
  let key = '';
  /** What is being collected: a key, a root member, an element; the parts of earlier chunks, and where it began. */
  let collecting: 'key' | 'member' | 'element' | undefined;
  let parts: Buffer[] = [];
  let size = 0;
  let from = 0;
  let dropped = false;
  let elements = 0;
  const keys: string[] = [];

  const fault = (text: string) => new JsonFault(text, elements);

  function begin(what: 'key' | 'member' | 'element', at: number): void {
    collecting = what;
    from = at;
    parts = [];
    size = 0;
    dropped = false;
  }

  /** Puts what was collected in this chunk aside, or drops it when it becomes too large. */
  function gather(chunk: Buffer, end: number): void {
    size += end - from;
    if (size > (collecting === 'element' ? limit : MEMBER_BYTES)) {
      dropped = true;
      parts = [];
    }
    if (!dropped && end > from) parts.push(chunk.subarray(from, end));
    from = 0;
  }

  function collected(chunk: Buffer, end: number): Buffer | undefined {
    gather(chunk, end);
    collecting = undefined;
    if (dropped) return undefined;
    const [only] = parts;
    return parts.length === 1 && only ? only : Buffer.concat(parts);
  }

  return {
    /** Names of the root object met so far. */
    keys: keys as readonly string[],
    push(chunk: Buffer): { pieces: JsonPiece[]; members: RootMember[] } {
      const pieces: JsonPiece[] = [];
      const members: RootMember[] = [];
      from = 0;

      /** Ends the element or root member that is being collected. */
      const close = (end: number): void => {
        const what = collecting;
        const bytes = collected(chunk, end);
        if (what === 'element') pieces.push({ number: ++elements, ...(bytes && { bytes }) });
        else if (bytes) members.push({ key, bytes });
        expected = 'comma';
      };

      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at] as number;
        if (inString) {
          if (escaped) escaped = false;
          else if (byte === BACKSLASH) escaped = true;
          else if (byte === QUOTE) {
            inString = false;
            if (collecting === 'key') {
              key = textOf(collected(chunk, at + 1), fault);
              if (keys.length < MOST_KEYS) keys.push(key);
              expected = 'colon';
            }
          }
          continue;
        }
        if (isBlank(byte)) continue;
        const level = inArray ? 2 : 1;
        if (open.length > level) {
          // Inside of a piece.
          if (byte === QUOTE) inString = true;
          else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
            if (open.length >= DEEPEST) throw fault(`it is nested more than ${DEEPEST} levels deep`);
            open.push(byte);
          } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
            if (open.pop() !== byte - 2) throw fault('its brackets do not match');
            if (open.length === level) close(at + 1);
          }
          continue;
        }
        if (collecting && (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY)) close(at);
        if (collecting) {
          if (byte === QUOTE) inString = true;
          continue;
        }
        switch (expected) {
          case 'root':
            if (byte !== OPEN_OBJECT) throw fault('it is not a JSON object');
            open = [byte];
            expected = 'key';
            break;
          case 'key':
            if (byte === CLOSE_OBJECT) {
              open.pop();
              expected = 'end';
            } else if (byte === QUOTE) {
              begin('key', at);
              inString = true;
            } else throw fault('a name is missing');
            break;
          case 'colon':
            if (byte !== COLON) throw fault(`a colon is missing behind "${key}"`);
            expected = 'value';
            break;
          case 'value':
            if (!inArray && key === array && byte === OPEN_ARRAY) {
              inArray = true;
              open.push(byte);
            } else if (inArray && byte === CLOSE_ARRAY) {
              inArray = false;
              open.pop();
              expected = 'comma';
            } else if (byte === COMMA || byte === COLON || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
              throw fault('a value is missing');
            } else {
              begin(inArray ? 'element' : 'member', at);
              if (byte === QUOTE) inString = true;
              if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) open.push(byte);
            }
            break;
          case 'comma':
            if (byte === COMMA) expected = inArray ? 'value' : 'key';
            else if (byte === (inArray ? CLOSE_ARRAY : CLOSE_OBJECT)) {
              open.pop();
              expected = inArray ? 'comma' : 'end';
              inArray = false;
            } else throw fault('a comma is missing');
            break;
          case 'end':
            throw fault('something follows behind its end');
        }
      }
      if (collecting) gather(chunk, chunk.length);
      return { pieces, members };
    },
    /** To be called at the end of the file. */
    end(): void {
      if (expected !== 'end') throw fault('it ends before it is closed: it is truncated');
    },
  };
}

function textOf(bytes: Buffer | undefined, fault: (text: string) => JsonFault): string {
  if (!bytes) throw fault('a name is too long');
  try {
    return JSON.parse(bytes.toString('utf8')) as string;
  } catch {
    throw fault('a name is not valid JSON');
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

/** Blanks of JSON (RFC 8259, section 2). */
function isBlank(byte: number): boolean {
  return byte === 32 || (byte <= 13 && (byte === NEWLINE || byte === 13 || byte === 9));
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
