// Splits a large JSON file into the elements of one array of the root object, still as bytes, without holding the file.

import { isBlank, type JsonPiece } from './ndjson.ts';

/** A member of the root object that is not one of the wanted arrays, when it is small. */
export interface RootMember {
  key: string;
  bytes: Buffer;
}

/** The file is no JSON object, or ends before it is closed. `element`: how many elements were whole before. */
export class JsonSyntaxError extends Error {
  override name = 'JsonSyntaxError';
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

/** Bytes of a root member that are kept; the wanted arrays are not members in this sense. */
const MEMBER_BYTES = 1 << 16;
const DEEPEST = 512;
const MOST_KEYS = 64;

/** What stands next at the level of the root object or of the wanted array. */
type Expected = 'root' | 'key' | 'colon' | 'value' | 'comma' | 'end';

/**
 * A splitter that is fed chunk by chunk. `push` returns the pieces and root members that the chunk completed. Throws a
 * `JsonSyntaxError` for a file that is not one JSON object. Inside of a piece only strings and brackets are looked at.
 */
export function createSplitter({ array, limit }: SplitOptions) {
  const open: number[] = [];
  const keys: string[] = [];
  let expected: Expected = 'root';
  let inArray = false;
  let inString = false;
  let escaped = false;
  let key = '';
  let elements = 0;
  /** What is being collected, the parts of it in earlier chunks, and where it begins in this one. */
  let collecting: 'key' | 'member' | 'element' | undefined;
  let parts: Buffer[] = [];
  let size = 0;
  let from = 0;
  let dropped = false;
  /** What the chunk at hand has completed. */
  let chunk: Buffer = Buffer.alloc(0);
  let pieces: JsonPiece[] = [];
  let members: RootMember[] = [];

  const fault = (text: string) => new JsonSyntaxError(text, elements);

  function begin(what: 'key' | 'member' | 'element', at: number): void {
    collecting = what;
    from = at;
    parts = [];
    size = 0;
    dropped = false;
  }

  /** Puts what was collected in this chunk aside, or drops it when it becomes too large. */
  function gather(end: number): void {
    size += end - from;
    if (size > (collecting === 'element' ? limit : MEMBER_BYTES)) {
      dropped = true;
      parts = [];
    }
    if (!dropped && end > from) parts.push(chunk.subarray(from, end));
    from = 0;
  }

  function collected(end: number): Buffer | undefined {
    gather(end);
    collecting = undefined;
    if (dropped) return undefined;
    const [only] = parts;
    return parts.length === 1 && only ? only : Buffer.concat(parts);
  }

  /** Ends the element or root member that is being collected. */
  function close(end: number): void {
    const what = collecting;
    const bytes = collected(end);
    if (what === 'element') pieces.push({ number: ++elements, ...(bytes && { bytes }) });
    else if (bytes) members.push({ key, bytes });
    expected = 'comma';
  }

  function withinString(byte: number, at: number): void {
    if (escaped) escaped = false;
    else if (byte === BACKSLASH) escaped = true;
    else if (byte === QUOTE) {
      inString = false;
      if (collecting !== 'key') return;
      key = textOf(collected(at + 1), fault);
      if (keys.length < MOST_KEYS) keys.push(key);
      expected = 'colon';
    }
  }

  function withinPiece(byte: number, at: number, level: number): void {
    if (byte === QUOTE) inString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (open.length >= DEEPEST) throw fault(`it is nested more than ${DEEPEST} levels deep`);
      open.push(byte);
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (open.pop() !== byte - 2) throw fault('its brackets do not match');
      if (open.length === level) close(at + 1);
    }
  }

  /** At the level of the root object or of the wanted array. */
  function betweenPieces(byte: number, at: number): void {
    if (collecting && (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY)) close(at);
    if (!collecting) NEXT[expected](byte, at);
    // A number or literal, or a text, that goes on.
    else if (byte === QUOTE) inString = true;
  }

  const NEXT: Readonly<Record<Expected, (byte: number, at: number) => void>> = {
    root(byte) {
      if (byte !== OPEN_OBJECT) throw fault('it is not a JSON object');
      open.push(byte);
      expected = 'key';
    },
    key(byte, at) {
      if (byte === CLOSE_OBJECT) endRoot();
      else if (byte !== QUOTE) throw fault('a name is missing');
      else {
        begin('key', at);
        inString = true;
      }
    },
    colon(byte) {
      if (byte !== COLON) throw fault(`a colon is missing behind "${key}"`);
      expected = 'value';
    },
    value(byte, at) {
      if (inArray && byte === CLOSE_ARRAY) endArray();
      else if (!inArray && key === array && byte === OPEN_ARRAY) {
        inArray = true;
        open.push(byte);
      } else if (byte === COMMA || byte === COLON || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        throw fault('a value is missing');
      } else {
        begin(inArray ? 'element' : 'member', at);
        if (byte === QUOTE) inString = true;
        if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) open.push(byte);
      }
    },
    comma(byte) {
      if (byte === COMMA) expected = inArray ? 'value' : 'key';
      else if (inArray && byte === CLOSE_ARRAY) endArray();
      else if (!inArray && byte === CLOSE_OBJECT) endRoot();
      else throw fault('a comma is missing');
    },
    end() {
      throw fault('something follows behind its end');
    },
  };

  function endArray(): void {
    inArray = false;
    open.pop();
    expected = 'comma';
  }

  function endRoot(): void {
    open.pop();
    expected = 'end';
  }

  return {
    /** Names of the root object met so far. */
    keys: keys as readonly string[],
    push(next: Buffer): { pieces: JsonPiece[]; members: RootMember[] } {
      chunk = next;
      pieces = [];
      members = [];
      from = 0;
      for (let at = 0; at < next.length; at++) {
        const byte = next[at] as number;
        if (inString) withinString(byte, at);
        else if (!isBlank(byte)) {
          const level = inArray ? 2 : 1;
          if (open.length > level) withinPiece(byte, at, level);
          else betweenPieces(byte, at);
        }
      }
      if (collecting) gather(next.length);
      return { pieces, members };
    },
    /** To be called at the end of the file. */
    end(): void {
      if (expected !== 'end') throw fault('it ends before it is closed: it is truncated');
    },
  };
}

function textOf(bytes: Buffer | undefined, fault: (text: string) => JsonSyntaxError): string {
  if (!bytes) throw fault('a name is too long');
  try {
    return JSON.parse(bytes.toString('utf8')) as string;
  } catch {
    throw fault('a name is not valid JSON');
  }
}
