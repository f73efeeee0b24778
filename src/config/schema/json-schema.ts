// The JSON Schemas of the two files, generated from the zod schemas: for editors (`config/*.schema.json`), for the table of keys
// and for the messages, which name limits and meanings.

import { z } from 'zod';
import { clientsSchema } from '#config/clients/client-schema.ts';
import { serviceSchema } from '#config/service/service-schema.ts';

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

export type SchemaName = 'service' | 'clients';

const generated = new Map<SchemaName, SchemaNode>();

/** The schema of `config/<name>.yaml` in JSON Schema draft 7. */
export function jsonSchemaOf(name: SchemaName): SchemaNode {
  const schema = generated.get(name) ?? generate(name);
  generated.set(name, schema);
  return schema;
}

function generate(name: SchemaName): SchemaNode {
  const mode = 'development';
  return z.toJSONSchema(name === 'service' ? serviceSchema(mode) : clientsSchema({ mode, privateNetworks: [] }), {
    target: 'draft-7',
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const limit of ['maximum', 'maxItems'] as const) {
        if (jsonSchema[limit] === Number.MAX_SAFE_INTEGER) delete jsonSchema[limit];
      }
    },
  }) as SchemaNode;
}

/** The node of a path; an empty one where the path leads out of the schema. */
export function nodeAt(name: SchemaName, path: readonly PropertyKey[]): SchemaNode {
  return path.reduce<SchemaNode>(
    (node, step) => (typeof step === 'number' ? node.items : node.properties?.[String(step)]) ?? {},
    jsonSchemaOf(name),
  );
}
