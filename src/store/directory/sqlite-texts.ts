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

/** After so many values of a property its marks must have served for one in eight, or they are no longer looked for. */
const TRIALS = 2000;

/** How often a run of marks must have come before it has a mark of its own, and how many runs are counted. */
const RUN_SEEN = 16;
const RUNS_COUNTED = 50_000;

export interface TextPacker {
  /** The JSON text of a resource behind `resourceType` and `id`, packed. Frozen parts are taken to come again. */
  pack(resource: Readonly<Record<string, unknown>>): string;
  /** Texts of the marks, by number; it grows while the packer learns. */
  readonly texts: readonly string[];
  /**
   * Learns no more: from here on the packed text depends on the resource alone, and packers with the same texts agree.
   * `texts`: those of a packer that has learned, instead of its own.
   */
  settle(texts?: readonly string[]): void;
}

interface Property {
  /** `"name":` */
  head: string;
  /** Packed text of the pair for each value that has one. */
  values: Map<unknown, string>;
  /** Look-ups in `values` left before it must have proved useful, and how many found something. */
  trials: number;
  hits: number;
}

/** @param texts marks of the snapshot before: with the same ones, an unchanged resource mostly has the same text. */
export function createTextPacker(texts: readonly string[] = []): TextPacker {
  let table = [...texts];
  let marks = new Map(table.map((text, number) => [text, markOf(number)]));
  let properties = new Map<string, Property>();
  let frozen = new WeakMap<object, string>();
  let learning = true;
  const runs = new Map<string, string | number>();
  let done = '';
  // Marks and punctuation since the last text of the resource's own: what repeats whole gets one mark.
  let run = '';

  /** The mark of a text, a new one while there are some; else the text itself. */
  const markFor = (text: string): string => {
    const known = marks.get(text);
    if (known !== undefined) return known;
    if (!learning || text.length < 4 || table.length === MARKS) return text;
    const mark = markOf(table.push(text) - 1);
    marks.set(text, mark);
    return mark;
  };

  const shortened = (): string => {
    const known = runs.get(run);
    if (typeof known === 'string') return known;
    if (known === undefined) {
      if (runs.size >= RUNS_COUNTED) return run;
      const before = marks.get(unpackText(run, table));
      runs.set(run, before ?? (learning ? 1 : run));
      return before ?? run;
    }
    if (known < RUN_SEEN || table.length === MARKS) {
      runs.set(run, known + 1);
      return run;
    }
    const mark = markFor(unpackText(run, table));
    runs.set(run, mark);
    return mark;
  };

  const endRun = () => {
    done += run.length > 2 ? shortened() : run;
    run = '';
  };

  const putOwn = (text: string) => {
    endRun();
    done += text;
  };

  const propertyOf = (name: string): Property => {
    let property = properties.get(name);
    if (property === undefined) {
      property = { head: markFor(`${JSON.stringify(name)}:`), values: new Map(), trials: TRIALS, hits: 0 };
      properties.set(name, property);
    }
    return property;
  };

  const putPair = (name: string, value: unknown): void => {
    const property = propertyOf(name);
    if (typeof value === 'object' && value !== null) {
      run += property.head;
      putObject(value);
      return;
    }
    const known = property.trials > 0 || property.hits > TRIALS / 8 ? property.values.get(value) : undefined;
    if (learning) property.trials--;
    if (known !== undefined) {
      property.hits++;
      run += known;
      return;
    }
    const text = typeof value === 'string' ? quote(value) : JSON.stringify(value);
    if (!learning || property.values.size >= VALUES_PER_PROPERTY) {
      run += property.head;
      putOwn(text);
      return;
    }
    const pair = markFor(`${JSON.stringify(name)}:${text}`);
    property.values.set(value, pair);
    if (pair.charCodeAt(0) < 0x20) run += pair;
    else putOwn(pair);
  };

  const putObject = (value: object): void => {
    if (Object.isFrozen(value)) {
      let known = frozen.get(value);
      if (known === undefined) {
        known = markFor(JSON.stringify(value));
        frozen.set(value, known);
      }
      if (known.charCodeAt(0) < 0x20) run += known;
      else putOwn(known);
      return;
    }
    if (Array.isArray(value)) {
      run += '[';
      for (let at = 0; at < value.length; at++) {
        if (at > 0) run += ',';
        const item = value[at];
        if (typeof item === 'object' && item !== null) putObject(item);
        else putOwn(typeof item === 'string' ? quote(item) : (JSON.stringify(item) ?? 'null'));
      }
      run += ']';
      return;
    }
    run += '{';
    let first = true;
    for (const name in value) {
      const member = (value as Record<string, unknown>)[name];
      if (member === undefined) continue;
      if (!first) run += ',';
      first = false;
      putPair(name, member);
    }
    run += '}';
  };

  /** The pairs of name and value that have marks, as `putPair` looks them up. */
  const knownProperties = (): Map<string, Property> => {
    const known = new Map<string, Property>();
    for (const text of table) {
      const pair = /^("(?:[^"\\]|\\.)*":)(.+)$/su.exec(text);
      const value = pair?.[2] === undefined ? undefined : scalarOf(pair[2]);
      if (pair?.[1] === undefined || value === undefined) continue;
      const name = JSON.parse(pair[1].slice(0, -1)) as string;
      const property = known.get(name) ?? { head: markFor(pair[1]), values: new Map(), trials: 1, hits: 0 };
      property.values.set(value, marks.get(text) as string);
      known.set(name, property);
    }
    return known;
  };

  return {
    get texts() {
      return table;
    },
    settle(learned = table) {
      learning = false;
      table = [...learned];
      marks = new Map(table.map((text, number) => [text, markOf(number)]));
      properties = knownProperties();
      frozen = new WeakMap();
      runs.clear();
    },
    pack(resource) {
      done = '';
      run = '';
      for (const name in resource) {
        const member = resource[name];
        if (name === 'resourceType' || name === 'id' || member === undefined) continue;
        run += ',';
        putPair(name, member);
      }
      run += '}';
      endRun();
      return done;
    },
  };
}

// Wider than needed (DEL to U+009F too): what is not plain only takes the slower way.
const PLAIN = /^[^"\\\p{Cc}\p{Cs}]*$/u;

function quote(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** A value that is no object, from its JSON text; `undefined` for everything else. */
function scalarOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? undefined : value;
  } catch {
    return undefined;
  }
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
