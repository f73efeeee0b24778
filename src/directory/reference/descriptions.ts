// Makes two descriptions of the directory from the parameter tables: the data of the reference page, and the OpenAPI description. Both are
// made once for each edition, with examples from that edition.

import { FORMATS } from '#directory/format/content-negotiation.ts';
import { LIMITS } from '#directory/limits.ts';
import { type EditionOptions, examplesIn } from '#directory/metadata/edition-examples.ts';
import { type OpenapiOptions, openapiDocument } from '#directory/metadata/openapi/document.ts';
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
import { type Snapshots, stateOf } from '#directory/resolve-snapshot.ts';
import { DATE_PREFIXES, type Parameter, type ParameterTable } from '#directory/resources/parameters.ts';
import { SERVED, TABLES } from '#directory/resources/resource-types.ts';
import { includeValues } from '#directory/search/include-paths.ts';
import { writtenModifiers } from '#directory/search/modifiers.ts';
import { sortValues } from '#directory/search/result-parameters.ts';

type Made = { directory: ReferenceDirectory; openapi: string };

interface DescriptionsOptions extends Omit<EditionOptions, 'created'>, Omit<OpenapiOptions, 'base' | 'examples'> {
  /** Addresses that the reference page needs in addition to the result of `describeDirectory`. */
  addresses: Omit<ReferenceDirectory, keyof ReturnType<typeof describeDirectory>>;
  snapshots: Pick<Snapshots, 'current' | 'createdAt'>;
  /**
   * For each element, the number of resources of a snapshot that have it. The import counts them. Undefined if the snapshot was imported by
   * a version of Hygie that did not count them yet.
   */
  filled(snapshot: string): Promise<EditionFigures['filled'] | undefined>;
  log: { warn(about: object, message: string): void };
}

/**
 * Makes a function that returns the descriptions. They are made again when another edition is served, or when a correction changes what is
 * served.
 */
export function createDescriptions(options: DescriptionsOptions): () => Promise<Made> {
  const { snapshots, log } = options;
  let latest: { state: string | undefined; made: Promise<Made> } | undefined;

  async function examples(): Promise<Examples> {
    const snapshot = snapshots.current();
    if (!snapshot) return EXAMPLES;
    try {
      return await examplesIn(snapshot, { ...options, created: snapshots.createdAt?.(snapshot.id) });
    } catch (error) {
      // The error is only logged, because the page is useful with the fixed examples, too.
      log.warn({ err: error, snapshot: snapshot.id }, 'no examples found in the edition: the fixed ones are shown');
      return EXAMPLES;
    }
  }

  async function figures(): Promise<EditionFigures | undefined> {
    const snapshot = snapshots.current();
    const filled = snapshot && (await options.filled(snapshot.id).catch(() => undefined));
    return snapshot && filled && { counts: await snapshot.counts(), filled };
  }

  async function make(): Promise<Made> {
    const found = await examples();
    return {
      directory: { ...describeDirectory(found, await figures()), ...options.addresses },
      openapi: JSON.stringify(openapiDocument({ ...options, examples: found })),
    };
  }

  return () => {
    const snapshot = snapshots.current();
    const state = snapshot && stateOf(snapshot);
    if (!latest || latest.state !== state) latest = { state, made: make() };
    return latest.made;
  };
}

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
 * Figures of the edition: the number of resources of each type, and for each element (`Practitioner.telecom`) the number of resources that
 * have it.
 */
interface EditionFigures {
  counts: Readonly<Record<string, number>>;
  filled: Readonly<Record<string, number>>;
}

/** Makes the data of the page. Without `examples`, the page has the fixed examples and not those of an edition. */
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

/** Keeps the figures of one type, by the name of the element alone: `telecom` instead of `Practitioner.telecom`. */
function ofType(type: string, filled: EditionFigures['filled']): Record<string, number> {
  const prefix = `${type}.`;
  const own = Object.entries(filled).filter(([key]) => key.startsWith(prefix));
  return Object.fromEntries(own.map(([key, count]) => [key.slice(prefix.length), count]));
}

/**
 * Examples of `:recurse`, which follows references of resources that the search has already included. So each example also has an ordinary
 * inclusion.
 */
const RECURSING: Readonly<Record<string, string>> = {
  '_include:recurse':
    'Practitioner?_revinclude=PractitionerRole:practitioner&_include:recurse=PractitionerRole:organization',
  '_revinclude:recurse':
    'PractitionerRole?_include=PractitionerRole:organization&_revinclude:recurse=Organization:part-of',
};

/** Lists every result parameter with an example. The order is that of the type that has the most result parameters. */
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

/** The values of `_include`, `_revinclude` and `_sort` that a search for the type can have. */
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
    name,
    type,
    matching,
    documentation,
    example: exampleOf(table, parameter, examples),
    modifiers: writtenModifiers(parameter),
    ...(parameter.matching === 'contact' && parameter.contact && { contact: parameter.contact }),
    ...(parameter.matching === 'words' && { minimum: parameter.minimum, equivalents: parameter.equivalents }),
    ...(parameter.matching === 'reference' && { target: parameter.target as string }),
  };
}
