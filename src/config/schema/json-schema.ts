// Makes JSON Schemas from zod schemas. Editors use them (`config/*.schema.json`). The tables of keys, and messages that name limits and
// meanings, are made from them as well.

import { z } from 'zod';

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

/** Makes the JSON Schema (draft 7) of a file. The schema of development serves all modes, which differ only in rules. */
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
