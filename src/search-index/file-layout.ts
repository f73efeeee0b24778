// The layout of a snapshot file: its tables, the numbers of its fields, and the sizes that writer and reader must agree upon (README.md
// describes the whole format).

import { createHash } from 'node:crypto';
import { byType, type FieldMatch, INDEX_FIELDS, REFERENCES, RESOURCE_TYPES, type ResourceType } from './snapshot.ts';

/**
 * This number is raised whenever tables, encodings or fields change, because a file written before could be misread. It also tells a release that
 * a file is older.
 */
const LAYOUT_VERSION = 5;

const SEGMENT_SIZE = 64_000;
export const BITMAP_WORDS = SEGMENT_SIZE / 32;

/** Limits that only the writer needs. A reader follows what it finds. */
export interface ListLimits {
  /** Maximum number of resources in a segment, and of items of one field in it; not above SEGMENT_SIZE. */
  segment: number;
  /** From this number of doc ids on, the part of a list in one segment is a bitmap; not above BITMAP_WORDS * 2. */
  bitmap: number;
  /** Up to this number of doc ids, a list is stored within its row of `term` instead of in rows of `posting`. */
  inline: number;
  /** Maximum lists in `posting` that a reader unites for one prefix. If a prefix has more, prefix postings are stored. */
  longLists: number;
  /** The same limit for lists within `term`. */
  shortLists: number;
  /** Postings of a field that are collected at a time. Each takes four bytes, and that memory must not grow with the edition. */
  postings: number;
}

export const LIST_LIMITS: ListLimits = {
  segment: SEGMENT_SIZE,
  bitmap: BITMAP_WORDS * 2,
  inline: 512,
  longLists: 3,
  shortLists: 12,
  postings: 4_000_000,
};

/** Number of the first posting list of each type. The ranges do not overlap, so that types built in separate files can be joined. */
export const FIRST_LIST = byType((type) => RESOURCE_TYPES.indexOf(type) * 2 ** 30);

/**
 * Bytes up to which a file counts as small: it is read from a disk in a moment, so no thread is needed to open it or to read it ahead, and a
 * start waits for it.
 */
export const SMALL_FILE = 32 * 2 ** 20;

/** Bytes of a page of the file: two bitmaps. */
export const PAGE_SIZE = 16_384;

/** Rows of `posting` that one list may have. */
export const SEGMENTS_PER_LIST = 65_536;

/**
 * The last character of a key of `term`: PREFIX_MARK for prefix postings, which sort before the terms with that prefix, and TERM_MARK for a
 * single term or key.
 */
export const PREFIX_MARK = '\u0001';
export const TERM_MARK = '\u0002';

/** The first character of a key of `term` that neighbouring words make together. Such keys have no prefix postings. */
export const JOIN_MARK = '\u0003';

/** A character that sorts after every continuation of a word. */
export const LAST_CHARACTER = '\u{10ffff}';

/**
 * Kinds of fields. `words` (tokenized text) and `keyword` (few different keys) have posting lists in `term`. `hash` (nearly as many keys as
 * resources) has entries in `key_hash`, and lists in `term` for its few keys of whole systems, `system|`. `instant` and `position` have
 * rows in the tables of that name; instants are the dates that the builder gives.
 */
export type FieldKind = 'words' | 'keyword' | 'hash' | 'instant' | 'position';

export interface Field {
  number: number;
  type: ResourceType;
  name: string;
  kind: FieldKind;
  /** The type that a reference field leads to. */
  target?: ResourceType;
}

const FEW_KEYS: ReadonlySet<string> = new Set(['qualification', 'active', 'type', 'role', 'specialty']);

/** Every indexed field in the order of its number: those of `INDEX_FIELDS`, with `id` and `_lastUpdated`. */
export const FIELDS: readonly Field[] = RESOURCE_TYPES.flatMap((type) => [
  ...Object.entries(INDEX_FIELDS[type]).map(([name, match]) => ({ type, name, match })),
  { type, name: 'id', match: 'exact' as const },
  { type, name: '_lastUpdated', match: 'range' as const },
]).map(({ type, name, match }, number) => {
  const target = REFERENCES[type][name];
  return { number, type, name, kind: kindOf(name, match), ...(target && { target }) };
});

/** The layout of a file, on which reader and writer must agree: the version and a digest of the fields. */
export const LAYOUT = `${LAYOUT_VERSION}-${createHash('sha256').update(JSON.stringify(FIELDS)).digest('hex').slice(0, 8)}`;

/** Checks whether a file has the layout of an earlier release. `read/stored-resources.ts` can still read its resources. */
export function isOlderLayout(layout: string | undefined): boolean {
  return Number.parseInt(layout ?? '', 10) < LAYOUT_VERSION;
}

function kindOf(name: string, match: FieldMatch | 'range'): FieldKind {
  if (match === 'words' || match === 'position') return match;
  if (match === 'range') return 'instant';
  return FEW_KEYS.has(name) ? 'keyword' : 'hash';
}

