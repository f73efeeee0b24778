// Escapes text for XML: characters with a meaning, those that attributes would lose, and those that XML 1.0 cannot hold.

/** Stands for what XML cannot hold. */
export const REPLACEMENT = '\uFFFD';

/** Everything that cannot stand in an attribute as it is; with the u flag, single surrogates are among it. */
const SPECIAL = /[^\u0020\u0021\u0023-\u0025\u0027-\u003b\u003d\u003f-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const SPECIALS = new RegExp(SPECIAL, 'gu');
const ILLEGAL = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const WRITTEN: Readonly<Record<string, string>> = {
  '"': '&quot;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  // As they are, a parser would make blanks of them (XML 1.0 section 3.3.3).
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Text as it stands between `"` and `"`. What XML cannot hold, such as U+0000, becomes U+FFFD: seen, not lost silently. */
export function attributeText(text: string): string {
  return SPECIAL.test(text) ? text.replace(SPECIALS, (sign) => WRITTEN[sign] ?? REPLACEMENT) : text;
}

/** Text with U+FFFD for what XML cannot hold, and nothing else changed. */
export function legalText(text: string): string {
  return text.replace(ILLEGAL, REPLACEMENT);
}
