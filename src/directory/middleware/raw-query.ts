// Parses the bytes of a query string or form to pairs of name and value, and encodes such pairs.

import { fhirError } from '#directory/errors.ts';
import { printable } from '#shared/log/printable.ts';

export type Pair = [name: string, value: string];

const BEYOND_ASCII = /[\u0080-\uffff]/;
const CONTROL = /\p{Cc}/u;
const ENCODED = /[%+]/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Pairs in the order sent, repeats kept, `+` as blank (application/x-www-form-urlencoded).
 * @param raw one character for each byte, as Node hands out `req.url`; in a form UTF-8 may stand unencoded
 * @throws FhirError 400 for broken percent-encoding, bytes that are not UTF-8, and control characters, NUL among them
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

// URLSearchParams takes longer, and would put U+FFFD in place of what cannot be decoded: the search would find the wrong
// thing.
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

/** Pairs as they stand in links: the same text that URLSearchParams makes of them. */
export function encodeQuery(pairs: readonly Pair[]): string {
  return pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
}

function encoded(text: string): string {
  if (PLAIN.test(text)) return text;
  return encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replace(LEFT_BY_ENCODE_URI, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** A name as it may be shown in a message: no control characters, not endless. */
export function shownName(name: string): string {
  const shown = printable(name);
  return shown.length > 60 ? `${shown.slice(0, 60)}...` : shown;
}
