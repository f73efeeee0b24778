// The part of the OpenAPI description about search parameters and result parameters.

import { FORMATS } from '#directory/format/content-negotiation.ts';
import { elementNames } from '#directory/format/summary-and-elements.ts';
import { LIMITS } from '#directory/limits.ts';
import { chainExamples, type Examples, exampleOf, isWhole } from '#directory/metadata/parameter-examples.ts';
import { DATE_PREFIXES, type Parameter, type ParameterTable } from '#directory/resources/parameters.ts';
import { SERVED } from '#directory/resources/resource-types.ts';
import { includeValues, recurseValues } from '#directory/search/include-paths.ts';
import { writtenModifiers } from '#directory/search/modifiers.ts';
import { sortValues } from '#directory/search/result-parameters.ts';
import type { Schema } from './responses.ts';

/** One parameter of a query, or one field of the form of a search by POST. */
interface Described {
  name: string;
  description: string;
  schema: Schema;
  example?: unknown;
}

const TYPED_ELEMENT = `^(${SERVED.map(({ type }) => type).join('|')})\\.[A-Za-z]+$`;
const ID = '[A-Za-z0-9\\-.]{1,64}';
const TEXT = { type: 'string', minLength: 1 };

/** The form of a value, by the rule of matching. A value of any other rule is any text. */
const FORMS: Readonly<Partial<Record<Parameter['matching'], Schema>>> = {
  boolean: { pattern: '^(true|false)(,(true|false))*$' },
  instant: { pattern: `^(${DATE_PREFIXES.join('|')})?\\d{4}` },
  reference: { pattern: `(^|/|,)${ID}$` },
  near: { pattern: '^[-+]?\\d{1,3}(\\.\\d+)?\\|' },
  uri: { format: 'uri' },
  id: { pattern: `^${ID}(,${ID})*$` },
};

/** The schema of one value of the parameter. A value can hold several alternatives, joined by commas. */
function valueSchema(parameter: Parameter): Schema {
  if (parameter.matching === 'words') return { ...TEXT, minLength: parameter.minimum };
  return { ...TEXT, ...FORMS[parameter.matching] };
}

/**
 * Describes all search parameters of a type. Each parameter is followed by its forms with a modifier. After all parameters come the chains,
 * one for each reference.
 */
export function searchParameters(table: ParameterTable, examples: Examples): Described[] {
  const chains = chainExamples(table, examples).map(({ name, linked, reverse, path, parameter, example }) => {
    const description = `Chain: ${reverse ? `some ${linked} whose ${path.name} leads to the match` : `the ${linked} that ${path.name} leads to`} fulfils the criterion. Every other parameter of ${linked} can stand in place of ${parameter.name}, with its modifiers.`;
    return repeatable(name, description, valueSchema(parameter), example, LIMITS.chains);
  });
  const own = table.parameters.flatMap((parameter) => [
    repeatable(parameter.name, parameter.documentation, valueSchema(parameter), exampleOf(table, parameter, examples)),
    ...writtenModifiers(parameter).map((modifier) => modified(table, parameter, modifier, examples)),
  ]);
  return [...own, ...chains];
}

/**
 * Describes a parameter that may be repeated. Each repetition narrows the search. An example with a placeholder is not shown, because a
 * program cannot fill the placeholder in.
 */
function repeatable(
  name: string,
  description: string,
  items: Schema,
  example: string,
  maxItems: number = LIMITS.parameters,
) {
  const shown = isWhole(example) ? { example: [example] } : {};
  return { name, description, schema: { type: 'array', items, maxItems }, ...shown };
}

function modified(table: ParameterTable, parameter: Parameter, modifier: string, examples: Examples): Described {
  const { meaning, items, example } = MODIFIERS[modifier] ?? {
    meaning: `References to ${modifier} alone; the value may then be the id.`,
    items: valueSchema(parameter),
  };
  const shown =
    examples.values[`${table.type}.${parameter.name}:${modifier}`] ??
    example ??
    modifiedExample(parameter, exampleOf(table, parameter, examples), modifier);
  return repeatable(`${parameter.name}:${modifier}`, meaning, items, shown);
}

/** The modifiers of STU3 search 3.1.1.4.4. */
const MODIFIERS: Readonly<Record<string, { meaning: string; items: Schema; example?: string }>> = {
  exact: { meaning: 'The whole value, accents and case included.', items: TEXT },
  missing: {
    meaning: 'true: nothing is there; false: something is.',
    items: { type: 'string', enum: ['true', 'false'] },
    example: 'false',
  },
  not: { meaning: 'Whatever does not have one of these values.', items: TEXT },
  text: { meaning: 'The label begins so; accents and case aside.', items: TEXT, example: 'med' },
};

/**
 * Adapts the example of a parameter to a modifier. If the modifier is the name of a type, the value is the id alone. With `:not`, the
 * example of a boolean is false: all entries are active, so `active:not=true` would find nothing.
 */
function modifiedExample(parameter: Parameter, example: string, modifier: string): string {
  if (parameter.matching === 'boolean' && modifier === 'not') return 'false';
  return example.startsWith(`${modifier}/`) ? example.slice(modifier.length + 1) : example;
}

