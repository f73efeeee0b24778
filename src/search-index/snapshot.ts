// The interface of a directory snapshot, which the import writes (`snapshot-writer.ts`) and the directory reads.

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

/** @see INDEX_FIELDS */
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

/** The type that each reference field leads to. A resource has one key at most in such a field, `Type/id` or an address elsewhere. */
export const REFERENCES: Record<ResourceType, Readonly<Record<string, ResourceType>>> = {
  Practitioner: {},
  Organization: { 'part-of': 'Organization' },
  PractitionerRole: { practitioner: 'Practitioner', organization: 'Organization' },
};

/** A resource that is to be stored in a snapshot. */
export interface IndexedResource {
  type: ResourceType;
  /** FHIR id, stable from edition to edition. */
  id: string;
  /** Folded text that defines the alphabetical order. The id breaks ties. */
  sortKey: string;
  /** The FHIR resource without `meta`. The snapshot adds `meta.versionId` and `meta.lastUpdated`. */
  resource: { resourceType: ResourceType; id: string; [element: string]: unknown };
  /**
   * Items by field. In a `words` field an item is plain text (one address, one name): the words of one query value must all be found within
   * one item. In an `exact` field an item is a key, as in `Clause`. In a `position` field it is a position (`positionItem`).
   * Lists of keys that many resources share may be marked by `repeated`.
   */
  index: Readonly<Record<string, readonly string[]>>;
}

/**
 * A query word. It matches a word that begins with `prefix` (if present), a word that is one of `whole`, and neighbouring words that together
 * make one of `joined` (`joined-words.ts`). All are folded (`tokenizer.ts`).
 */
export interface QueryWord {
  prefix?: string;
  whole: readonly string[];
  joined?: readonly string[];
}

/** Instants in milliseconds since 1970, from `from` on and before `to`. An absent bound means no bound. */
export interface InstantRange {
  from?: number;
  to?: number;
}

/**
 * One criterion on a field of the type itself. OR joins the alternatives; AND joins the words of one alternative, within one item of the
 * field. `not` finds the resources with none of the keys, including those with an empty field. `beginning` lists prefixes of keys and whole
 * keys, for fields with few different keys.
 * `present` asks whether the field has anything that a search can find.
 */
export type FieldClause =
  | { field: string; match: 'words'; anyOf: readonly (readonly QueryWord[])[] }
  | { field: string; match: 'exact'; anyOf: readonly string[]; not?: boolean }
  | { field: string; match: 'beginning'; anyOf: readonly string[]; whole?: readonly string[] }
  | { field: string; match: 'range'; anyOf: readonly InstantRange[] }
  | { field: string; match: 'near'; anyOf: readonly Circle[] }
  | { field: string; match: 'present'; present: boolean };

/**
 * A criterion on linked resources of type `of`, which must fulfil all of `clauses` and `exactly`. `chained`: `field` is a reference of the
 * searched type, and leads to the linked resource. `has`: `field` is a reference of type `of`, and at least one resource that refers to the
 * searched one must fulfil them.
 */
export interface ChainedClause {
  match: 'chained' | 'has';
  field: string;
  of: ResourceType;
  clauses: readonly FieldClause[];
  exactly?: readonly ExactText[];
  /** Ids of linked resources that count as fulfilling the criteria in any case. */
  also?: readonly string[];
}

export type Clause = FieldClause | ChainedClause;

/** Checks whether a criterion is on linked resources. */
export function isChained(clause: Clause): clause is ChainedClause {
  return clause.match === 'chained' || clause.match === 'has';
}

/** The fields that can order a search: a text by the words of its first item, a reference by the order of its targets. */
export const SORT_FIELDS: Readonly<Record<ResourceType, readonly string[]>> = {
  Practitioner: ['given', 'address-city'],
  Organization: ['address-city'],
  PractitionerRole: ['practitioner', 'organization'],
};

/**
 * An order: alphabetical, by `lastUpdated`, by a field of `SORT_FIELDS` or by distance. Resources with equal values are in alphabetical order,
 * those without a value come last. `distance` goes from the centre of the only circle of the clauses.
 */
export type OrderBy = { by: 'alphabet' | 'updated' | 'distance' } | { by: 'field'; field: string };
export type Order = OrderBy & {
  /** True if the order is reversed. */
  descending: boolean;
};

/** A criterion that a field holds one of the texts letter for letter (`ResourceChecks.hasText`). */
export interface ExactText {
  field: string;
  texts: readonly string[];
}

/** Checks of resources, given as JSON text, which only the caller of the index can make. */
export interface ResourceChecks {
  /** Checks whether a resource that was found by the hash of a key has that key, or one of several. */
  hasKey(type: ResourceType, field: string, keys: ReadonlySet<string>, json: string): boolean;
  /** Checks whether a field of a resource has one of the texts, letter for letter. */
  hasText(field: string, texts: readonly string[], json: string): boolean;
}

