// The text of a table for a snapshot: one row a line.

import { inspect } from 'node:util';

const FORM = {
  depth: Infinity,
  breakLength: 150,
  compact: 20,
  sorted: true,
  maxArrayLength: Infinity,
  maxStringLength: Infinity,
} as const;

/** A value as Node's `inspect` writes it, whole, with everything on one line that fits on it. */
export const rows = (value: unknown): string => inspect(value, FORM);
