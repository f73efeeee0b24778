// Makes the data of the reference page from the parameter tables.

import { FORMATS } from '#directory/format/content-negotiation.ts';
import { LIMITS } from '#directory/limits.ts';
import { searchResultParameters } from '#directory/metadata/openapi/parameters.ts';
import { REFUSALS } from '#directory/metadata/openapi/responses.ts';
import {
  chainExamples,
  EXAMPLES,
  type Examples,
  exampleId,
  exampleOf,
} from '#directory/metadata/parameter-examples.ts';
import type { Pair } from '#directory/middleware/raw-query.ts';
import type { Parameter, ParameterTable } from '#directory/resources/parameters.ts';
import { DATE_PREFIXES } from '#directory/resources/parameters.ts';
import { SERVED, TABLES } from '#directory/resources/resource-types.ts';
import { includeValues } from '#directory/search/include-paths.ts';
import { writtenModifiers } from '#directory/search/modifiers.ts';
import { sortValues } from '#directory/search/result-parameters.ts';

/** All data about the directory that the page shows. */
export interface ReferenceDirectory extends ReturnType<typeof describeDirectory> {
  /** Public base address without a trailing slash. */
  base: string;
  /** {claim_ns}, the prefix of the directory's own identifier systems. */
  namespace: string;
  authorizationUrl: string;
  tokenUrl: string;
  /** Path of the page to try the directory. */
  tryPage: string;
}

export type ReferenceType = ReferenceDirectory['types'][number];
export type ReferenceParameter = ReferenceType['parameters'][number];

/** The edition that is being served. */
export interface Freshness {
  /** FHIR instant at which the edition was made; undefined if it is not known. */
  created?: string;
  counts: Readonly<Record<string, number>>;
}

/**
 * Numbers of the edition: the resources of each type, and the resources that have an element (`Practitioner.telecom`), if they were
 * counted.
 */
export interface EditionFigures {
  counts: Readonly<Record<string, number>>;
  filled: Readonly<Record<string, number>>;
}

/** Makes the data of the page, with examples from the current edition or the fixed ones. */
export function describeDirectory(
  examples: Examples = EXAMPLES,
  { counts, filled }: EditionFigures = { counts: {}, filled: {} },
) {
  return {
    types: SERVED.map((table) => ({
      type: table.type as string,
      scopes: table.scopes,
      count: counts[table.type] ?? 0,
      filled: ofType(table.type, filled),
      exampleId: exampleId(table.type, examples),
      ...joinedBy(table),
      chains: chainExamples(table, examples).map(({ name, example }): Pair => [name, example]),
      parameters: table.parameters.map((parameter) => described(table, parameter, examples)),
    })),
    resultParameters: resultParameters(),
    since: examples.since,
    resources: examples.resources ?? {},
    formats: FORMATS,
    refusals: Object.entries(REFUSALS).map(([status, [codes]]) => ({ status: Number(status), codes })),
    prefixes: DATE_PREFIXES,
    limits: LIMITS,
  };
}

/** The counts of one type, by the name of the element. */
function ofType(type: string, filled: EditionFigures['filled']): Record<string, number> {
  const prefix = `${type}.`;
  const own = Object.entries(filled).filter(([key]) => key.startsWith(prefix));
  return Object.fromEntries(own.map(([key, count]) => [key.slice(prefix.length), count]));
}

/**
 * Examples of `:recurse`, which follows references of included resources. It makes sense only after a first inclusion, so each example has
 * both.
 */
const RECURSING: Readonly<Record<string, string>> = {
  '_include:recurse':
    'Practitioner?_revinclude=PractitionerRole:practitioner&_include:recurse=PractitionerRole:organization',
  '_revinclude:recurse':
    'PractitionerRole?_include=PractitionerRole:organization&_revinclude:recurse=Organization:part-of',
};

/** Lists every result parameter with an example, in the order of the type that has the most result parameters. */
function resultParameters(): { name: string; example: string }[] {
  const lists = TABLES.map((table) =>
    searchResultParameters(table).map((parameter) => ({ type: table.type, ...parameter })),
  );
  const found = new Map<string, { name: string; example: string }>();
  for (const { type, name, example } of lists.toSorted((one, other) => other.length - one.length).flat()) {
    const value = Array.isArray(example) ? example.join() : example;
    const simple = value === undefined ? '' : `${type}?${name}=${value}`;
    if (!found.has(name)) found.set(name, { name, example: RECURSING[name] ?? simple });
  }
  return [...found.values()];
}

/** The inclusions and the orders that a search for the type can have. */
function joinedBy(table: ParameterTable) {
  const { type } = table;
  return {
    includes: includeValues(type, { reverse: false }),
    revIncludes: includeValues(type, { reverse: true }),
    sorts: sortValues(table),
  };
}

function described(table: ParameterTable, parameter: Parameter, examples: Examples) {
  const { name, type, matching, documentation } = parameter;
  return {
    ...{ name, type, matching, documentation },
    example: exampleOf(table, parameter, examples),
    modifiers: writtenModifiers(parameter),
    ...(parameter.matching === 'words' && { minimum: parameter.minimum, equivalents: parameter.equivalents }),
    ...(parameter.matching === 'reference' && { target: parameter.target as string }),
  };
}
