// Reads the objects of the FINESS JSON feed by a table of the names of their members. A file may spell a name in another way than the
// table. Unknown names, other spellings and unexpected values are counted.

import { isObject } from '#import/sources/json-values.ts';
import { shorten } from '#shared/log/printable.ts';
import { keyWord } from './bind-header.ts';
import type { JsonColumn } from './finess-json-columns.ts';
import { REPEATED } from './finess-row.ts';

/**
 * How one of the expected names is used in all objects of a file: how often it has a text, how often it has none although the object has
 * unknown names, and how often it has a value of an unexpected type.
 */
export interface KeyUse {
  /** The name as it is published, with its path. */
  path: string;
  needed: boolean;
  mapped: boolean;
  /** Number of objects in which the name has a text. */
  filled: number;
  /** Number of objects in which the name has no text, but which have unknown names. The name may have been renamed in these objects. */
  displaced: number;
  /** Number of values of an unexpected type, and a description of the first such value. */
  misfits: number;
  misfit?: string;
}

/** A property name that is not in the table, or that the table has in another spelling. */
interface OddKey {
  path: string;
  count: number;
  first: string;
}

/** Statistics about the property names in the JSON objects of all legal entities, or of all establishments. */
export interface KeyNotes {
  objects: number;
  /** Number of objects that have unknown property names. */
  strange: number;
  keys: readonly KeyUse[];
  unknown: ReadonlyMap<string, OddKey>;
  respelled: ReadonlyMap<string, OddKey>;
}

export interface FinessJsonNotes {
  structureej: KeyNotes;
  structureet: KeyNotes;
  /** Unknown property names in the root object of the file. */
  rootNames: Set<string>;
  /** Structures that have neither the state A nor the state I, grouped by their state. The key is empty for structures without a state. */
  oddStates: Map<string, { count: number; first: string }>;
  /**
   * `count` is the number of structures with a closing date before the date of the file. `open` is the number of those that are marked as
   * open nevertheless.
   */
  closed: { count: number; open: number };
}

interface Name {
  /** The name as it is published. */
  spelling: string;
  /** Path of the value of this name, with a dot at its end. */
  path: string;
  /** Index of the column. Absent if the value is only an object or a list with further names of the table. */
  column?: number;
  /** True if the value is not read. */
  omitted: boolean;
  /** True if the name may have several values, each of which is a text of its own. */
  list: boolean;
  inner: Names;
}

/**
 * The names of all objects at one place of the file, such as all elements of `adresse[]`. The keys are the spellings that occurred in these
 * objects. The value is undefined if a spelling belongs to no name of the table.
 */
type Names = Map<string, Name | undefined>;

/** Maximum number of unknown names that are counted separately. A file with more unknown names probably has identifiers as names. */
export const MOST_ODD = 50;
/** Maximum number of spellings in one `Names`. The limit is needed because a file may have ever new names, which would fill the memory. */
const MOST_SPELLINGS = 200;
const OTHERS = '(others)';
/** Maximum number of characters of an unknown name in a report. */
export const LONGEST_NAME = 200;
const ADDRESSES = 'adresse';

export type JsonKeys = ReturnType<typeof createJsonKeys>;

/**
 * @param level the path before every name, such as `pmej[].ege[].`
 * @param use code of the address that is read. If no address has this code, the first address is read.
 * @param clean cleans a text. `at` is the place of the text for messages, as in `read`.
 */
