// JSON Schemas of response bodies, made from HL7's definitions of the elements.

import { definitionOf, type ElementDefinition } from '#shared/stu3/elements.ts';

export type Schema = Record<string, unknown>;

/** The primitive types that need a schema of their own (STU3 datatypes 2.24.0.1). A value of any other primitive type is any text. */
const PRIMITIVES: Readonly<Record<string, Schema>> = {
  boolean: { type: 'boolean' },
  integer: { type: 'integer' },
  unsignedInt: { type: 'integer', minimum: 0 },
  positiveInt: { type: 'integer', minimum: 1 },
  decimal: { type: 'number' },
  id: { type: 'string', pattern: '^[A-Za-z0-9\\-.]{1,64}$' },
  date: { type: 'string', pattern: '^\\d{4}(-\\d{2}(-\\d{2})?)?$' },
  dateTime: { type: 'string', pattern: '^\\d{4}(-\\d{2}(-\\d{2}(T.+)?)?)?$' },
  instant: { type: 'string', format: 'date-time' },
};

/** Fixed schemas for types that the directory never fills. HL7's definitions of them would bring in half of FHIR. */
const OPEN: Readonly<Record<string, Schema>> = {
  Extension: {
    type: 'object',
    description: 'The value stands in one element whose name begins with value.',
    required: ['url'],
    properties: { url: { type: 'string' } },
  },
  Resource: {
    type: 'object',
    description: 'A resource of any type.',
    required: ['resourceType'],
    properties: { resourceType: { type: 'string' } },
  },
};

/**
 * Makes the schemas of the types, and of all types that they consist of. The keys of the result are the names of the types.
 * @param entries the types that a Bundle may hold; clients see by `resourceType` which type an entry has
 */
export function schemasOf(types: readonly string[], entries: readonly string[]): Record<string, Schema> {
  const schemas: Record<string, Schema> = {};
  const waiting = [...types];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (Object.hasOwn(schemas, name)) continue;
    const definition = OPEN[name] ? undefined : definitionOf(name);
    const elements = [...(definition?.elements.values() ?? [])];
    schemas[name] = OPEN[name] ?? objectSchema(name, elements, types.includes(name));
    for (const { kind, type } of elements) if (kind === 'complex' || kind === 'resource') waiting.push(type);
  }
  schemas['Bundle.entry'] = withResource(schemas['Bundle.entry'], entries);
  return Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Limits the resource of an entry to the types that this directory has. STU3 allows any type there. */
function withResource(entry: Schema | undefined, types: readonly string[]): Schema {
  const refs = types.map((type) => [type, `#/components/schemas/${type}`] as const);
  const resource = {
    oneOf: refs.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: 'resourceType', mapping: Object.fromEntries(refs) },
  };
  return { ...entry, properties: { ...(entry?.['properties'] as Schema), resource } };
}

function objectSchema(name: string, elements: readonly ElementDefinition[], resource: boolean): Schema {
  // A mandatory choice such as value[x] appears here as one element for each type. None of these elements is mandatory by itself, so they
  // are left out.
  const required = elements.filter((element) => element.required && element.name === element.base);
  return {
    type: 'object',
    ...(resource && { externalDocs: { url: `http://hl7.org/fhir/STU3/${name.toLowerCase()}.html` } }),
    ...(resource || required.length > 0
      ? { required: [...(resource ? ['resourceType'] : []), ...required.map((element) => element.name)] }
      : {}),
    properties: {
      ...(resource && { resourceType: { const: name } }),
      ...Object.fromEntries(elements.map((element) => [element.name, elementSchema(element)])),
    },
  };
}

function elementSchema({ kind, type, repeats }: ElementDefinition): Schema {
  const one =
    kind === 'complex' || kind === 'resource'
      ? { $ref: `#/components/schemas/${type}` }
      : (PRIMITIVES[type] ?? { type: 'string' });
  // An array has at least one item, because STU3 has no empty arrays.
  return repeats ? { type: 'array', minItems: 1, items: one } : one;
}
