// The interface of a directory snapshot. An import writes snapshots (`snapshot-writer.ts`), and the directory reads them. `read/reader.ts`
// implements the interface in the calling thread, `threads/threaded-snapshot.ts` with search threads.

import type { Circle } from './positions.ts';

export const RESOURCE_TYPES = ['Practitioner', 'Organization', 'PractitionerRole'] as const;
export type ResourceType = (typeof RESOURCE_TYPES)[number];

export function isResourceType(value: unknown): value is ResourceType {
  return (RESOURCE_TYPES as readonly unknown[]).includes(value);
}

/** Makes one value for each resource type. */
export function byType<Value>(make: (type: ResourceType) => Value): Record<ResourceType, Value> {
  return Object.fromEntries(RESOURCE_TYPES.map((type) => [type, make(type)])) as Record<ResourceType, Value>;
}

/** The ways in which a field can be matched, see `INDEX_FIELDS`. */
export type FieldMatch = 'words' | 'exact' | 'position';

/** How each indexed field of each type is matched: `words` by the beginnings of words, `exact` by whole keys, `position` by circles. */
export const INDEX_FIELDS = {
  Practitioner: {
    name: 'words',
    family: 'words',
    given: 'words',
    address: 'words',
    'address-city': 'words',
    'address-postalcode': 'words',
    identifier: 'exact',
    qualification: 'exact',
    telecom: 'exact',
    active: 'exact',
  },
  Organization: {
    name: 'words',
    address: 'words',
    'address-city': 'words',
    'address-postalcode': 'words',
    identifier: 'exact',
    'part-of': 'exact',
    type: 'exact',
    telecom: 'exact',
    active: 'exact',
    near: 'position',
  },
  PractitionerRole: {
    practitioner: 'exact',
    organization: 'exact',
    role: 'exact',
    specialty: 'exact',
    active: 'exact',
  },
} as const satisfies Record<ResourceType, Record<string, FieldMatch>>;

/**
 * The type of the targets of each reference field. In such a field, a resource has at most one key: `Type/id`, or the URL of a resource on
 * another server.
 */
export const REFERENCES: Record<ResourceType, Readonly<Record<string, ResourceType>>> = {
  Practitioner: {},
  Organization: { 'part-of': 'Organization' },
  PractitionerRole: { practitioner: 'Practitioner', organization: 'Organization' },
};

/** A resource to be stored in a snapshot. */
export interface IndexedResource {
  type: ResourceType;
  /** FHIR id, which stays the same from edition to edition. */
  id: string;
  /** Folded text that decides the alphabetical order. At equal texts, the id decides. */
  sortKey: string;
  /** The FHIR resource without `meta`. The snapshot adds `meta.versionId` and `meta.lastUpdated`. */
  resource: { resourceType: ResourceType; id: string; [element: string]: unknown };
  /**
   * The items of each field. In a `words` field an item is plain text, such as one address or one name: all words of a query value must be
   * found in the same item. In an `exact` field an item is a key, as in `Clause`. In a `position` field it is a position (`positionItem`).
   * A list of keys that many resources share may be marked by `repeated`.
   */
  index: Readonly<Record<string, readonly string[]>>;
}

/**
 * A word of a query, folded (`tokenizer.ts`). It matches words that begin with `prefix`, words that equal one of `whole`, and neighbouring
 * words that equal one of `joined` when they are joined (`joined-words.ts`).
 */
export interface QueryWord {
  prefix?: string;
  whole: readonly string[];
  joined?: readonly string[];
}

/** A range of instants in milliseconds since 1970: from `from` up to, but without, `to`. If a bound is absent, that side has no limit. */
export interface InstantRange {
  from?: number;
  to?: number;
}

/**
 * A criterion on a field of the searched type. A resource matches if one alternative of `anyOf` matches. For `words`, all words of an
 * alternative must be in one item of the field. With `not`, a resource matches if it has none of the keys, even if the field is empty.
 * `beginning` has prefixes of keys (`anyOf`) and whole keys (`whole`), and is for fields with few different keys. `present` finds the
 * resources that have a value in the field (true), or those that have none (false).
 */