/** Checks whether a key stands for many resources, though most keys of its field stand for one. */
export function isWideKey(key: string): boolean {
  return key.endsWith('|');
}

/** The fields of a type in the groups in which a batch carries their items and keys. */
export function fieldsOf(type: ResourceType): Record<'all' | 'words' | 'keyed' | 'paired', readonly Field[]> {
  const all = FIELDS.filter((field) => field.type === type);
  return {
    all,
    words: all.filter(({ kind }) => kind === 'words'),
    // Their keys, or some of them, have lists in `term`: a field of kind `hash` has its keys of whole systems there.
    keyed: all.filter(({ kind }) => kind === 'keyword' || kind === 'hash'),
    paired: all.filter(({ kind }) => kind === 'hash' || kind === 'position'),
  };
}

/** Table with the resources of a type, in the order of their arrival. */
export const TABLE_OF: Record<ResourceType, string> = {
  Practitioner: 'practitioner',
  Organization: 'organization',
  PractitionerRole: 'practitioner_role',
};

const resourceTables = Object.values(TABLE_OF).map(
  (table) => `
  -- body: the JSON text that follows resourceType and id, encoded (text-dictionary.ts); updated: milliseconds since 1970
  create table ${table} (ordinal integer primary key, id text not null, version integer not null,
    updated integer not null, body text not null);`,
);

export const SCHEMA = `
  create table property (name text primary key, value text not null) without rowid;
  -- the texts that marks in bodies stand for
  create table dictionary (type text, number integer, text text not null, primary key (type, number)) without rowid;
  -- bits: how many of a hash choose its bucket
  create table field (number integer primary key, type text not null, name text not null, kind text not null,
    bits integer not null);
  ${resourceTables.join('')}
  -- ordinals: Uint32 for each resource of the segment, in alphabetical order
  create table segment (type text, segment integer, ordinals blob not null, primary key (type, segment));
  -- parents: Uint16 for each item that is not the first of its resource, that resource's doc id; no row without such items
  create table item_parent (field integer, segment integer, parents blob not null, primary key (field, segment));
  -- doc_freq: resources in the list; members, as Uint16: (segment, n, n doc ids)..., or the segments with rows of posting
  create table term (field integer, key text, doc_freq integer not null, list integer, members blob not null,
    primary key (field, key)) without rowid;
  create table posting (id integer primary key, members blob not null);
  -- entries: (high, low, doc id) as Uint32; doc id NO_DOC_ID: a longer list is in \`term\` under the hash
  create table key_hash (id integer primary key, entries blob not null);
  -- by segment: times Float64 rising, ends Uint32 of each time among the members, members Uint16 in the order of time
  create table instant (field integer, segment integer, times blob not null, ends blob not null, members blob not null,
    primary key (field, segment));
  -- targets: Uint32 for each resource of the segment, the doc id that its reference leads to, or NO_DOC_ID
  create table reference_target (field integer, segment integer, targets blob not null, primary key (field, segment));
  -- by segment: numbers of the values of its resources, Uint16 or Uint32 (null: those of reference_target), and ordered Uint16, the doc ids
  -- in the order of these numbers
  create table field_order (field integer, segment integer, numbers blob, ordered blob not null,
    primary key (field, segment));
  -- by segment: latitudes Int32 rising and longitudes Int32, millionths of degrees, and members Uint16 in their order
  create table position (field integer, segment integer, latitudes blob not null, longitudes blob not null,
    members blob not null, primary key (field, segment));
  create table gone (type text, id text, version integer not null, since integer not null, primary key (type, id))
    without rowid;
`;

/** Buckets that one field may have. */
export const BUCKETS_PER_FIELD = 2 ** 24;

/** Replaces the doc id in an entry of `key_hash` if the list is long, and the target of a reference that leads nowhere. */
export const NO_DOC_ID = 0xffff_ffff;

/** Number of words of a text that decide its place in an order. Further words do not matter. */
export const SORTED_WORDS = 8;

/** Replaces the number of a value in `field_order` for a resource that has none, in rows of 16 and of 32 bits. */
export const NO_VALUE = { narrow: 0xffff, wide: 0xffff_ffff };

/** Key in `term` of the long list of a hash. */
export function hashTermKey(high: number, low: number): string {
  return `#${high.toString(16)}.${low.toString(16)}`;
}

/** The bytes of numbers, to be stored as a blob. */
export function blobOf(numbers: Float64Array | Uint32Array | Int32Array | Uint16Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** A copy of a blob, which can be read as wider numbers wherever the blob lies in memory. Throws where the blob is missing. */
export function bufferOf(blob: Uint8Array | undefined): ArrayBuffer {
  if (blob === undefined) throw new Error('a part of the file is missing: import the edition again');
  return new Uint8Array(blob).buffer;
}
