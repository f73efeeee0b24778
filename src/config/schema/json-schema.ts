// Makes JSON Schemas from zod schemas. Editors use the files `config/*.schema.json`. The tables of keys (`check --keys`,
// `config/README.md`) are made from the same JSON Schemas, and so are messages that name limits and meanings.

import { z } from 'zod';
import { ENVIRONMENT } from '#config/environment/environment.ts';

/** The part of JSON Schema that is used here. */
export interface SchemaNode {
  description?: string;
  type?: string;
  default?: unknown;
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly SchemaNode[];
  properties?: Readonly<Record<string, SchemaNode>>;
  required?: readonly string[];
  items?: SchemaNode;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
}

/**
 * Makes the JSON Schema (draft 7) of a file. Callers pass the zod schema of development for all modes, because modes differ only in
 * refinements, which a JSON Schema leaves out.
 */
export function jsonSchemaOf(schema: z.ZodType): SchemaNode {
  return z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const limit of ['maximum', 'maxItems'] as const) {
        if (jsonSchema[limit] === Number.MAX_SAFE_INTEGER) delete jsonSchema[limit];
      }
    },
  }) as SchemaNode;
}

/** Returns the schema node of a path, or an empty node if the schema has no such path. */
export function nodeAt(schema: SchemaNode, path: readonly PropertyKey[]): SchemaNode {
  return path.reduce<SchemaNode>(
    (node, step) => (typeof step === 'number' ? node.items : node.properties?.[String(step)]) ?? {},
    schema,
  );
}

interface KeyRow {
  /** Path of the key. `[]` stands for the entries of a list. */
  path: string;
  type: string;
  byDefault: string;
  meaning: string;
}

/** Returns one row for each key of the schema, with keys of nested groups. */
export function keyRows(schema: SchemaNode): KeyRow[] {
  return rowsOf(schema, '');
}

/** Formats the keys of a schema as a Markdown table. `examples` has an example value by the path of its key, and adds a column. */
export function keyTable(schema: SchemaNode, examples?: ReadonlyMap<string, string>): string {
  const head = ['Key', 'Type', 'Default', ...(examples ? ['Example'] : []), 'Meaning'];
  const rows = keyRows(schema).map(({ path, type, byDefault, meaning }) => [
    `\`${path}\``,
    type,
    byDefault,
    ...(examples ? [examples.has(path) ? `\`${examples.get(path)}\`` : ''] : []),
    meaning,
  ]);
  return markdownTable(head, rows);
}

/** Formats all environment variables as a Markdown table. */
export function environmentTable(): string {
  const rows = Object.entries(ENVIRONMENT).map(([name, [meaning, byDefault]]) => [`\`${name}\``, byDefault, meaning]);
  return markdownTable(['Variable', 'Default', 'Meaning'], rows);
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cellText).join(' | ')} |`).join('\n');
}

export function cellText(cell: string): string {
  return cell.replaceAll('|', '\\|').replaceAll(/<(?!.*`$)/g, '&lt;');
}

function rowsOf(node: SchemaNode, prefix: string): KeyRow[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, child]) => {
    const path = `${prefix}${key}`;
    if (child.properties) return rowsOf(child, `${path}.`);
    const required = node.required?.includes(key) ? 'required' : '';
    const byDefault = required || defaultText(child);
    const own = { path, type: typeOf(child), byDefault, meaning: meaningOf(child) };
    return child.items?.properties ? [own, ...rowsOf(child.items, `${path}[].`)] : [own];
  });
}

/** Describes the kind of value that a key takes, with its bounds if it is a number. */
function typeOf(node: SchemaNode): string {
  const { type, enum: words, items, anyOf, pattern = '', format } = node;
  if (words) return 'word';
  if (anyOf) {
    const others = anyOf.slice(1).map(typeOf);
    const word = anyOf.find((one) => one.const !== undefined)?.const;
    if (word !== undefined) return `${typeOf(anyOf[0] ?? {})}, or \`${word}\``;
    return others[0] ?? '';
  }
  if (/\[smhd\]/.test(pattern)) return pattern.includes('|never') ? 'duration, or `never`' : 'duration';
  if (/kB\|MB/.test(pattern)) return 'size';
  if (type === 'array')
    return items?.properties ? 'list of groups' : `list of ${items?.enum ? 'words' : nounOf(items)}`;
  if (type === 'boolean') return 'true or false';
  if (type === 'integer' || type === 'number') return boundsOf(node);
  return format === 'uri' ? 'address' : 'text';
}

const nounOf = (items: SchemaNode | undefined) => (items?.format === 'uri' ? 'addresses' : 'texts');

function boundsOf({ type, minimum, maximum }: SchemaNode): string {
  const kind = type === 'number' ? 'number' : 'whole number';
  if (minimum !== undefined && maximum !== undefined) return `${kind}, ${minimum} to ${maximum}`;
  return minimum === undefined ? kind : `${kind}, from ${minimum}`;
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
