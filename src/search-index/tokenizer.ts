// Converts texts to the forms in which they are compared. Texts that look alike have the same plain text (`plainText`). The index and
// queries compare the folded words of texts (`tokenize`). `abbreviations.ts` has the synonyms in addresses and names.

const NOT_WORD = /[^\p{L}\p{N}]+/u;
/** Matches accents and invisible characters. */
const UNSPOKEN = /[\p{M}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\ufff9-\ufffb]+/gu;
const ONLY_ASCII_WORDS = /^[a-z0-9 ]*$/;

/** The plain spelling of letters that Unicode does not decompose into a letter and a mark (as in Lucene's ASCIIFoldingFilter). */
const SPELT_OUT = new Map([
  ...['œ oe', 'æ ae', 'ß ss', 'þ th', 'ı i', 'ø o', 'đ d', 'ð d', 'ł l', 'ħ h', 'ŧ t', 'ŋ n', 'ς σ'].map(
    (pair) => pair.split(' ') as [string, string],
  ),
  // Unicode regards these characters as letters, but in names they are apostrophes.
  ...Array.from('ʹʺʻʼʽʾʿˈˮꞌ', (letter) => [letter, "'"] as const),
]);
const SPECIAL_LETTERS = new RegExp(`[${[...SPELT_OUT.keys()].join('')}]`, 'g');

/**
 * Folds text for comparison. The result is in lower case, without accents and invisible characters. Compatible forms (ﬁ, ², full-width
 * letters) become plain ones, and letters such as œ, æ and ß are spelt out.
 */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (ONLY_ASCII_WORDS.test(lower)) return lower;
  // Accents are removed before letters are spelt out, because an æ may have an accent. NFKD turns ™ into TM, so the text is converted to
  // lower case again.
  const plain = lower.normalize('NFKD').toLowerCase().replace(UNSPOKEN, '');
  return plain.replace(SPECIAL_LETTERS, (letter) => SPELT_OUT.get(letter) ?? letter);
}

/** Splits text into folded words. Every character that is not a letter or digit separates words, even an apostrophe or a hyphen. */
export function tokenize(text: string): string[] {
  const folded = fold(text);
  // A text of ASCII words that only blanks separate is split in a faster way, because most of the twenty million texts in a national
  // edition are of this kind.
  return folded.split(ONLY_ASCII_WORDS.test(folded) ? ' ' : NOT_WORD).filter(Boolean);
}

const FOLDED_WORDS = /^[a-z0-9]+(?: [a-z0-9]+)*$/;

/** The folded words of a text, with a blank between them. */
export function foldedWords(text: string): string {
  const lower = text.toLowerCase();
  return FOLDED_WORDS.test(lower) ? lower : tokenize(text).join(' ');
}

/**
 * Matches characters that plain text never has, and characters that may combine with the one before them. Hardly any text has such a
 * character, so most texts are plain already.
 */
const PERHAPS_NOT_PLAIN = /[\u0300-\uffff\u00a0\u00ad]/;
/** Matches invisible characters: zero-width ones, soft hyphens, marks of direction, fillers, and code points that are not characters. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\ufff9-\ufffb]+/gu;
/** Matches blanks of unusual width, and non-breaking blanks. */
const BLANKS = /[\p{Zs}\p{Zl}\p{Zp}]/gu;

/** Checks whether a text consists of nothing but invisible characters and blanks. */
export function isInvisible(text: string): boolean {
  return text.replace(INVISIBLE, '').trim() === '';
}

export function withoutInvisible(text: string): string {
  return PERHAPS_NOT_PLAIN.test(text) ? text.replace(INVISIBLE, '') : text;
}

/**
 * Converts a text to plain text: without invisible characters, with ordinary blanks, and with composed letters (Unicode NFC). Letters,
 * signs and case stay as they are.
 */
export function plainText(text: string): string {
  return PERHAPS_NOT_PLAIN.test(text) ? text.replace(INVISIBLE, '').replace(BLANKS, ' ').normalize('NFC') : text;
}