/** Describes the result parameters of responses that hold resources of the type. A read accepts all of these parameters. */
export function readResultParameters(type: string): readonly Described[] {
  const elements = [...elementNames(type)];
  return [
    {
      name: '_summary',
      description: 'Which elements are sent: those of the summary, the text, all but the text, or all.',
      schema: { type: 'string', enum: ['true', 'text', 'data', 'false'] },
      example: 'true',
    },
    {
      name: '_elements',
      description:
        'Elements of the type itself that are sent, joined by commas, beside those that are mandatory. With a type in front, those of resources that come along.',
      schema: {
        type: 'array',
        items: {
          anyOf: [
            { type: 'string', enum: elements },
            { type: 'string', pattern: TYPED_ELEMENT },
          ],
        },
      },
      example: ['id', elements.includes('name') ? 'name' : 'active'],
    },
    {
      name: '_pretty',
      description: 'Whether the answer is written for people, on many lines.',
      schema: { type: 'boolean' },
      example: true,
    },
    {
      name: '_format',
      description: 'Format of the response. It overrides Accept.',
      schema: { type: 'string', enum: FORMATS },
      example: 'json',
    },
  ];
}

const OF_SEARCHES: readonly Described[] = [
  {
    name: '_count',
    description: `Resources of a page; more than ${LIMITS.largestCount} are never sent, and 0 asks for the total alone.`,
    schema: { type: 'integer', minimum: 0, default: LIMITS.defaultCount },
    example: 20,
  },
  {
    name: '_total',
    description:
      'Whether the total is wanted. Totals are exact; one that is costly to count is sent with accurate only.',
    schema: { type: 'string', enum: ['none', 'estimate', 'estimated', 'accurate'] },
    example: 'accurate',
  },
  {
    name: '_totalMethod',
    description: 'The same as _total, by the name that fhirpy sends: count is accurate.',
    schema: { type: 'string', enum: ['none', 'estimate', 'estimated', 'accurate', 'count'] },
    example: 'count',
  },
  {
    name: '_page',
    description: 'Position of a page, as in the links of a Bundle. Follow the links, and do not make one.',
    schema: { type: 'string' },
  },
];

/** Describes the result parameters of a search for the type. */
export function searchResultParameters(table: ParameterTable): readonly Described[] {
  return [...inclusions(table), ...sorting(table), ...OF_SEARCHES, ...readResultParameters(table.type).map(inSearch)];
}

function inclusions({ type }: ParameterTable): Described[] {
  const described = (name: string, values: readonly string[], description: string): Described[] => {
    if (values.length === 0) return [];
    return [
      {
        name,
        description: `${description} At most ${LIMITS.included} for a page.`,
        schema: { type: 'array', items: { type: 'string', enum: [...values, '*'] } },
        example: [values[0]],
      },
    ];
  };
  const [forwards, back] = [{ reverse: false }, { reverse: true }];
  return [
    ...described('_include', includeValues(type, forwards), 'References of the matches to follow.'),
    ...described(
      '_include:recurse',
      recurseValues(type, forwards),
      'References to follow of the matches and of whatever was included.',
    ),
    ...described('_revinclude', includeValues(type, back), 'References to the matches to follow back.'),
    ...described(
      '_revinclude:recurse',
      recurseValues(type, back),
      'References to follow back to the matches and to whatever was included.',
    ),
  ];
}

function sorting(table: ParameterTable): Described[] {
  const values = sortValues(table);
  if (values.length === 0) return [];
  const description =
    'Order of the matches: alphabetical without it; - turns it round. What lacks the value by which the order goes comes last, and first with -.';
  return [{ name: '_sort', description, schema: { type: 'string', enum: values }, example: values[0] }];
}

/** Adapts the description of a read's parameter to searches, in which `_summary` can also ask for the number of matches alone. */
function inSearch(described: Described): Described {
  if (described.name !== '_summary') return described;
  return { ...described, schema: { type: 'string', enum: ['true', 'text', 'data', 'count', 'false'] } };
}

/** Describes parameters as parts of the query. */
export function inQuery(described: readonly Described[]): object[] {
  return described.map(({ name, description, schema, example }) => ({
    name,
    in: 'query',
    description,
    schema,
    ...(schema['type'] === 'array' && { style: 'form', explode: name !== '_elements' }),
    ...(example !== undefined && { example }),
  }));
}

/** Describes parameters as the form of a search by POST. */
export function inForm(described: readonly Described[]): object {
  const properties = described.map(({ name, description, schema }) => [name, { description, ...schema }] as const);
  return {
    description: 'The same parameters as in the query; those of the query are added to them.',
    content: {
      'application/x-www-form-urlencoded': {
        schema: { type: 'object', properties: Object.fromEntries(properties) },
        encoding: Object.fromEntries(
          described
            .filter(({ schema }) => schema['type'] === 'array')
            .map(({ name }) => [name, { style: 'form', explode: name !== '_elements' }]),
        ),
      },
    },
  };
}

export const PREFER = {
  name: 'Prefer',
  in: 'header',
  description: 'With handling=lenient, unknown and empty parameters are ignored, and named in an entry of the Bundle.',
  schema: { type: 'string', enum: ['handling=strict', 'handling=lenient'], default: 'handling=strict' },
};

/** Headers of conditional requests. With them, the server does not send a body that the client already has. */
export const CONDITIONS = [
  {
    name: 'If-None-Match',
    in: 'header',
    description: 'Versions that the client holds: 304 when the current one is among them.',
    schema: { type: 'string' },
    example: 'W/"1"',
  },
  {
    name: 'If-Modified-Since',
    in: 'header',
    description: '304 when the resource has not changed since. If-None-Match takes precedence.',
    schema: { type: 'string' },
    example: 'Sat, 21 Nov 2026 05:00:00 GMT',
  },
];
