// The tables of all keys, from the schemas, and of all variables: for `check --keys` and `config/README.md`.

import { ENVIRONMENT } from '../service/environment.ts';
import { GUARDS, type GuardKey, type GuardRow, guardName } from '../service/guard-table.ts';
import { jsonSchemaOf, type SchemaName, type SchemaNode } from './json-schema.ts';

/** One row per key: path, default, meaning. Keys of a list's entries follow `[]`. */
export function keyRows(name: SchemaName): [path: string, byDefault: string, meaning: string][] {
  return rowsOf(jsonSchemaOf(name), '');
}

/** The rows as a Markdown table. */
export function keyTable(name: SchemaName): string {
  return markdownTable(
    ['Key', 'Default', 'Meaning'],
    keyRows(name).map(([path, byDefault, meaning]) => [`\`${path}\``, byDefault, meaning]),
  );
}

/** All variables as a Markdown table. */
export function environmentTable(): string {
  const rows = Object.entries(ENVIRONMENT).map(([name, [meaning, byDefault]]) => [`\`${name}\``, byDefault, meaning]);
  return markdownTable(['Variable', 'Default', 'Meaning'], rows);
}

/** The guards of an edition as a Markdown table. */
export function guardTable(): string {
  const rows = (Object.entries(GUARDS) as [GuardKey, GuardRow][]).map(([key, { measures, limit, why, absolute }]) => [
    `\`${guardName(key)}\`${absolute ? ' (may not be accepted)' : ''}`,
    `${measures.charAt(0).toUpperCase()}${measures.slice(1)}`,
    limit ? `\`${key}: ${limit.byDefault}\`${limit.kind === 'days' ? ' days' : ''}` : '',
    `${why.charAt(0).toUpperCase()}${why.slice(1)}`,
  ]);
  return markdownTable(['Guard', 'What it measures', 'Limit', 'Why'], rows);
}

/** In aligned columns, as the formatter of this repository writes tables. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|').replaceAll('<', '&lt;')));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [first = [], ...others] = cells;
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n');
}

function rowsOf(node: SchemaNode, prefix: string): [string, string, string][] {
  return Object.entries(node.properties ?? {}).flatMap(([key, child]) => {
    const path = `${prefix}${key}`;
    if (child.properties) return rowsOf(child, `${path}.`);
    const required = node.required?.includes(key) ? 'required' : '';
    const own: [string, string, string] = [path, required || defaultText(child), meaningOf(child)];
    return child.items?.properties ? [own, ...rowsOf(child.items, `${path}[].`)] : [own];
  });
}

function meaningOf({ description = '', enum: words, items }: SchemaNode): string {
  const choice = words ?? items?.enum;
  if (!choice || choice.every((word) => description.includes(String(word)))) return description;
  return `${description} One of: ${choice.map((word) => `\`${word}\``).join(', ')}.`;
}

function defaultText({ default: byDefault }: SchemaNode): string {
  if (byDefault === undefined) return '';
  if (Array.isArray(byDefault)) return byDefault.length === 0 ? 'none' : `\`${byDefault.join(' ')}\``;
  return `\`${byDefault}\``;
}
