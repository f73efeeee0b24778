// Owns the text of resources as a snapshot file holds it: JSON in which repeated parts (a coding, `"use":"work"`) are
// replaced by short marks, and the table of those marks. Does not own where text and table are stored.
//
// A mark begins with a control character, which JSON text never holds as it is: \x01-\x1e and one character, or \x1f
// and two, from the 96 characters \x20-\x7f. Text and marks alike stay ASCII or nearly so, and short strings.

const FOLLOWERS = 96;
const SHORT_MARKS = 30 * FOLLOWERS;
const MARKS = SHORT_MARKS + FOLLOWERS * FOLLOWERS;

/** Values of one property that may have marks: beyond that it is no code but something of its own. */
const VALUES_PER_PROPERTY = 64;

export interface TextPacker {
  /** The JSON text of a resource behind `resourceType` and `id`, packed. Frozen parts are taken to come again. */
  pack(resource: Readonly<Record<string, unknown>>): string;
  /** Texts of the marks, by number; it grows. */
  readonly texts: readonly string[];
}

interface Property {
  /** `"name":` */
  head: string;
  /** Packed text of the pair for each value that has one. */
  values: Map<unknown, string>;
}

/** @param texts marks of the snapshot before: with the same ones, an unchanged resource has the same packed text. */
export function createTextPacker(texts: readonly string[] = []): TextPacker {
  const table = [...texts];
  const marks = new Map(table.map((text, number) => [text, markOf(number)]));
  const properties = new Map<string, Property>();
  const frozen = new WeakMap<object, string>();

  /** The mark of a text, a new one while there are some; else the text itself. */
  const markFor = (text: string): string => {
    const known = marks.get(text);
    if (known !== undefined) return known;
    if (text.length < 4 || table.length === MARKS) return text;
    const mark = markOf(table.push(text) - 1);
    marks.set(text, mark);
    return mark;
  };

  const propertyOf = (name: string): Property => {
    let property = properties.get(name);
    if (property === undefined) {
      property = { head: markFor(`${JSON.stringify(name)}:`), values: new Map() };
      properties.set(name, property);
    }
    return property;
  };

  const packPair = (name: string, value: unknown): string => {
    const property = propertyOf(name);
    if (typeof value === 'object' && value !== null) return property.head + packObject(value);
    const known = property.values.get(value);
    if (known !== undefined) return known;
    const text = typeof value === 'string' ? quote(value) : JSON.stringify(value);
    if (property.values.size >= VALUES_PER_PROPERTY) return property.head + text;
    const pair = markFor(`${JSON.stringify(name)}:${text}`);
    property.values.set(value, pair);
    return pair;
  };

  const packObject = (value: object): string => {
    if (Object.isFrozen(value)) {
      let known = frozen.get(value);
      if (known === undefined) {
        known = markFor(JSON.stringify(value));
        frozen.set(value, known);
      }
      return known;
    }
    let text = '';
    if (Array.isArray(value)) {
      for (let at = 0; at < value.length; at++) {
        if (at > 0) text += ',';
        const item = value[at];
        if (typeof item === 'string') text += quote(item);
        else if (typeof item === 'object' && item !== null) text += packObject(item);
        else text += JSON.stringify(item) ?? 'null';
      }
      return `[${text}]`;
    }
    for (const name in value) {
      const member = (value as Record<string, unknown>)[name];
      if (member === undefined) continue;
      text += text === '' ? packPair(name, member) : `,${packPair(name, member)}`;
    }
    return `{${text}}`;
  };

  return {
    texts: table,
    pack(resource) {
      let text = '';
      for (const name in resource) {
        const member = resource[name];
        if (name === 'resourceType' || name === 'id' || member === undefined) continue;
        text += `,${packPair(name, member)}`;
      }
      return `${text}}`;
    },
  };
}

// Wider than needed (DEL to U+009F too): what is not plain only takes the slower way.
const PLAIN = /^[^"\\\p{Cc}\p{Cs}]*$/u;

function quote(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function markOf(number: number): string {
  if (number < SHORT_MARKS) {
    return String.fromCharCode(1 + Math.floor(number / FOLLOWERS), 0x20 + (number % FOLLOWERS));
  }
  const rest = number - SHORT_MARKS;
  return String.fromCharCode(0x1f, 0x20 + Math.floor(rest / FOLLOWERS), 0x20 + (rest % FOLLOWERS));
}

/** The JSON text of a packed one. */
export function unpackText(packed: string, texts: readonly string[]): string {
  let text = '';
  let from = 0;
  for (let at = 0; at < packed.length; at++) {
    const lead = packed.charCodeAt(at);
    if (lead >= 0x20) continue;
    if (at > from) text += packed.slice(from, at);
    let number = packed.charCodeAt(++at) - 0x20;
    if (lead === 0x1f) number = SHORT_MARKS + number * FOLLOWERS + packed.charCodeAt(++at) - 0x20;
    else number += (lead - 1) * FOLLOWERS;
    text += texts[number];
    from = at + 1;
  }
  return text + packed.slice(from);
}
