// The part of the OpenAPI description about responses: media types, headers, every refusal with its remedy, and JSON Schemas of the bodies.
// The schemas are made from HL7's definitions of the elements.

import { FORMATS } from '#directory/format/content-negotiation.ts';
import { definitionOf, type ElementDefinition } from '#shared/stu3/elements.ts';

type Described = Record<string, unknown>;

/** Every refusal by its status: the issue code of its OperationOutcome, and when it occurs. */
export const REFUSALS = {
  400: [
    'value, structure, not-supported, too-costly',
    'A parameter is unknown, empty or malformed, or the search is too costly. `issue.location` names the parameter.',
  ],
  401: ['login', 'No access token, or one that is unknown, expired or revoked: sign in again.'],
  403: ['forbidden', 'The token lacks a scope, or no person stands behind it.'],
  404: ['not-found', 'No such type, id or version.'],
  405: ['not-supported', 'The directory is read-only. `Allow` names the methods.'],
  406: ['not-supported', 'None of the formats, or of the codings, that are asked for is served.'],
  410: [
    'not-found',
    'The entry has left the directory, or the edition that a page belongs to was dropped: search anew.',
  ],
  413: ['too-long', 'The form of a search by POST, or the batch, is too large.'],
  414: ['too-long', 'The query is too long: search by POST, or split it.'],
  415: ['not-supported', 'A search by POST takes application/x-www-form-urlencoded, a batch application/fhir+json.'],
  416: ['value', 'The file is shorter than the range that is asked for: it is whole already.'],
  429: ['throttled', 'Too many requests: wait as long as `Retry-After` says.'],
  503: [
    'transient',
    'No edition is in service, or tokens cannot be checked at the moment: try again after `Retry-After`.',
  ],
} as const satisfies Readonly<Record<number, readonly [codes: string, when: string]>>;

export type RefusalStatus = keyof typeof REFUSALS;

export const HEADERS: Record<string, Described> = {
  ETag: { description: 'Version of the body; of a resource it is weak.', schema: { type: 'string' } },
  LastModified: { description: 'When the resource was new or changed.', schema: { type: 'string' } },
  ContentLocation: { description: 'Address of this version.', schema: { type: 'string', format: 'uri' } },
  Location: { description: 'Where to go on.', schema: { type: 'string', format: 'uri' } },
  Allow: { description: 'Methods that are possible.', schema: { type: 'string' } },
  ContentRange: { description: 'Bytes that are sent, and of how many.', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
  Challenge: { description: 'What is wrong with the token (RFC 6750 section 3).', schema: { type: 'string' } },
};

export const HEADERS_OF_FILES = { ETag: 'ETag' } as const;

const HEADERS_OF_REFUSALS: Partial<Record<RefusalStatus, Record<string, string>>> = {
  401: { 'WWW-Authenticate': 'Challenge' },
  403: { 'WWW-Authenticate': 'Challenge' },
  405: { Allow: 'Allow' },
  429: { 'Retry-After': 'RetryAfter' },
  503: { 'Retry-After': 'RetryAfter' },
};

/** Describes a body that holds a resource, in every format that is served. */
export function content(schema: string): Described {
  const types = FORMATS.filter((format) => format.includes('/'));
  return Object.fromEntries(types.map((type) => [type, { schema: { $ref: `#/components/schemas/${schema}` } }]));
}

export function headers(names: Record<string, string>): Described {
  return Object.fromEntries(
    Object.entries(names).map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }]),
  );
}

/** Describes the refusals as components, which are named by their status. */
export function refusalComponents(): Record<string, Described> {
  return Object.fromEntries(
    Object.entries(REFUSALS).map(([status, [codes, when]]) => {
      const sent = HEADERS_OF_REFUSALS[Number(status) as RefusalStatus];
      return [
        `Refused${status}`,
        {
          description: `${when} Issue code: ${codes}.`,
          ...(sent && { headers: headers(sent) }),
          content: content('OperationOutcome'),
        },
      ];
    }),
  );
}

export function refusals(...statuses: readonly RefusalStatus[]): Described {
  return Object.fromEntries(
    statuses.map((status) => [String(status), { $ref: `#/components/responses/Refused${status}` }]),
  );
}

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

/** Fixed schemas for two types. HL7's definitions of these types refer to almost all types of FHIR, and would add a schema for each. */
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

/** Limits the resource of a Bundle entry to the types that this directory has. STU3 itself allows a resource of any type in an entry. */
function withResource(entry: Schema | undefined, types: readonly string[]): Schema {
  const refs = types.map((type) => [type, `#/components/schemas/${type}`] as const);
  const resource = {
    oneOf: refs.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: 'resourceType', mapping: Object.fromEntries(refs) },
  };
  return { ...entry, properties: { ...(entry?.['properties'] as Schema), resource } };
}

function objectSchema(name: string, elements: readonly ElementDefinition[], resource: boolean): Schema {
  // A choice such as value[x] is listed as one element for each type (`valueString`, `valueCode`). Even in a mandatory choice, no single
  // one of these elements is mandatory. So the elements of a choice are never in `required`.
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
