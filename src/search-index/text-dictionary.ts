// Decodes the stored text of a resource. It is JSON in which short marks replace repeated parts, such as a coding or `"use":"work"`.
//
// A mark begins with a control character, which JSON text never contains: \x01-\x1e and then one further character, or \x1f and then two.
// Each further character is one of the 96 from \x20 to \x7f, so that marks are short and consist of ASCII.

const FOLLOWERS = 96;
const SHORT_MARKS = 30 * FOLLOWERS;
/** The number of possible marks. */
export const MARKS = SHORT_MARKS + FOLLOWERS * FOLLOWERS;

/** The mark with this number. */
export function markOf(number: number): string {
  if (number < SHORT_MARKS) {
    return String.fromCharCode(1 + Math.floor(number / FOLLOWERS), 0x20 + (number % FOLLOWERS));
  }
  const rest = number - SHORT_MARKS;
  return String.fromCharCode(0x1f, 0x20 + Math.floor(rest / FOLLOWERS), 0x20 + (rest % FOLLOWERS));
}

/** Decodes the stored text of a resource. `texts[n]` is the text that the mark with the number `n` replaces. */
export function decodeText(encoded: string, texts: readonly string[]): string {
  let text = '';
  let from = 0;
  for (let at = 0; at < encoded.length; at++) {
    const lead = encoded.charCodeAt(at);
    if (lead >= 0x20) continue;
    if (at > from) text += encoded.slice(from, at);
    let number = encoded.charCodeAt(++at) - 0x20;
    if (lead === 0x1f) number = SHORT_MARKS + number * FOLLOWERS + encoded.charCodeAt(++at) - 0x20;
    else number += (lead - 1) * FOLLOWERS;
    text += texts[number];
    from = at + 1;
  }
  return text + encoded.slice(from);
}

/** Returns the mark of each text. The index of a text is the number of its mark. */
export function marksByText(texts: readonly string[]): Map<string, string> {
  return new Map(texts.map((text, number) => [text, markOf(number)]));
}

/** Parses the JSON text of a string, a number or a boolean; undefined for any other text. */
export function scalarOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? undefined : value;
  } catch {
    return undefined;
  }
}
