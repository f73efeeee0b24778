// Owns the JSON Schemas beside the files in `config/`: part of the installation, read by the check, by the table of keys and
// by editors. Does not own the check (`schema.ts`).

import { readFileSync } from 'node:fs';

export type SchemaName = 'service' | 'clients';

/** The part of a JSON Schema that is read here and in the table of keys. */
export interface SchemaNode {
  description?: string;
  type?: string;
  default?: unknown;
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly SchemaNode[];
  $ref?: string;
  properties?: Readonly<Record<string, SchemaNode>>;
  required?: readonly string[];
  items?: SchemaNode;
  minimum?: number;
  maximum?: number;
  pattern?: string;
}

/** The schema beside `config/<name>.yaml` of the installation. */
export function schemaOf(name: SchemaName): SchemaNode {
  return JSON.parse(readFileSync(new URL(`../../../config/${name}.schema.json`, import.meta.url), 'utf8'));
}