export interface SearchOptions {
  /** Called before the search begins and from time to time while it runs. Once it gives true, the search rejects with `Abandoned`. */
  abandoned?(): boolean;
}

export interface SearchQuery {
  type: ResourceType;
  /** Clauses joined by AND. An empty list matches every resource of the type. */
  clauses: readonly Clause[];
  /** Maximum number of matches; 0 for the total alone. */
  limit: number;
  /** The order of the matches; alphabetical if absent. */
  order?: Order;
  /** Position after which the page begins; undefined for the first page. */
  after?: number;
  /** Position before which the page ends, instead of `after`. The page has the last matches before it, in the same order. */
  before?: number;
  /**
   * Instant in milliseconds since 1970 of the resource at `after` or `before`, if the order is by `updated`, or its distance in millimetres,
   * if it is by `distance`.
   */
  instant?: number;
  /** True if an order by a field takes the resource at `after` or `before` for one without a value: a correction hides the value of the file. */
  valueless?: boolean;
  /**
   * Texts that each match must hold letter for letter, where the clauses find more than the search asks for. The total is then counted by
   * reading every match. Throws `TooCostly` when too many are read for one page.
   */
  exactly?: readonly ExactText[];
  /**
   * Whether all matches are counted: always, never, or only where that costs little. The same query in the same snapshot is always judged alike.
   */
  total: boolean | 'unless-costly';
  /** After so many milliseconds the search rejects with `Abandoned`, once it yields to others. */
  within?: number;
}

/** Words of a field of kind `words` that are like a given word. */
export interface Spellings {
  /** True if a word of the field begins with the given one. */
  known: boolean;
  /** Words with one letter different, or two that changed places, and how many resources have each: the commonest first, then by alphabet. */
  near: KeyCount[];
  /** The ways to split the given word in two, so that the first is a word of the field and the second begins one. */
  apart: [string, string][];
}

export interface StoredResource {
  /** Rank in the alphabetical order of its type, unique and stable within one snapshot. */
  position: number;
  id: string;
  versionId: string;
  /** FHIR instant. */
  lastUpdated: string;
  /** The whole resource as JSON text, including `meta`. It is placed in a Bundle without being parsed. */
  json: string;
}

export interface SearchPage {
  matches: StoredResource[];
  /** True if further matches follow the last one; with `SearchQuery.before`, if others precede the first one. */
  more: boolean;
  /** Present when it was asked for, or was cheap enough. */
  total?: number;
}

/** A resource that an earlier edition held and this one does not: HTTP answers 410. */
export interface GoneResource {
  id: string;
  /** FHIR instant of the first snapshot that lacked it. */
  goneSince: string;
}

/** An edition from which a snapshot descends. */
export interface Edition {
  /** FHIR instant that its new and changed resources carry as `meta.lastUpdated`. */
  created: string;
  /** True if other editions were made between this one and the one before it in the history, and then left by a rollback, for example. */
  apart: boolean;
}

/** A key of a field, and the number of resources that have it. */
export interface KeyCount {
  key: string;
  count: number;
}

/** An open snapshot. Every method may be called concurrently. */
export interface Snapshot {
  readonly id: string;
  /** Present if not all of the file is served. It then changes whenever the part that is served changes. */
  readonly state?: string;
  /**
   * Searches a type. Besides the fields of `INDEX_FIELDS`, every type has `id`, matched by `exact` with ids without the type, and
   * `_lastUpdated`, matched by `range` with `StoredResource.lastUpdated`.
   */
  search(query: SearchQuery, options?: SearchOptions): Promise<SearchPage>;
  /** Words of a field that are like the folded `word`, as far as they are found in `within` milliseconds. */
  spellings(type: ResourceType, asked: { field: string; word: string; within: number }): Promise<Spellings>;
  read(type: ResourceType, id: string): Promise<StoredResource | undefined>;
  /** The keys of a field with few different keys, and how many resources have each, in the order of the keys. */
  codes(type: ResourceType, field: string): Promise<readonly KeyCount[]>;
  /** Returns a removed resource. It is known only if the previous snapshot held it, or knew that it was removed. */
  gone(type: ResourceType, id: string): Promise<GoneResource | undefined>;
  counts(): Promise<Record<ResourceType, number>>;
  /** The editions that the snapshot descends from, its own last. Every removal since the first of them is known. */
  history(): Promise<readonly Edition[]>;
  /**
   * The resources from `from` to before `to` in the order of storage, which begins with 0: JSON, one line each. Ask for
   * some hundreds at a time.
   */
  scan(type: ResourceType, range: { from: number; to: number }): Promise<string>;
  /** The next `limit` removed resources, in the order of their ids after `after`. There are fewer at the end. */
  listGone(type: ResourceType, page: { after?: string; limit: number }): Promise<GoneResource[]>;
  /** Waits for the searches under way. */
  close(): Promise<void>;
}
