// What is worth a warning about the names of a FINESS JSON file: unknown ones, other spellings, and those that nothing has.

import type { Warn } from '#import/collect/collector.ts';
import type { FinessJsonNotes, KeyNotes } from './finess-json-notes.ts';
import type { Source } from './recognise-inputs.ts';

/** Structures from which it is odd that not one of them has what is mapped. */
const MANY = 1000;
/** First number of the version that the tables are made for. */
const SCHEMA = 1;

/** Warns of the names of a file that was read to its end. */
export function warnOfJsonKeys(
  source: Source,
  { structureej, structureet, rootNames }: FinessJsonNotes,
  warn: Warn,
): void {
  const { name: file, edition } = source.report;
  const { schema = '' } = source.recognised;
  if (edition === undefined) warn('misfit-value', `${file}: generatedAt, which gives no date`);
  const major = Number(/^v?(\d+)\b/i.exec(schema)?.[1] ?? SCHEMA);
  if (major > SCHEMA) warn('later-schema', `${file}: schemaVersion ${schema}`);
  for (const name of rootNames) warn('unknown-key', `${file}: ${name}, at the root`);
  for (const keys of [structureej, structureet]) warnOf(keys, file, warn);
}

function warnOf({ objects, keys, unknown, respelled }: KeyNotes, file: string, warn: Warn): void {
  for (const { path, count, first } of unknown.values()) {
    warn('unknown-key', `${file}: ${path}, ${count} times, first in ${first}`);
  }
  for (const { path, count, first } of respelled.values()) {
    warn('respelled-key', `${file}: ${path}, ${count} times, first in ${first}`);
  }
  for (const { path, mapped, filled, misfits, misfit } of keys) {
    if (misfits > 0) warn('misfit-value', `${file}: ${path}, ${misfits} times, such as ${misfit}`);
    if (mapped && filled === 0 && objects >= MANY) warn('absent-key', `${file}: ${path}, in none of ${objects}`);
  }
}
