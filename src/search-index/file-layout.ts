// The layout of a snapshot file: its tables, the numbers of its fields, and the sizes that writer and reader must agree on. README.md
// describes the whole format.
//
// The comments of this folder use these words. The ordinal of a resource is its number among the resources of its type, in the order in
// which the writer received them. Its position is its number in alphabetical order. A segment is a range of at most 64,000 positions. An
// item is one text, key or geographic position in a field of a resource. A doc id is 65,536 times the number of a segment, plus the place
// of a resource or an item in that segment. A member is such a place alone. A posting list is the set of doc ids of a word or key. Prefix
// postings are one more list, for all words that begin with the same characters.

import { createHash } from 'node:crypto';
import { byType, type FieldMatch, INDEX_FIELDS, REFERENCES, RESOURCE_TYPES, type ResourceType } from './snapshot.ts';

/**
 * The version of the layout. Every change of tables, encodings or fields must raise it, because a release would otherwise misread older
 * files. A release also sees by this number that a file is older.
 */
const LAYOUT_VERSION = 5;

const SEGMENT_SIZE = 64_000;
export const BITMAP_WORDS = SEGMENT_SIZE / 32;

/**
 * Limits that only the writer applies. A reader does not need them: it reads every file, whatever the limits were when the file was
 * written.
 */
