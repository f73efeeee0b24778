// What the reference page needs to know of the directory, as types.

export interface ReferenceParameter {
  name: string;
  /** STU3 search parameter type. */
  type: string;
  /** Name of the matching rule; the words of a language explain it. */
  matching: string;
  /** The rule in English, for a parameter that the words do not know. */
  documentation: string;
  /** A value that it takes; what stands in `<>` is for the reader to fill in. */
  example: string;
  modifiers: readonly string[];
  /** Least length of a value, where it is searched by words. */
  minimum?: number;
  /** Whether usual abbreviations find each other. */
  equivalents?: boolean;
  /** Type that a reference leads to. */
  target?: string;
}

export interface ReferenceType {
  type: string;
  /** Scopes that are needed, every one of them; none for what is open to everybody. */
  scopes: readonly string[];
  /** An id, or `<id>` where one would name a person. */
  exampleId: string;
  parameters: readonly ReferenceParameter[];
  includes: readonly string[];
  revIncludes: readonly string[];
  sorts: readonly string[];
}

interface ReferenceLimits {
  defaultCount: number;
  largestCount: number;
  queryBytes: number;
  formBytes: number;
  criteriaBytes: number;
  parameters: number;
  alternatives: number;
  valueLength: number;
  wordsOfValue: number;
  wordsOfSearch: number;
  pages: number;
}

/** Everything that the page says of the directory. */
export interface ReferenceDirectory {
  /** Public base, without a trailing slash. */
  base: string;
  /** Under which identifier systems of its own stand. */
  namespace: string;
  authorizationUrl: string;
  tokenUrl: string;
  types: readonly ReferenceType[];
  /** The parameters that steer an answer; their examples are addresses below the base, not encoded, or nothing. */
  controls: readonly { name: string; example: string }[];
  /** FHIR instant from which changes can be exported. */
  since: string;
  formats: readonly string[];
  refusals: readonly { status: number; codes: string }[];
  /** Prefixes of dates. */
  prefixes: readonly string[];
  limits: ReferenceLimits;
}

/** The edition that is being served. */
export interface Freshness {
  /** FHIR instant, where it is known. */
  created?: string;
  counts: Readonly<Record<string, number>>;
}
