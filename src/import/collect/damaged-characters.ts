// Recognizes damaged characters: the remains of accents in a text that was decoded or encoded wrongly.

const NOT_PLAIN_ASCII = /[^ -~]|[?&\\]/;
const ACCENTS = /[\u00c0-\u017f]/;

const DAMAGED = new RegExp(
  [
    // The replacement character, noncharacters and characters for private use.
    '[\\ufffd-\\uffff\\ue000-\\uf8ff]',
    // UTF-8 that was read as a single-byte encoding: `Ã©`, `Ã‰`, `Å“`, `â€™`, `ï»¿`. `Ã` and `Â` are damage at the end of a value, before a
    // blank, and before any other character that a misread second byte of UTF-8 can become.
    '[ÃÂ](?:[\\u0080-\\u00bf\\u02c6\\u02dc\\u2013-\\u2122 \\u0152\\u0153\\u0160\\u0161\\u0178\\u017d\\u017e\\u0192]|$)',
    'Å[\\u0080-\\u00bf\\u2018-\\u201e]',
    'â(?:€|\\u0080)|ï(?:¿½|»¿)',
    // Code page 850 that was read as Windows-1252: `Andr‚`.
    '\\p{L}[\\u201a\\u2020\\u2021\\u02c6\\u2030]|\\p{L}[\\u201e\\u2026]\\p{L}',
    // A question mark in the place of a letter.
    '\\p{L}\\?|\\?\\p{L}',
    // Entities of HTML and escapes of JSON that nobody resolved.
    '&(?:[A-Za-z]{2,8}|#\\d{2,5});',
    '\\\\u[0-9A-Fa-f]{4}',
  ].join('|'),
  'u',
);

/** Tells whether a value must be examined for accents and damage: it is not plain ASCII, or has one of `?`, `&` and `\`. */
export function foreignToAscii(value: string): boolean {
  return NOT_PLAIN_ASCII.test(value);
}

/** Tells whether a value has letters with accents, or ligatures such as æ. */
export function hasAccents(value: string): boolean {
  return ACCENTS.test(value);
}

/** Tells whether a value has characters that a wrong decoding or encoding has replaced. */
export function damaged(value: string): boolean {
  return DAMAGED.test(value);
}
