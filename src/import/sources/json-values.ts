// Parses a large JSON file piece by piece, and returns selected values, without holding the whole file. Finds what a parser would change or
// choose without a word: repeated members, and numbers that JavaScript writes in another way.

import { Tokenizer, TokenParser, TokenType } from '@streamparser/json';
import { ImportError } from '#import/collect/import-error.ts';

/** A member of the root object, or an element of one of its arrays. */
export interface JsonValue {
  /** Name of the member, or number of the element (from 1). */
  key: string | number;
  value: unknown;
  flaws: JsonFlaws;
}

interface JsonSelection {
  /** Name of the array in the root object that holds the wanted elements, or a function that recognises this name. */
  array: string | ((name: string) => boolean);
  /** Members of the root object that are wanted. */
  members?: readonly string[];
  /** What an element is called in messages. */
  unit: string;
}

/** Maximum number of bytes between two selected values. Each value is held in memory while it is parsed. */
const LARGEST = 1 << 24;
/** Maximum number of objects and arrays inside each other. FHIR and FINESS have about ten. */
const DEEPEST = 100;

/** Yields the selected values of each chunk. Throws an `ImportError` for a file that is not one whole JSON text in UTF-8. */
export async function* jsonValues(
  stream: AsyncIterable<Buffer>,
  file: string,
  { array, members = [], unit }: JsonSelection,
): AsyncGenerator<JsonValue[]> {
  const byName = typeof array === 'string' ? undefined : array;
  const watch = createFlawWatch();
  const parser = openParser([`$.${byName ? '*' : array}.*`, ...members.map((member) => `$.${member}`)], watch);
  let values: JsonValue[] = [];
  let elements = 0;
  let pending = 0;
  let emitted = false;
  parser.values.onValue = ({ key, value, stack }) => {
    emitted = true;
    const flaws = watch.take();
    if (stack.length > 1 && byName?.(String(stack[1]?.key)) === false) return;
    values.push({ key: stack.length > 1 ? ++elements : String(key), value, flaws });
  };
  const refusal = (problem: string) =>
    new ImportError({ file }, `behind ${unit} ${elements}: ${problem}.`, 'Download or export it again.');

  for await (const chunk of stream) {
    try {
      parser.tokens.write(chunk);
    } catch (error) {
      throw refusal(`it is not valid JSON in UTF-8 (${(error as Error).message})`);
    }
    pending = emitted ? 0 : pending + chunk.length;
    emitted = false;
    if (pending > LARGEST) throw refusal(`the next one is larger than ${LARGEST >> 20} MiB`);
    yield values;
    values = [];
  }
  if (!parser.values.isEnded) throw refusal('it ends before it is closed: it is truncated');
}

/** Opens the library's parser as its two parts. Between them, `watch` sees the tokens. */
function openParser(paths: readonly string[], watch: FlawWatch): { tokens: Tokenizer; values: TokenParser } {
  class WatchedTokenizer extends Tokenizer {
    override parseNumber(text: string): number {
      watch.number(text);
      return super.parseNumber(text);
    }
  }
  const tokens = new WatchedTokenizer();
  const values = new TokenParser({ paths: [...paths], keepStack: false });
  tokens.onToken = (parsed) => {
    const { token, value } = parsed;
    if (token === TokenType.STRING) watch.string(String(value));
    else if (token === TokenType.COLON) {
      // A file with the same member twice in the root object is refused, because the two would be read as one.
      if (watch.colon() && watch.depth() === 1) throw new Error(`the member "${watch.take().repeated}" stands twice`);
    } else if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) {
      watch.open(token === TokenType.LEFT_BRACE);
      if (watch.depth() > DEEPEST) throw new Error(`more than ${DEEPEST} objects and arrays lie within each other`);
    } else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) watch.close();
    values.write(parsed);
  };
  values.onError = tokens.error.bind(tokens);
  values.onEnd = () => {
    if (!tokens.isEnded) tokens.end();
  };
  return { tokens, values };
}

/** Tells whether a value is an object, and no array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Flaws of a text. There is at most one example of each kind. */
export interface JsonFlaws {
  /** Name of a member that occurs twice in one object. A parser keeps the last one. */
  repeated?: string;
  /** A number to which a parser would give another value: 0.12345678901234567891. */
  beyond?: string;
  /** A number that keeps its value but changes its form: 1.00. */
  rewritten?: string;
}

type FlawWatch = ReturnType<typeof createFlawWatch>;

/** Makes a watch that sees the tokens of a JSON text, one after the other. */
function createFlawWatch() {
  const names: (Set<string> | undefined)[] = [];
  let last = '';
  let found: JsonFlaws = {};
  return {
    open: (object: boolean) => void names.push(object ? new Set() : undefined),
    close: () => void names.pop(),
    /** Takes a string. It is a name if a call of `colon` follows. */
    string(text: string): void {
      last = text;
    },
    /** Takes a colon, which makes the last string a name. Returns true if the same object had that name before. */
    colon(): boolean {
      const known = names.at(-1);
      const again = known?.has(last) === true;
      if (again) found.repeated ??= last;
      known?.add(last);
      return again;
    },
    number(text: string): void {
      const written = String(Number(text));
      if (written === text) return;
      if (digitsOf(written) === digitsOf(text)) found.rewritten ??= text;
      else found.beyond ??= text;
    },
    /** Returns the flaws that were found since the last call. */
    take(): JsonFlaws {
      const taken = found;
      found = {};
      return taken;
    },
    /** Returns the number of objects and arrays that are open. */
    depth: () => names.length,
  };
}

/** Returns the same text for numbers of equal value: the digits without leading and trailing zeros, and the position of the point. */
function digitsOf(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

/** Describes the fault if a member occurs twice in one object. */
export function repeatedIssue({ repeated }: JsonFlaws): string | undefined {
  return repeated === undefined ? undefined : `the member "${repeated.slice(0, 40)}" stands twice in one object`;
}

/** Matches a blank before a colon, or a number that may be written in another way. A match inside a string does no harm. */
const UNUSUAL = /"\s+:|(?:":|[[,])\s*-?\d+(?:[.eE]|\d{15})/;
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]|-?\d[\d.eE+-]*/gs;

/** Finds the flaws of a valid JSON text. `value` is the parsed text. */
export function flawsOf(text: string, value: unknown): JsonFlaws {
  // Most texts have no flaws. To know that, it is enough to count colons and members.
  if (!UNUSUAL.test(text) && colonsOf(text) === membersOf(value)) return {};
  const watch = createFlawWatch();
  for (const [token] of text.matchAll(TOKEN)) {
    const first = token.charAt(0);
    if (first === '"') watch.string(JSON.parse(token) as string);
    else if (first === ':') watch.colon();
    else if (first === '{' || first === '[') watch.open(first === '{');
    else if (first === '}' || first === ']') watch.close();
    else watch.number(token);
  }
  return watch.take();
}

/** Counts the colons that may follow a name. There are at least as many of them as members. */
function colonsOf(text: string): number {
  let count = 0;
  for (let at = text.indexOf('":'); at >= 0; at = text.indexOf('":', at + 2)) count++;
  return count;
}

/** Counts the members of all objects within a value. It uses no recursion, because objects may be nested deeply. */
function membersOf(value: unknown): number {
  let count = 0;
  const open: object[] = typeof value === 'object' && value !== null ? [value] : [];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const members: readonly unknown[] = Array.isArray(one) ? one : Object.values(one);
    if (members !== one) count += members.length;
    for (const member of members) if (typeof member === 'object' && member !== null) open.push(member);
  }
  return count;
}
