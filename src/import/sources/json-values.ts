// Parses a large JSON file piece by piece, and returns selected values, without holding the whole file.

import { Tokenizer, TokenParser, TokenType } from '@streamparser/json';
import { ImportError } from '#import/collect/import-error.ts';
import { createFlawWatch, type FlawWatch, type JsonFlaws } from './json-flaws.ts';

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
