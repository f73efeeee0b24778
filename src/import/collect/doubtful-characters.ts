// Recognises damaged characters: remains of accents in a text that was decoded or encoded wrongly.

const NOT_PLAIN_ASCII = /[^ -~]|[?&\\]/;
const ACCENTS = /[\u00c0-\u017f]/;

/**
 * Forms of damage, in this order: the replacement character, private use and unassigned ends of planes; UTF-8 read as a
 * single-byte encoding (`Ã©`, `Ã‰`, `Å“`, `â€™`, `ï»¿`); code page 850 read as Windows-1252 (`Andr‚`); `?` in the place
 * of a letter; entities of HTML and escapes of JSON that nobody resolved.
 */
const DAMAGED = new RegExp(
  [
    '[\\ufffd-\\uffff\\ue000-\\uf8ff]',
    // No letter follows Ã and Â here. A blank was a control character, or is the second half of à.
    '[ÃÂ](?:[\\u0080-\\u00bf\\u02c6\\u02dc\\u2013-\\u2122 \\u0152\\u0153\\u0160\\u0161\\u0178\\u017d\\u017e\\u0192]|$)',
    'Å[\\u0080-\\u00bf\\u2018-\\u201e]',
    'â(?:€|\\u0080)|ï(?:¿½|»¿)',
    '\\p{L}[\\u201a\\u2020\\u2021\\u02c6\\u2030]|\\p{L}[\\u201e\\u2026]\\p{L}',
    '\\p{L}\\?|\\?\\p{L}',
    '&(?:[A-Za-z]{2,8}|#\\d{2,5});',
    '\\\\u[0-9A-Fa-f]{4}',
  ].join('|'),
  'u',
);

/** Tells whether a value needs a closer look; most do not. */
export function foreignToAscii(value: string): boolean {
  return NOT_PLAIN_ASCII.test(value);
}

/** Tells whether a value has letters with accents, or ligatures such as æ. */
export function hasAccents(value: string): boolean {
  return ACCENTS.test(value);
}

/** Tells whether characters of a value are damaged. */
export function damaged(value: string): boolean {
  return DAMAGED.test(value);
}
