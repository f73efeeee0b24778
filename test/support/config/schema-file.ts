// The JSON Schema of a file as editors need it: they report what does not fit while it is written.

import type { SchemaNode } from '#config/schema/json-schema.ts';

/** Each key of the file that holds others may stand with nothing below it but comments. */
export function schemaFile(schema: SchemaNode): object {
  const { properties = {}, ...root } = schema;
  return { ...root, properties: orNothing(properties) };
}

function orNothing(nodes: Readonly<Record<string, SchemaNode>>): object {
  const entries = Object.entries(nodes).map(([key, node]) => {
    const { properties, items } = node;
    if (!properties && !items?.properties) return [key, node];
    return [key, { ...node, type: [node.type, 'null'], ...(properties && { properties: orNothing(properties) }) }];
  });
  return Object.fromEntries(entries);
}
