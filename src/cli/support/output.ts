// Formats the output of commands: tables and JSON.

import { printable } from '#shared/log/printable.ts';
import { flag } from './command.ts';

/** The option `--json`, which most commands have. */
export const JSON_OPTION = flag('Prints the result as JSON.');

/** Formats a value as `--json` prints it. */
export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Formats seconds since the epoch as a time that people and programs can read. */
export function instant(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/** Formats a table with aligned columns under a head. Control characters are made visible, so that no cell can forge a line. */
export function columns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows.map((row) => row.map(printable))];
  const widths = head.map((_, column) => Math.max(...all.map((row) => [...(row[column] ?? '')].length)));
  return all
    .map((row) => row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