export type FieldClause =
  | { field: string; match: 'words'; anyOf: readonly (readonly QueryWord[])[] }
  | { field: string; match: 'exact'; anyOf: readonly string[]; not?: boolean }
  | { field: string; match: 'beginning'; anyOf: readonly string[]; whole?: readonly string[] }
  | { field: string; match: 'range'; anyOf: readonly InstantRange[] }
  | { field: string; match: 'near'; anyOf: readonly Circle[] }
  | { field: string; match: 'present'; present: boolean };

/**
 * A criterion on linked resources of the type `of`, which must match all of `clauses` and `exactly`. With `chained`, `field` is a reference
 * of the searched type, and must refer to such a resource. With `has`, `field` is a reference of the type `of`, and at least one such
 * resource must refer to the searched resource.
 */
export interface ChainedClause {
  match: 'chained' | 'has';
  field: string;
  of: ResourceType;
  clauses: readonly FieldClause[];
  exactly?: readonly ExactText[];
  /** Ids of linked resources that match in any case, whatever `clauses` and `exactly` say. */
  also?: readonly string[];
}

export type Clause = FieldClause | ChainedClause;

/** Checks whether a criterion is about linked resources. */
export function isChained(clause: Clause): clause is ChainedClause {
  return clause.match === 'chained' || clause.match === 'has';
}

/**
 * The fields by which a search can be ordered. In a field of texts, a resource is sorted by its first item that has words (such as the town
 * of its first address). In a field of references, the place of the target in the alphabetical order of its type decides.
 */
export const SORT_FIELDS: Readonly<Record<ResourceType, readonly string[]>> = {
  Practitioner: ['given', 'address-city'],
  Organization: ['address-city'],
  PractitionerRole: ['practitioner', 'organization'],
};

/**
 * An order: alphabetical, by `lastUpdated`, by a field of `SORT_FIELDS`, or by distance from the centre of a circle. For the order by
 * distance, the clauses must have exactly one circle. Resources with equal values are in alphabetical order. Resources without a value come
 * last.
 */
export type OrderBy = { by: 'alphabet' | 'updated' | 'distance' } | { by: 'field'; field: string };
export type Order = OrderBy & {
  /** True if the order is reversed. */
  descending: boolean;
};

/** A criterion: the field holds one of the texts letter for letter (`ResourceChecks.hasText`). */
export interface ExactText {
  field: string;
  texts: readonly string[];
}

/** Checks of a resource, given as JSON text. The caller of the index provides them. */
export interface ResourceChecks {
  /** Checks whether a resource that was found by hashes has one of the keys. */
  hasKey(type: ResourceType, field: string, keys: ReadonlySet<string>, json: string): boolean;
  /** Checks whether a field of a resource has one of the texts, letter for letter. */
  hasText(field: string, texts: readonly string[], json: string): boolean;
}

export interface SearchOptions {
  /**
   * Called from time to time while the search runs. Search threads also call it before the search begins. If it returns true, the search
   * rejects with `Abandoned`.
   */
  abandoned?(): boolean;
}

export interface SearchQuery {
  type: ResourceType;
  /** A resource must match all of these clauses. If there are none, every resource of the type matches. */
  clauses: readonly Clause[];
  /** Maximum number of matches; 0 for the total alone. */
  limit: number;
  /** The order of the matches; alphabetical if absent. */
  order?: Order;
  /** The page begins after this position; undefined for the first page. */
  after?: number;
  /** The page has the last matches before this position, in the order of the search. Give at most one of `after` and `before`. */
  before?: number;
  /**
   * Instant (milliseconds since 1970) or distance (millimetres) of the resource at `after` or `before`, if the order is by `updated` or by
   * `distance`.
   */
  instant?: number;
  /** In an order by a field: true if a correction hides the value of the resource at `after` or `before`, so that it counts as empty. */
  valueless?: boolean;
  /**
   * Texts that each match must hold letter for letter. Set if the clauses alone find more than the search asks for, so that each resource
   * found must be read and checked. The search throws `TooCostly` if too many must be read to fill the page. For the total, all must be
   * read: if these are too many, the search throws too, but with `unless-costly` as `total`, it leaves the total out.
   */
  exactly?: readonly ExactText[];
  /**
   * Decides whether all matches are counted: always, never, or unless that is costly. Whether it is costly depends only on the query and
   * the snapshot.
   */
  total: boolean | 'unless-costly';
  /** The search rejects with `Abandoned` after this many milliseconds. It checks the time only when it yields to other searches. */
  within?: number;
}

