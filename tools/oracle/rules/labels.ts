// Codes and labels, and what people say for a label: the table is that of the directory, the rules are written here.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Concept } from '../edition/entry.ts';
import { joined } from './words.ts';

const FILE = join(import.meta.dirname, '../../../src/directory/resources/label-synonyms.json');

/** What registers put behind the label of a speciality. */
const ENDS = ['', ...'SM SCD SP SI C CEX CAPA DNQ DEC OP SST'.split(' ').map((kind) => ` (${kind})`)];

interface Said {
  /** The words without the sign of the plural. */
  words: string;
  labels: readonly string[];
}

const singular = (text: string) =>
  joined(text)
    .split(' ')
    .map((word) => (word.length > 3 && /[sx]$/.test(word) ? word.slice(0, -1) : word))
    .join(' ');

export type Labels = ReturnType<typeof readLabels>;

export function readLabels() {
  const table = Object.entries(JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, string>);
  const said: Said[] = table.flatMap(([label, synonyms]) =>
    [label, ...synonyms.split(', ')].map((words) => ({
      words: singular(words),
      labels: ENDS.map((end) => joined(label + end)),
    })),
  );
  const labels = new Set(table.flatMap(([label]) => ENDS.map((end) => joined(label + end))));
  const meant = (value: string): ReadonlySet<string> => {
    const own = joined(value);
    const others = labels.has(own) ? [] : said.filter(({ words }) => words === singular(value));
    return new Set([own, ...others.flatMap((one) => one.labels)]);
  };
  return {
    /** What people say for one of these labels. */
    saidFor: (some: ReadonlySet<string>) =>
      table.filter(([label]) => some.has(joined(label))).flatMap(([, synonyms]) => synonyms.split(', ')),
    /** Makes the check of `code`, `system|code`, `|code`, `system|`, or a label. */
    exactly(value: string): (concept: Concept) => boolean {
      const parts = parted(value);
      const own = parts.length === 1 ? meant(value) : new Set<string>();
      return (concept) =>
        concept.some(
          ({ system, code, label }) =>
            (code !== '' && isToken(parts, system, code)) || (own.has(joined(label)) && joined(label) !== ''),
        );
    },
    /** Makes the check of the beginning of a label. */
    beginning(value: string): (concept: Concept) => boolean {
      const start = joined(value);
      const own = new Set(
        said.filter(({ words }) => words.startsWith(start) || words === singular(value)).flatMap((one) => one.labels),
      );
      return (concept) => concept.some(({ label }) => joined(label).startsWith(start) || own.has(joined(label)));
    },
  };
}

/** The parts of a token, without escapes. */
export function parted(value: string): string[] {
  return value.split(/(?<!\\)\|/).map((part) => part.replaceAll(/\\([,|$\\])/g, '$1'));
}

export function isToken(parts: readonly string[], system: string | undefined, value: string): boolean {
  const [first = '', second] = parts;
  if (second === undefined) return value === first;
  if (second === '') return system === first;
  return value === second && (first === '' ? system === undefined : system === first);
}
