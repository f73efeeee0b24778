// Splits text into folded words, for the index and for queries alike, and knows the synonyms of addresses and names.

/** Classes of words that stand for each other in addresses and in names of structures. */
const EQUIVALENT_CLASSES: readonly (readonly string[])[] = [
  ['saint', 'st'],
  ['sainte', 'ste'],
  ['boulevard', 'bd', 'bld', 'boul'],
  ['avenue', 'av', 'ave'],
  ['rue', 'r'],
  ['place', 'pl'],
  ['route', 'rte'],
  ['chemin', 'che', 'chem'],
  ['allee', 'all'],
  ['impasse', 'imp'],
  ['square', 'sq'],
  ['faubourg', 'fg', 'fbg'],
  ['quartier', 'qua'],
  ['residence', 'res'],
  ['batiment', 'bat'],
  ['general', 'gal', 'gen'],
  ['docteur', 'dr'],
  ['professeur', 'pr'],
  ['marechal', 'mal'],
  ['president', 'pdt'],
];

const CLASS_OF = new Map<string, readonly string[]>(
  EQUIVALENT_CLASSES.flatMap((words) => words.map((word) => [word, words.filter((other) => other !== word)] as const)),
);

const NOT_WORD = /[^\p{L}\p{N}]+/u;
const MARKS = /\p{M}+/gu;
const ONLY_ASCII_WORDS = /^[a-z0-9 ]*$/;

/** Folds text for comparison: no accents, oe and ae spelt out, lower case. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (ONLY_ASCII_WORDS.test(lower)) return lower;
  // Marks first: an æ may carry one, too.
  return lower.normalize('NFD').replace(MARKS, '').replaceAll('œ', 'oe').replaceAll('æ', 'ae');
}

/** Splits text into folded words; apostrophes, hyphens and every other sign that is no letter or digit separate. */
export function tokenize(text: string): string[] {
  const folded = fold(text);
  // Most texts of a register are such words; a national edition has some twenty million.
  return folded.split(ONLY_ASCII_WORDS.test(folded) ? ' ' : NOT_WORD).filter(Boolean);
}

/** The other members of the word's class of equivalents: they match as whole words only. Empty for other words. */
export function synonymsOf(word: string): readonly string[] {
  return CLASS_OF.get(word) ?? [];
}