export function createJsonKeys(
  columns: readonly JsonColumn[],
  level: string,
  use: string,
  clean: (text: string, at: string) => string,
) {
  const root: Names = new Map();
  for (const [index, column] of columns.entries()) addName(root, column, index, level);
  const ofUse = columns.findIndex(({ key }) => key === 'use');
  const uses: KeyUse[] = columns.map(({ label, to, needed = false }) => {
    return { path: level + label, needed, mapped: to !== undefined, filled: 0, displaced: 0, misfits: 0 };
  });
  const unknown = new Map<string, OddKey>();
  const respelled = new Map<string, OddKey>();
  const notes: KeyNotes = { objects: 0, strange: 0, keys: uses, unknown, respelled };
  let where = '';
  let strange = false;
  let texts: string[] = [];
  let structures: unknown[] = [];

  function note(odd: Map<string, OddKey>, path: string): void {
    const short = shorten(path, LONGEST_NAME);
    const key = odd.has(short) || odd.size < MOST_ODD ? short : OTHERS;
    const known = odd.get(key);
    if (known) known.count++;
    else odd.set(key, { path: key, count: 1, first: where });
  }

  function misfit(column: number | undefined, what: string): void {
    const one = column === undefined ? undefined : uses[column];
    if (!one) return;
    one.misfits++;
    one.misfit ??= `${what} (${where})`;
  }

  function readObject(object: Record<string, unknown>, names: Names, within: string, keep: boolean): void {
    for (const spelling of Object.keys(object)) {
      const name = nameOf(names, spelling);
      if (name === undefined) {
        strange = true;
        note(unknown, within + spelling);
        continue;
      }
      if (name.spelling !== spelling) note(respelled, within + spelling);
      if (name.omitted) continue;
      if (name.inner.size > 0) readInner(object[spelling], name, keep);
      else if (keep) readText(object[spelling], name);
    }
  }

  /**
   * Reads the elements of a list. A single object is read like a list of one element, because programs that write the file easily confuse
   * the two.
   */
  function readInner(value: unknown, name: Name, keep: boolean): void {
    if (value === null || value === undefined) return;
    const elements = Array.isArray(value) ? value : [value];
    const chosen = name.spelling === ADDRESSES ? chooseAddress(elements, name.inner) : undefined;
    for (const element of elements) {
      if (isObject(element)) readObject(element, name.inner, name.path, keep && (chosen ?? element) === element);
      else if (element !== null && element !== '') misfitOfAll(name.inner, describe(element));
    }
  }

  function misfitOfAll(names: Names, what: string): void {
    for (const name of names.values()) misfit(name?.column, what);
  }

  function chooseAddress(addresses: readonly unknown[], names: Names): unknown {
    const objects = addresses.filter(isObject);
    const hasUse = (address: Record<string, unknown>) =>
      Object.entries(address).some(([spelling, value]) => value === use && nameOf(names, spelling)?.column === ofUse);
    return objects.find(hasUse) ?? objects[0];
  }

  function readText(value: unknown, { column = -1, list }: Name): void {
    if (value === null || value === undefined) return;
    const values: unknown[] = Array.isArray(value) ? value : [value];
    if (columns[column]?.structures) {
      structures = values;
      texts[column] = values.length > 0 ? 'some' : '';
      return;
    }
    if (values.length > 1 && !list) misfit(column, 'a list');
    for (const single of values) addText(single, column, list);
  }

  /** Adds a value to the text of a column. If the column has a text already, only a value of a list is added. */
  function addText(value: unknown, column: number, list: boolean): void {
    if (value === null) return;
    if (typeof value !== 'string') misfit(column, describe(value));
    if (typeof value !== 'string' && typeof value !== 'number') return;
    const text = clean(String(value), where).trim();
    if (text === '') return;
    const known = texts[column];
    if (known === '') texts[column] = text;
    else if (list) texts[column] = known + REPEATED + text;
  }

  return {
    /**
     * Reads an object. Returns its texts, each at the index of its column, and the structures that the object contains. If an object has
     * the same name in several spellings, the first one with a text is read.
     * @param at the place of the object, for messages
     */
    read(object: Record<string, unknown>, at: string): { texts: string[]; structures: unknown[] } {
      notes.objects++;
      where = at;
      strange = false;
      texts = columns.map(() => '');
      structures = [];
      readObject(object, root, level, true);
      if (strange) notes.strange++;
      for (const [column, one] of uses.entries()) {
        if (texts[column] !== '') one.filled++;
        else if (strange) one.displaced++;
      }
      return { texts, structures };
    },
    notes,
  };
}

function nameOf(names: Names, spelling: string): Name | undefined {
  const known = names.get(spelling);
  if (known !== undefined || names.has(spelling)) return known;
  const word = keyWord(spelling);
  const name = names.values().find((one) => one !== undefined && keyWord(one.spelling) === word);
  if (names.size < MOST_SPELLINGS) names.set(spelling, name);
  return name;
}

function addName(root: Names, { label, to, checked }: JsonColumn, column: number, level: string): void {
  let names = root;
  let path = level;
  let list = false;
  const parts = label.split('.');
  for (const [depth, part] of parts.entries()) {
    const spelling = part.replace('[]', '');
    // The names inside `adresse[]` have a single value, because only one of the addresses is read.
    list ||= part !== spelling && spelling !== ADDRESSES;
    const last = depth === parts.length - 1;
    path += `${part}.`;
    const name: Name = names.get(spelling) ?? {
      spelling,
      path,
      omitted: last && to === undefined && !checked,
      list,
      inner: new Map(),
    };
    if (last) name.column = column;
    names.set(spelling, name);
    names = name.inner;
  }
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return isObject(value) ? 'an object' : `the ${typeof value} ${value}`.slice(0, 40);
}
