// Synonyms for the labels of professions, specialities, roles and kinds of structures: feminine forms, words of the trade, and some English
// words. label-synonyms.json lists the synonyms of each label of the registers. It lists no codes. It lists no plurals either, because a
// rule recognizes plurals (`singular`).

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldedWords, labelKey, tokenize } from '#search-index/index.ts';

const TABLE = JSON.parse(readFileSync(join(import.meta.dirname, 'label-synonyms.json'), 'utf8')) as Readonly<
  Record<string, string>
>;

/**
 * The kinds of skill. The tables of the health ministry write the kind in brackets behind the label of a skill (TRE_R38 to R45, R97, G13).
 * The registers mostly omit it, so labels are looked up with and without the kind.
 */
const KINDS = ['SM', 'SCD', 'SP', 'SI', 'C', 'CEX', 'CAPA', 'DNQ', 'DEC', 'OP', 'SST'];
const BEHIND = ['', ...KINDS.map((kind) => ` (${kind})`)];

const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(TABLE).flatMap(([label, words]) =>
    BEHIND.map((end) => [foldedWords(label + end), words.split(', ')] as const),
  ),
);

/**
 * Maps each synonym to the labels that it stands for. The synonyms are folded and without the plural sign. Each label is also its own
 * synonym. `keys` are the keys that a label has in the index.
 */
const LABELS = Map.groupBy(
  Object.entries(TABLE).flatMap(([label, words]) => {
    const keys = BEHIND.map((end) => labelKey(label + end));
    return [label, ...words.split(', ')].map((word) => ({ plain: singular(word), label, keys }));
  }),
  ({ plain }) => plain,
);

/** The synonyms of a label of the registers, as people write them. Empty for a label that the table lacks. */
export function synonymsOfLabel(label: string): readonly string[] {
  return SYNONYMS.get(foldedWords(label)) ?? [];
}

/**
 * The labels of the registers that a text is a synonym for. Case, accents, hyphens and plurals make no difference. The result is empty if
 * the text itself is a label of the table, because such a text means that label alone.
 */
export function labelsMeant(text: string): readonly string[] {
  const found = SYNONYMS.has(foldedWords(text)) ? [] : (LABELS.get(singular(text)) ?? []);
  return [...new Set(found.flatMap(({ label }) => BEHIND.map((end) => label + end)))];
}

/**
 * The index keys of all labels that begin with one of `beginnings`, and of all labels that have a synonym with such a beginning. For a
 * single letter, the result is long.
 */
export function labelKeysFrom(beginnings: readonly string[]): readonly string[] {
  const starts = [...new Set(beginnings.map(foldedWords))];
  const plain = new Set(beginnings.map(singular));
  const found = new Set<string>();
  for (const [word, labels] of LABELS)
    if (plain.has(word) || starts.some((start) => word.startsWith(start)))
      for (const { keys } of labels) for (const key of keys) found.add(key);
  return [...found];
}

/** All labels and synonyms of the table, folded and without the plural sign. */
export function knownWords(): readonly string[] {
  return [...LABELS.keys()];
}

/** The folded words of a text, without the plural sign. */
function singular(text: string): string {
  return tokenize(text)
    .map((word) => (word.length > 3 ? word.replace(/[sx]$/, '') : word))
    .join(' ');
}
