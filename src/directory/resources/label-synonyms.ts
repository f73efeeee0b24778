// What people say for the labels of professions, specialities, roles and kinds of structures: feminine forms, trade words, some English. The
// labels are those of the registers, in label-synonyms.json; plurals follow by rule. Codes are no part of it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldedWords, labelKey, tokenize } from '#search-index/index.ts';

const TABLE = JSON.parse(readFileSync(join(import.meta.dirname, 'label-synonyms.json'), 'utf8')) as Readonly<
  Record<string, string>
>;

/**
 * Endings that the tables of the health ministry put behind a label, and that the registers mostly leave out: the kind of skill (TRE_R38 to R45,
 * R97, G13).
 */
const KINDS = ['SM', 'SCD', 'SP', 'SI', 'C', 'CEX', 'CAPA', 'DNQ', 'DEC', 'OP', 'SST'];
const BEHIND = ['', ...KINDS.map((kind) => ` (${kind})`)];

const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(TABLE).flatMap(([label, words]) =>
    BEHIND.map((end) => [foldedWords(label + end), words.split(', ')] as const),
  ),
);

/** The labels that each synonym stands for, with their keys, by its plain form. A label stands for itself in the plural, too. */
const LABELS = Map.groupBy(
  Object.entries(TABLE).flatMap(([label, words]) => {
    const keys = BEHIND.map((end) => labelKey(label + end));
    return [label, ...words.split(', ')].map((word) => ({ plain: singular(word), label, keys }));
  }),
  ({ plain }) => plain,
);

/** Other words for a label of the registers, as people write them. Empty for a label that the table lacks. */
export function synonymsOfLabel(label: string): readonly string[] {
  return SYNONYMS.get(foldedWords(label)) ?? [];
}

/**
 * The labels of the registers that a text stands for. Case, accents, hyphens and plurals do not matter. A text that is a label of the table
 * stands for that label alone: an exact label stays exact.
 */
export function labelsMeant(text: string): readonly string[] {
  return SYNONYMS.has(foldedWords(text)) ? [] : withEnds(LABELS.get(singular(text)) ?? []);
}

/** The keys of all labels with a name or synonym that begins like one of `beginnings`. A single letter is the beginning of many. */
export function labelKeysFrom(beginnings: readonly string[]): readonly string[] {
  const starts = [...new Set(beginnings.map(foldedWords))];
  const plain = new Set(beginnings.map(singular));
  const found = new Set<string>();
  for (const [word, labels] of LABELS)
    if (plain.has(word) || starts.some((start) => word.startsWith(start)))
      for (const { keys } of labels) for (const key of keys) found.add(key);
  return [...found];
}

/** Every text that the table knows, in its plain form. */
export function knownWords(): readonly string[] {
  return [...LABELS.keys()];
}

function withEnds(found: readonly { label: string }[]): readonly string[] {
  return [...new Set(found.flatMap(({ label }) => BEHIND.map((end) => label + end)))];
}

/** The folded words without the sign of the plural. */
function singular(text: string): string {
  return tokenize(text)
    .map((word) => (word.length > 3 ? word.replace(/[sx]$/, '') : word))
    .join(' ');
}
