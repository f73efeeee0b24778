// Parses a large JSON file piece by piece and yields the selected values, so that the whole file is never in memory. Also finds flaws that
// a parser would hide: repeated members, and numbers that JavaScript writes in another way.

import { Tokenizer, TokenParser, TokenType } from '@streamparser/json';
import { ImportError } from '#import/collect/import-error.ts';

/** A member of the root object, or an element of one of its arrays. */
export interface JsonValue {
  /** Name of the member, or number of the element in its array, counted from 1. */
  key: string | number;
  value: unknown;
  flaws: JsonFlaws;
}

interface JsonSelection {
  /** Name of an array in the root object, or a function that recognises this name. The elements of this array are selected. */
  array: string | ((name: string) => boolean);
  /** Names of the members of the root object that are selected. */
  members?: readonly string[];
  /** Word for an element of the array, in messages. */
  unit: string;
}

/**
 * Maximum number of bytes that are read before the next selected value is complete. The limit is needed because each value is held in
 * memory while it is parsed.
 */
const LARGEST = 1 << 24;
/** Maximum nesting depth of objects and arrays. FHIR and FINESS have a depth of about ten. */
const DEEPEST = 100;

/** Yields the selected values of each chunk. Throws an `ImportError` if the file is not a single complete JSON text in UTF-8. */
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

/**
 * Opens the library's parser as its two parts: the tokenizer, and the token parser, which makes values from the tokens. `watch` sees each
 * token before the token parser does.
 */
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
      // A file that has the same member twice in its root object is refused, because the parser would read the two members as one.
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

/** Tells whether a value is an object. Returns false for arrays and null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Flaws of a JSON text. For each kind of flaw, only the first example is kept. */
export interface JsonFlaws {
  /** Name of a member that occurs twice in the same object. A parser would only keep the last value. */
  repeated?: string;
  /** A number with more digits than JavaScript can represent, so that a parser would change its value: 0.12345678901234567891. */
  beyond?: string;
  /** A number that JavaScript would write in another form, although a parser keeps its value: 1.00. */
  rewritten?: string;
}

type FlawWatch = ReturnType<typeof createFlawWatch>;

/** Makes a watch to which the tokens of a JSON text are given one by one. It collects the flaws. */
function createFlawWatch() {
  const names: (Set<string> | undefined)[] = [];
  let last = '';
  let found: JsonFlaws = {};
  return {
    open: (object: boolean) => void names.push(object ? new Set() : undefined),
    close: () => void names.pop(),
    /** Call this for each string. If the next token is a colon, the string was a name. */
    string(text: string): void {
      last = text;
    },
    /**
     * Call this for each colon. The last string was then the name of a member. Returns true if the same object already has a member of that
     * name.
     */
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
    /** Returns the flaws that were found since the last call, and forgets them. */
    take(): JsonFlaws {
      const taken = found;
      found = {};
      return taken;
    },
    /** Returns the number of objects and arrays that are not closed yet. */
    depth: () => names.length,
  };
}

/** Returns a text that is the same for all spellings of a number: its significant digits without zeros at the ends, and its exponent. */
function digitsOf(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

/** Returns the reason for leaving out an object with a repeated member. Undefined if no member is repeated. */
export function repeatedIssue({ repeated }: JsonFlaws): string | undefined {
  return repeated === undefined ? undefined : `the member "${repeated.slice(0, 40)}" stands twice in one object`;
}

/**
 * Matches signs of a possible flaw: blanks between a name and its colon, or a number that JavaScript may write in another way. If a string
 * contains such a text, the only effect is a needless search for flaws.
 */
const UNUSUAL = /"\s+:|(?:":|[[,])\s*-?\d+(?:[.eE]|\d{15})/;
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]|-?\d[\d.eE+-]*/gs;

/** Finds the flaws of a valid JSON text. `value` is the same text after parsing. */
export function flawsOf(text: string, value: unknown): JsonFlaws {
  // Most texts have no flaws. A quick check shows this: the text has no unusual numbers, and it has as many names as the parsed value has
  // members. If a name were repeated, the parsed value would have fewer members.
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

/** Counts the colons directly after a quote. Each member has one, but strings may contain more of them. */
function colonsOf(text: string): number {
  let count = 0;
  for (let at = text.indexOf('":'); at >= 0; at = text.indexOf('":', at + 2)) count++;
  return count;
}

/** Counts the members of all objects within a value. Uses a list instead of recursion, because objects may be nested deeply. */
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
