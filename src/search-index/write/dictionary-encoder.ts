// Encodes resources as JSON in UTF-8. It learns repeated parts, and replaces them with short marks.
//
// Names of properties, and pairs of name and value, have marks. Most repeated texts are runs: several such marks, with the punctuation
// between them. A frequent run gets a mark of its own. Runs are looked up in a tree, part by part, so that no string is built for the
// look-up.

import { isRepeated } from '#search-index/snapshot-writer.ts';
import { decodeText, MARKS, markOf, marksByText, scalarOf } from '#search-index/text-dictionary.ts';

/** Maximum values of one property that get marks. A property with more values holds no codes, so further marks would rarely be used. */
const VALUES_PER_PROPERTY = 64;

/** After this many values of a property, its marks are only looked up if at least one value in eight has had a mark. */
const TRIALS = 2000;

/** `RUN_SEEN`: number of occurrences after which a run gets a mark. `MOST_RUNS`: maximum number of runs in the tree. */
const RUN_SEEN = 16;
const MOST_RUNS = 50_000;

export interface DictionaryEncoder {
  /**
   * Encodes the JSON text that follows `resourceType` and `id`, in UTF-8. The result is valid until the next call. A part that is marked as
   * `repeated` gets one mark.
   */
  encode(resource: Readonly<Record<string, unknown>>): Buffer;
  /** The texts that marks replace, by the numbers of the marks. The list grows while the encoder learns. */
  readonly texts: readonly string[];
  /**
   * Stops learning. From then on, encoders with the same texts encode a resource alike, as long as their trees have fewer than `MOST_RUNS`
   * runs. In a full tree, a run that is not there yet is written without its mark.
   * @param texts the texts that another encoder has learned; by default, those of this encoder
   */
  freeze(texts?: readonly string[]): void;
}

/** A part of a run: a mark, or a text that many resources share, perhaps with punctuation before it. */
interface Piece {
  number: number;
  encoded: string;
  bytes: Buffer;
}

/** A node in the tree of runs. It stands for the run of all pieces from the root to this node. */
interface Run {
  number: number;
  encoded: string;
  next: Map<number, Run>;
  /** The child in `next` that was used last. It is tried before the map, because it is often used again, and the map takes longer. */
  recent: Run | undefined;
  /** The stored form of the run. It is kept as soon as learning can no longer change it. */
  bytes: Buffer | undefined;
  /** Number of occurrences of the run. They are counted only until the run has a mark. */
  seen: number;
}

/** A piece in two forms: for the first member of an object, and for later members. */
interface Pair {
  first: Piece;
  next: Piece;
}

interface Property {
  /** The text `"name":`. */
  head: Pair;
  /** For each value, the mark of the pair of name and value; null if the pair got no mark. */
  values: Map<unknown, Pair | null>;
  trials: number;
  hits: number;
}

