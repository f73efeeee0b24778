// Makes JSON Schemas from zod schemas. Editors use them (`config/*.schema.json`), and so do the tables of keys and messages that name
// limits and meanings.

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

/** The JSON Schema (draft 7) of a file. Every file has the keys of development; the modes differ only in rules. */
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

/** The schema node of a path; an empty one if the path leads out of the schema. */
export function nodeAt(schema: SchemaNode, path: readonly PropertyKey[]): SchemaNode {
  return path.reduce<SchemaNode>(
    (node, step) => (typeof step === 'number' ? node.items : node.properties?.[String(step)]) ?? {},
    schema,
  );
}
