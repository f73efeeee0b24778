// The form in which texts are kept and compared: what looks the same is the same.

/** What no plain text holds, and characters behind which there may be something to compose: hardly any text has one. */
const PERHAPS_NOT_PLAIN = /[\u0300-\uffff\u00a0\u00ad]/;
/** Characters that are not seen: zero-width and soft hyphens, marks of direction, fillers, and those that are none. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\ufff9-\ufffb]+/gu;
/** Blanks of another width, or that do not break. */
const BLANKS = /[\p{Zs}\p{Zl}\p{Zp}]/gu;

/** Whether a text has nothing but characters that are not seen, and blanks. */
export function isInvisible(text: string): boolean {
  return text.replace(INVISIBLE, '').trim() === '';
}

export function withoutInvisible(text: string): string {
  return PERHAPS_NOT_PLAIN.test(text) ? text.replace(INVISIBLE, '') : text;
}

/**
 * The text without invisible characters, with ordinary blanks and with composed letters (Unicode NFC). Letters, signs and
 * case stay as they are.
 */
export function plainText(text: string): string {
  return PERHAPS_NOT_PLAIN.test(text) ? text.replace(INVISIBLE, '').replace(BLANKS, ' ').normalize('NFC') : text;
}