/** @param texts texts of the previous snapshot; with the same texts, an unchanged resource usually has the same encoded text */
export function createDictionaryEncoder(texts: readonly string[] = []): DictionaryEncoder {
  let table = [...texts];
  let marks = marksByText(table);
  let properties = new Map<string, Property>();
  let learning = true;
  let out = Buffer.allocUnsafeSlow(4096);
  let end = 0;

  let pieces = 0;
  const piece = (encoded: string): Piece => ({ number: pieces++, encoded, bytes: Buffer.from(encoded) });
  const pairOf = (encoded: string): Pair => ({ first: piece(`{${encoded}`), next: piece(`,${encoded}`) });
  const pairFor = (mark: string | undefined): Pair | null => (mark === undefined ? null : pairOf(mark));
  const punctuation = { close: piece('}'), empty: piece('{}'), open: piece('['), shut: piece(']'), comma: piece(',') };
  const repeatedPieces = new Map<object, Piece | null>();

  const newRun = (number: number, encoded: string): Run => {
    return { number, encoded, next: new Map(), recent: undefined, bytes: undefined, seen: 0 };
  };
  let root = newRun(-1, '');
  let runs = 0;
  let run = root;

  /** Returns the mark of a text; undefined if the text has none. While the encoder learns, a new text gets a mark if any is left. */
  const markFor = (text: string): string | undefined => {
    const known = marks.get(text);
    if (known !== undefined) return known;
    if (!learning || text.length < 4 || table.length === MARKS) return undefined;
    const mark = markOf(table.push(text) - 1);
    marks.set(text, mark);
    return mark;
  };

  const reserve = (size: number) => {
    if (end + size <= out.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(out.length * 2, end + size));
    out.copy(larger, 0, 0, end);
    out = larger;
  };
  const putBytes = (bytes: Buffer) => {
    reserve(bytes.length);
    for (let at = 0; at < bytes.length; at++) out[end++] = bytes[at] as number;
  };

  /** Returns the encoded text of a run that ends at this node: its own mark, or the marks and characters of its parts. */
  const encodedRun = (ended: Run): Buffer => {
    if (ended.encoded.length > 2 && ended.bytes === undefined) {
      const text = decodeText(ended.encoded, table);
      const again = learning && ended.seen++ >= RUN_SEEN && table.length < MARKS;
      const mark = again ? markFor(text) : marks.get(text);
      if (mark === undefined && learning && table.length < MARKS) return Buffer.from(ended.encoded);
      ended.bytes = Buffer.from(mark ?? ended.encoded);
    }
    ended.bytes ??= Buffer.from(ended.encoded);
    return ended.bytes;
  };
  const endRun = () => {
    if (run === root) return;
    putBytes(run.bytes ?? encodedRun(run));
    run = root;
  };
  const put = (next: Piece) => {
    if (run.recent?.number === next.number) {
      run = run.recent;
      return;
    }
    const known = run.next.get(next.number);
    if (known !== undefined) {
      run.recent = known;
      run = known;
      return;
    }
    if (runs === MOST_RUNS) {
      putLiteral(next.bytes);
      return;
    }
    const made = newRun(next.number, run.encoded + next.encoded);
    run.next.set(next.number, made);
    runs++;
    run = made;
  };

  const putLiteral = (bytes: Buffer) => {
    endRun();
    putBytes(bytes);
  };
  /** Writes a text that only this resource has, in quotes. */
  const putString = (text: string) => {
    endRun();
    reserve(text.length * 2 + 2);
    const start = end;
    out[end++] = 34;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code < 32 || code === 34 || code === 92 || (code >= 127 && code < 160) || code > 0x7ff) {
        end = start;
        putBytes(Buffer.from(JSON.stringify(text)));
        return;
      }
      if (code < 127) out[end++] = code;
      else {
        out[end++] = 0xc0 | (code >> 6);
        out[end++] = 0x80 | (code & 63);
      }
    }
    out[end++] = 34;
  };
  const putScalar = (value: unknown) => {
    if (typeof value === 'string') putString(value);
    else putLiteral(Buffer.from(JSON.stringify(value) ?? 'null'));
  };

  const propertyOf = (name: string): Property => {
    let property = properties.get(name);
    if (property === undefined) {
      const head = `${JSON.stringify(name)}:`;
      property = { head: pairOf(markFor(head) ?? head), values: new Map(), trials: TRIALS, hits: 0 };
      properties.set(name, property);
    }
    return property;
  };

  const putPair = (name: string, value: unknown, position: 'first' | 'next'): void => {
    const property = propertyOf(name);
    if (typeof value === 'object' && value !== null) {
      put(property.head[position]);
      putObject(value);
      return;
    }
    const { values } = property;
    const looked = property.trials > 0 || property.hits > TRIALS / 8;
    let known = looked && values.size > 0 ? values.get(value) : undefined;
    if (learning) {
      property.trials--;
      if (known === undefined && values.size < VALUES_PER_PROPERTY) {
        const text = `${JSON.stringify(name)}:${JSON.stringify(value)}`;
        known = pairFor(markFor(text));
        values.set(value, known);
      }
    }
    if (known) {
      property.hits++;
      put(known[position]);
      return;
    }
    put(property.head[position]);
    putScalar(value);
  };

  const putRepeated = (value: object) => {
    let known = repeatedPieces.get(value);
    if (known === undefined) {
      const mark = markFor(JSON.stringify(value));
      known = mark === undefined ? null : piece(mark);
      repeatedPieces.set(value, known);
    }
    if (known) put(known);
    else putLiteral(Buffer.from(JSON.stringify(value)));
  };

  const putArray = (items: readonly unknown[]) => {
    put(punctuation.open);
    for (let at = 0; at < items.length; at++) {
      if (at > 0) put(punctuation.comma);
      const item = items[at];
      if (typeof item === 'object' && item !== null) putObject(item);
      else putScalar(item);
    }
    put(punctuation.shut);
  };
  const putMembers = (object: Readonly<Record<string, unknown>>) => {
    let position: 'first' | 'next' = 'first';
    for (const name in object) {
      const member = object[name];
      if (member === undefined) continue;
      putPair(name, member, position);
      position = 'next';
    }
    put(position === 'first' ? punctuation.empty : punctuation.close);
  };
  const putObject = (value: object): void => {
    if (isRepeated(value)) putRepeated(value);
    else if (Array.isArray(value)) putArray(value);
    else putMembers(value as Readonly<Record<string, unknown>>);
  };

  /** Makes the map of properties again. A property is in it if one of the texts of the table is a pair of its name and a value. */
  const knownProperties = (): Map<string, Property> => {
    const known = new Map<string, Property>();
    for (const text of table) {
      const pair = /^("(?:[^"\\]|\\.)*":)(.+)$/su.exec(text);
      const value = pair?.[2] === undefined ? undefined : scalarOf(pair[2]);
      if (pair?.[1] === undefined || value === undefined) continue;
      const name = JSON.parse(pair[1].slice(0, -1)) as string;
      const head = () => pairOf(marks.get(pair[1] as string) ?? (pair[1] as string));
      const property = known.get(name) ?? { head: head(), values: new Map(), trials: 1, hits: 0 };
      property.values.set(value, pairOf(marks.get(text) as string));
      known.set(name, property);
    }
    return known;
  };

  return {
    get texts() {
      return table;
    },
    freeze(learned = table) {
      learning = false;
      table = [...learned];
      marks = marksByText(table);
      properties = knownProperties();
      repeatedPieces.clear();
      root = newRun(-1, '');
      run = root;
      runs = 0;
    },
    encode(resource) {
      end = 0;
      run = root;
      for (const name in resource) {
        const member = resource[name];
        if (name === 'resourceType' || name === 'id' || member === undefined) continue;
        putPair(name, member, 'next');
      }
      put(punctuation.close);
      endRun();
      return out.subarray(0, end);
    },
  };
}
