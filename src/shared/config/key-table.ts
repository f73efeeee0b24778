// Owns the table of all keys of both files, made from their schemas: for `check --keys` and `config/README.md`.
// Does not own the keys: those stand in `config/*.schema.json`.

import { type SchemaName, type SchemaNode, schemaOf } from './schema.ts';

/** One row per key: path, default, meaning. Keys of a list's entries follow `[]`. */
export function keyRows(name: SchemaName): [path: string, byDefault: string, meaning: string][] {
  return rowsOf(schemaOf(name), '');
}

/** The rows as a Markdown table. */
export function keyTable(name: SchemaName): string {
  return markdownTable(
    ['Key', 'Default', 'Meaning'],
    keyRows(name).map(([path, byDefault, meaning]) => [`\`${path}\``, byDefault, meaning]),
  );
}

/** A Markdown table of plain cells. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
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
