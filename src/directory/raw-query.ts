// Owns the step from the bytes of a query string or form to pairs of name and value.
// Does not own what a name or a value means.

import { fault } from './outcome.ts';

export type Pair = [name: string, value: string];

const BEYOND_ASCII = /[\u0080-\uffff]/;
const CONTROL = /\p{Cc}/u;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Pairs in the order sent, repeats kept, `+` as blank (application/x-www-form-urlencoded).
 * @param raw one character for each byte, as Node hands out `req.url`; in a form UTF-8 may stand unencoded
 * @throws Fault 400 for broken percent-encoding, bytes that are not UTF-8, and control characters, NUL among them
 */
export function pairsOf(raw: string): Pair[] {
  if (raw === '') return [];
  const pairs = [...new URLSearchParams(wellFormed(raw))];
  for (const [name, value] of pairs) {
    if (CONTROL.test(name) || CONTROL.test(value))
      throw fault(400, 'value', `${printable(name)} holds a control character: remove it.`, {
        parameter: printable(name),
      });
  }
  return pairs;
}

function wellFormed(raw: string): string {
  try {
    const text = BEYOND_ASCII.test(raw) ? utf8.decode(Buffer.from(raw, 'latin1')) : raw;
    // URLSearchParams would put U+FFFD in place of what cannot be decoded, and the search would find the wrong thing.
    if (text.includes('%')) decodeURIComponent(text);
    return text;
  } catch {
    throw fault(400, 'structure', 'The query is not percent-encoded UTF-8. A literal % is written %25.');
  }
}

/** A name as it may be shown in a message: no control characters, not endless. */
export function printable(name: string): string {
  const shown = name.replaceAll(/\p{Cc}/gu, '?');
  return shown.length > 60 ? `${shown.slice(0, 60)}...` : shown;
}