/** Words of a field of kind `words` that are similar to a given word. */
export interface Spellings {
  /** True if a word of the field begins with the given word. */
  known: boolean;
  /**
   * Words that differ in one letter or in the order of two neighbouring letters, each with the number of resources that have it. The most
   * frequent word comes first.
   */
  near: KeyCount[];
  /** The ways to split the given word in two so that the first part is a word of the field, and the second is the beginning of one. */
  apart: [string, string][];
}

export interface StoredResource {
  /** Number in the alphabetical order of the type. It is unique, and does not change within a snapshot. */
  position: number;
  id: string;
  versionId: string;
  /** FHIR instant. */
  lastUpdated: string;
  /** The whole resource as JSON text, including `meta`. It is copied into a Bundle without being parsed. */
  json: string;
}

export interface SearchPage {
  matches: StoredResource[];
  /** True if there are further matches after the last one. With `SearchQuery.before`: true if there are matches before the first one. */
  more: boolean;
  /** Number of all matches; undefined if the query did not ask for it, or if counting was too costly. */
  total?: number;
}

/** A resource that an earlier edition had, but this edition does not have. A request for it gets the HTTP status 410. */
export interface GoneResource {
  id: string;
  /** FHIR instant of the first snapshot without the resource. */
  goneSince: string;
}

/** An edition from which a snapshot descends. */
export interface Edition {
  /** FHIR instant that its new and changed resources have as `meta.lastUpdated`. */
  created: string;
  /**
   * True if other editions were made between this edition and the one before it in the history. For example, a rollback leaves editions out
   * of the history.
   */
  apart: boolean;
}

/** A key of a field, and the number of resources that have it. */
export interface KeyCount {
  key: string;
  count: number;
}

/** An open snapshot. Every method may be called while others run. */
export interface Snapshot {
  readonly id: string;
  /**
   * Identifies the content that is served, if corrections hide a part of the file. It changes whenever the served content changes. Absent
   * if nothing is hidden.
   */
  readonly state?: string;
  /**
   * Searches a type. In addition to the fields of `INDEX_FIELDS`, every type has `id`, matched by `exact` with ids without the type, and
   * `_lastUpdated`, matched by `range` with `StoredResource.lastUpdated`.
   */
  search(query: SearchQuery, options?: SearchOptions): Promise<SearchPage>;
  /** Finds words of a field that are similar to the folded `word`. After `within` milliseconds, returns those found so far. */
  spellings(type: ResourceType, asked: { field: string; word: string; within: number }): Promise<Spellings>;
  read(type: ResourceType, id: string): Promise<StoredResource | undefined>;
  /** The keys of a field with few different keys, sorted by key, each with the number of resources that have it. */
  codes(type: ResourceType, field: string): Promise<readonly KeyCount[]>;
  /** Returns a removed resource. A removal is known only if the previous snapshot had the resource or knew of the removal. */
  gone(type: ResourceType, id: string): Promise<GoneResource | undefined>;
  counts(): Promise<Record<ResourceType, number>>;
  /** The editions from which the snapshot descends. The last one is its own edition. All removals since the first one are known. */
  history(): Promise<readonly Edition[]>;
  /**
   * Returns resources as JSON, one line for each. They are numbered from 0 in the order in which they were stored. The result has the
   * numbers from `from` up to, but without, `to`. Ask for some hundreds at a time.
   */
  scan(type: ResourceType, range: { from: number; to: number }): Promise<string>;
  /** Returns the next `limit` removed resources after the id `after`, in the order of ids. If it returns fewer, no others follow. */
  listGone(type: ResourceType, page: { after?: string; limit: number }): Promise<GoneResource[]>;
  /** Closes the snapshot as soon as the running searches have ended. */
  close(): Promise<void>;
}
