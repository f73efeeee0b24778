// Prints rows as a table.

import { printable } from '#shared/log/printable.ts';

/** A table in aligned columns under a head; control characters are made visible, so that no cell can forge a line. */
export function columns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows.map((row) => row.map(printable))];
  const widths = head.map((_, column) => Math.max(...all.map((row) => [...(row[column] ?? '')].length)));
  return all
    .map((row) => row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
