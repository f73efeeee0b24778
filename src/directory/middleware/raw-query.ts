// Parses the query of a request to pairs of name and value, and encodes pairs for links.

import type { IncomingMessage } from 'node:http';
import { fhirError, shownName } from '#directory/errors.ts';
import { LIMITS } from '#directory/limits.ts';
import type { DirectoryRequest } from './interaction.ts';

/**
 * The query as sent; each character stands for one byte. Express's own parser is not used, because it would lose repeated parameters, and
 * bytes that are not UTF-8.
 */
export function unboundedQuery({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}

/** The query as sent. Throws FhirError 414 if it is too long. */
export function rawQuery(req: Pick<IncomingMessage, 'url'>): string {
  const query = unboundedQuery(req);
  if (query.length > LIMITS.queryBytes)
    throw fhirError(414, 'too-long', `A query takes ${LIMITS.queryBytes} bytes at most: split the search.`);
  return query;
}

export type Pair = [name: string, value: string];

const BEYOND_ASCII = /[\u0080-\uffff]/;
const CONTROL = /\p{Cc}/u;
const ENCODED = /[%+]/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses application/x-www-form-urlencoded. The pairs keep their order and repetitions; `+` becomes a blank.
 * @param raw one character for each byte, as in Node's `req.url`; a form may also have UTF-8 that is not percent-encoded
 * @throws FhirError 400 for broken percent-encoding, bytes that are not UTF-8, and control characters, including NUL
 */
export function parseQuery(raw: string): Pair[] {
  if (raw === '') return [];
  const pairs = decodedPairs(raw);
  for (const [name, value] of pairs) {
    if (CONTROL.test(name) || CONTROL.test(value))
      throw fhirError(400, 'value', `${shownName(name)} holds a control character: remove it.`, {
        parameter: shownName(name),
      });
  }
  return pairs;
}

// URLSearchParams is not used, because it is slower, and because it replaces undecodable bytes with U+FFFD, so that a search would look for
// the wrong text.
function decodedPairs(raw: string): Pair[] {
  try {
    const text = BEYOND_ASCII.test(raw) ? utf8.decode(Buffer.from(raw, 'latin1')) : raw;
    const pairs: Pair[] = [];
    for (const part of text.split('&')) {
      if (part === '') continue;
      const at = part.indexOf('=');
      pairs.push(at < 0 ? [decoded(part), ''] : [decoded(part.slice(0, at)), decoded(part.slice(at + 1))]);
    }
    return pairs;
  } catch {
    throw fhirError(400, 'structure', 'The query is not percent-encoded UTF-8. A literal % is written %25.');
  }
}

function decoded(text: string): string {
  return ENCODED.test(text) ? decodeURIComponent(text.replaceAll('+', ' ')) : text;
}

const PLAIN = /^[\w*.-]*$/;
const LEFT_BY_ENCODE_URI = /[!'()~]/g;

/** Encodes pairs for links, with the same result as URLSearchParams. */
export function encodeQuery(pairs: readonly Pair[]): string {
  return pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
}

function encoded(text: string): string {
  if (PLAIN.test(text)) return text;
  return encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replace(LEFT_BY_ENCODE_URI, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

const LENIENT = /(^|[,;])\s*handling\s*=\s*"?lenient\b/i;

/** Checks whether the client wants unknown parameters to be ignored (`Prefer: handling=lenient`, STU3 search 3.1.1.2). */
export function isLenient({ headers: { prefer } }: Pick<DirectoryRequest, 'headers'>): boolean {
  return prefer !== undefined && LENIENT.test(String(prefer));
}