export interface ListLimits {
  /** Maximum number of resources in a segment, and also of items that one field has in a segment. It must not exceed SEGMENT_SIZE. */
  segment: number;
  /**
   * A list with at least this many doc ids in one segment is stored as a bitmap there. At most BITMAP_WORDS * 2, because a list of so many
   * doc ids has as many bytes as a bitmap, and a reader recognizes a bitmap by its number of bytes.
   */
  bitmap: number;
  /** A list of at most this many doc ids is stored in its row of `term`, and not in rows of `posting`. */
  inline: number;
  /**
   * Maximum number of lists in `posting` that a reader unites for one prefix. If a prefix has more of them, the writer also stores prefix
   * postings.
   */
  longLists: number;
  /**
   * Maximum number of lists in `term` that a reader unites for one prefix. If a prefix has more of them, the writer also stores prefix
   * postings.
   */
  shortLists: number;
  /**
   * The words of a large field are indexed in portions. A portion ends once its words have this many postings. A posting takes four bytes
   * of memory, so this limits the memory that an edition of any size needs.
   */
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

/**
 * Number of the first posting list of each type. Each type has a range of numbers for itself, so that files that were built for one type
 * each can be joined to a single file.
 */
export const FIRST_LIST = byType((type) => RESOURCE_TYPES.indexOf(type) * 2 ** 30);

/**
 * Maximum bytes of a small file. Such a file is read from a disk in a moment. So it is opened and read ahead without a thread, and a
 * service that starts waits for the reading before it uses the file.
 */
export const SMALL_FILE = 32 * 2 ** 20;

/** Bytes of a page of the SQLite file, chosen so that two bitmaps fit into one page. */
export const PAGE_SIZE = 16_384;

/** Maximum number of rows of `posting` for one list. A list has one row for each of its segments. */
export const SEGMENTS_PER_LIST = 65_536;

/**
 * The last character of each key in `term`, except the keys of hashes (`hashTermKey`). PREFIX_MARK: the row has the prefix postings of the
 * characters before the mark. The row sorts before the terms with that prefix. TERM_MARK: the row has the postings of a single term or key.
 */
export const PREFIX_MARK = '\u0001';
export const TERM_MARK = '\u0002';

/**
 * The first character of the keys in `term` that are joined words (`joined-words.ts`). Joined words have no prefix postings, because they
 * are only found as a whole.
 */
export const JOIN_MARK = '\u0003';

/**
 * A character that sorts after every character of a word. All words with a prefix therefore sort before the prefix followed by this
 * character.
 */
export const LAST_CHARACTER = '\u{10ffff}';

/**
 * The kinds of fields. `words` (tokenized text) and `keyword` (few different keys) have posting lists in `term`. `hash` (nearly as many
 * keys as resources) has entries in `key_hash`; only the keys `system|`, which are few, have lists in `term`. `instant` and `position` have
 * rows in the tables of these names. The instant of a resource is its `meta.lastUpdated`.
 */
export type FieldKind = 'words' | 'keyword' | 'hash' | 'instant' | 'position';

export interface Field {
  number: number;
  type: ResourceType;
  name: string;
  kind: FieldKind;
  /** The type of the resources that the field refers to; undefined if the field has no references. */
  target?: ResourceType;
}

const FEW_KEYS: ReadonlySet<string> = new Set(['qualification', 'active', 'type', 'role', 'specialty']);

/** Every indexed field, in the order of its number: the fields of `INDEX_FIELDS`, `id` and `_lastUpdated`. */
export const FIELDS: readonly Field[] = RESOURCE_TYPES.flatMap((type) => [
  ...Object.entries(INDEX_FIELDS[type]).map(([name, match]) => ({ type, name, match })),
  { type, name: 'id', match: 'exact' as const },
  { type, name: '_lastUpdated', match: 'range' as const },
]).map(({ type, name, match }, number) => {
  const target = REFERENCES[type][name];
  return { number, type, name, kind: kindOf(name, match), ...(target && { target }) };
});

/** The name of the layout, which consists of the version and a hash of the fields. A release can search only files with its own layout. */
export const LAYOUT = `${LAYOUT_VERSION}-${createHash('sha256').update(JSON.stringify(FIELDS)).digest('hex').slice(0, 8)}`;

/**
 * Checks whether a file has the layout of an earlier release. Such a file cannot be searched, but `read/stored-resources.ts` can read its
 * resources.
 */
export function isOlderLayout(layout: string | undefined): boolean {
  return Number.parseInt(layout ?? '', 10) < LAYOUT_VERSION;
}

function kindOf(name: string, match: FieldMatch | 'range'): FieldKind {
  if (match === 'words' || match === 'position') return match;
  if (match === 'range') return 'instant';
  return FEW_KEYS.has(name) ? 'keyword' : 'hash';
}

/**
 * Checks whether a key is `system|`, which all tokens of a system have. Many resources share such a key, while most other keys of the field
 * belong to one resource.
 */
export function isWideKey(key: string): boolean {
  return key.endsWith('|');
}

/**
 * Groups the fields of a type by what a record batch (`write/record-batch.ts`) contains for them: for `words` the texts of the items, for
 * `keyed` the numbers that stand for the keys, and for `paired` pairs of numbers. A pair is the two halves of a hash, or a latitude and a
 * longitude.
 */
export function fieldsOf(type: ResourceType): Record<'all' | 'words' | 'keyed' | 'paired', readonly Field[]> {
  const all = FIELDS.filter((field) => field.type === type);
  return {
    all,
    words: all.filter(({ kind }) => kind === 'words'),
    // Fields with keys in `term`. A field of kind `keyword` has all its keys there, a field of kind `hash` only its keys `system|`.
    keyed: all.filter(({ kind }) => kind === 'keyword' || kind === 'hash'),
    paired: all.filter(({ kind }) => kind === 'hash' || kind === 'position'),
  };
}

/** The table with the resources of each type. Its rows are in the order of the ordinals. */
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

/** Maximum number of buckets of one field, because at most 24 bits of a hash choose the bucket. */
export const BUCKETS_PER_FIELD = 2 ** 24;

/**
 * Stands in place of a doc id. In `key_hash` it means that the key has a posting list. In `reference_target` it means that the resource has
 * no reference to a resource of the snapshot.
 */
export const NO_DOC_ID = 0xffff_ffff;

/** Texts are sorted by their first words, of which this many are compared. Further words of a text make no difference. */
export const SORTED_WORDS = 8;

/**
 * In `field_order`, a resource without a value has this number in place of the number of its value: `narrow` in rows of 16-bit numbers,
 * `wide` in rows of 32-bit numbers.
 */
export const NO_VALUE = { narrow: 0xffff, wide: 0xffff_ffff };

/** Returns the key of a hash in the table `term`. Only a hash with too many doc ids for its bucket has a posting list in that table. */
export function hashTermKey(high: number, low: number): string {
  return `#${high.toString(16)}.${low.toString(16)}`;
}

/** Returns the bytes of an array of numbers, so that the array can be stored as a blob. */
export function blobOf(numbers: Float64Array | Uint32Array | Int32Array | Uint16Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** Copies a blob into a buffer of its own, so that it can be read as numbers of several bytes. Throws if the blob is missing. */
export function bufferOf(blob: Uint8Array | undefined): ArrayBuffer {
  if (blob === undefined) throw new Error('a part of the file is missing: import the edition again');
  return new Uint8Array(blob).buffer;
}
