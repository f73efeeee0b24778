// Numbers the terms of one field while a snapshot is being built. Terms are handled as bytes, because a national edition has some forty
// million, and making a string of each would take longer than the rest of the work.

import { JOIN_MARK } from '#search-index/file-layout.ts';
import { type Joining, runsOf, suffixOf, type WordRow } from '#search-index/joined-words.ts';
import { tokenize } from '#search-index/tokenizer.ts';

const { imul } = Math;

const FIRST_SIZE = 1 << 12;

/**
 * `FOLDED` has, for each character up to 255, the byte that it becomes in a folded word. SEPARATES means that the character separates
 * words. OTHER means that the character becomes anything else, so a text with this character is tokenized as a string.
 */
const SEPARATES = 0;
const OTHER = 1;
const FOLDED = Uint8Array.from({ length: 256 }, (_, code) => {
  const words = tokenize(`x${String.fromCharCode(code)}x`).join(' ');
  if (words === 'x x') return SEPARATES;
  return /^x[a-z0-9]x$/.test(words) ? words.charCodeAt(1) : OTHER;
});

const JOINED = JOIN_MARK.charCodeAt(0);
/**
 * `LONG`: number of bytes above which the characters of a term are not counted. Whether a term is joined with others depends on its length
 * only if it has at most three characters (`joined-words.ts`), and a term of more than 12 bytes has more, because a character has at most
 * four bytes. `LONGEST_SUFFIX`: maximum characters of a suffix of a house number.
 */
const [LONG, LONGEST_SUFFIX] = [12, 6];

export type TermTable = ReturnType<typeof createTermTable>;

export function createTermTable() {
  // A hash table with open addressing. A slot has two numbers: the hash of a term, and the number of the term plus one (0 if the slot is
  // free).
  let slots = new Uint32Array(FIRST_SIZE * 2);
  let size = FIRST_SIZE;
  let ends = new Uint32Array(FIRST_SIZE / 2);
  let bytes = new Uint8Array(FIRST_SIZE * 4);
  let count = 0;
  let word = new Uint8Array(256);
  let length = 0;
  let hash = 0;

  const startOf = (number: number) => (number === 0 ? 0 : (ends[number - 1] as number));

  const isWord = (number: number): boolean => {
    const start = startOf(number);
    if ((ends[number] as number) - start !== length) return false;
    for (let at = 0; at < length; at++) if (bytes[start + at] !== word[at]) return false;
    return true;
  };

  const grow = () => {
    const old = slots;
    size *= 2;
    slots = new Uint32Array(size * 2);
    ends = enlarged(ends, size / 2);
    for (let at = 0; at < old.length; at += 2) {
      if (old[at + 1] === 0) continue;
      let slot = (old[at] as number) & (size - 1);
      while (slots[slot * 2 + 1] !== 0) slot = (slot + 1) & (size - 1);
      slots[slot * 2] = old[at] as number;
      slots[slot * 2 + 1] = old[at + 1] as number;
    }
  };

  /** Returns the number of the term in `word`. A new term gets the next number. */
  const take = (): number => {
    hash = (hash ^ (hash >>> 15)) >>> 0;
    let slot = hash & (size - 1);
    for (; slots[slot * 2 + 1] !== 0; slot = (slot + 1) & (size - 1)) {
      if (slots[slot * 2] !== hash) continue;
      const number = (slots[slot * 2 + 1] as number) - 1;
      if (isWord(number)) return number;
    }
    const number = count++;
    const start = startOf(number);
    if (start + length > bytes.length) bytes = enlarged(bytes, Math.max(bytes.length * 2, start + length));
    bytes.set(word.subarray(0, length), start);
    ends[number] = start + length;
    slots[slot * 2] = hash;
    slots[slot * 2 + 1] = number + 1;
    if (count * 2 >= size) grow();
    return number;
  };

  const begin = () => {
    length = 0;
    hash = 0x811c9dc5;
  };
  const put = (byte: number) => {
    if (length === word.length) word = enlarged(word, length * 2);
    word[length++] = byte;
    hash = imul(hash ^ byte, 0x01000193);
  };

  const wordAt = (number: number) => Buffer.from(bytes.buffer).toString('utf8', startOf(number), ends[number]);
  const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 0x30 && byte <= 0x39;

  /**
   * Returns the number of characters of a term. For a term of more than LONG bytes it returns the number of bytes, because all such terms
   * are treated alike.
   */
  const lengthOf = (number: number): number => {
    const start = startOf(number);
    const end = ends[number] as number;
    if (end - start > LONG) return end - start;
    let characters = 0;
    for (let at = start; at < end; at++) if (((bytes[at] as number) & 0xc0) !== 0x80) characters++;
    return characters;
  };

  /**
   * Remembers the result of `suffixOf` for each term that follows a number, such as `bis` in `12 bis rue de Metz`, or `rue` in `12 rue de
   * Metz`. Every address has such a term, but there are only a few different ones.
   */
  const suffixes = new Map<number, string | undefined>();
  const suffixAt = (number: number): string | undefined => {
    if (!suffixes.has(number))
      suffixes.set(number, lengthOf(number) <= LONGEST_SUFFIX ? suffixOf(wordAt(number)) : undefined);
    return suffixes.get(number);
  };

  const isNumbered = (number: number, next: number): boolean => {
    const start = startOf(number);
    const end = ends[number] as number;
    if (end - start > 4) return false;
    for (let at = start; at < end; at++) if (!isDigit(bytes[at])) return false;
    return suffixAt(next) !== undefined;
  };

  /** The terms that `addJoined` is joining. */
  let row: readonly number[] = [];
  let [rowStart, rowEnd] = [0, 0];
  const number = (at: number) => row[rowStart + at] as number;
  const joinable: WordRow = {
    count: () => rowEnd - rowStart,
    length: (at) => lengthOf(number(at)),
    isDigit: (at) => isDigit(bytes[startOf(number(at))]),
    isNumbered: (at) => isNumbered(number(at), number(at + 1)),
  };

  const takeText = (text: string, numbers: number[]) => {
    for (const one of tokenize(text)) {
      begin();
      for (const byte of Buffer.from(one)) put(byte);
      numbers.push(take());
    }
  };

  const putTerm = (number: number) => {
    for (let at = startOf(number), end = ends[number] as number; at < end; at++) put(bytes[at] as number);
  };
  const putSuffix = (number: number) => {
    for (const byte of Buffer.from(suffixAt(number) ?? '')) put(byte);
  };

  return {
    /** Appends to `numbers` the number of each word of a text in UTF-8. */
    addAll(text: Buffer, start: number, end: number, numbers: number[]): void {
      const before = numbers.length;
      begin();
      for (let at = start; at < end; at++) {
        const byte = text[at] as number;
        // Two bytes of UTF-8 encode a character from 128 to 255, such as an accented letter.
        const code = byte === 0xc2 || byte === 0xc3 ? ((byte & 3) << 6) | ((text[++at] as number) & 63) : byte;
        const folded = byte > 0xc3 || (byte > 127 && byte < 0xc2) ? OTHER : (FOLDED[code] as number);
        if (folded > OTHER) put(folded);
        else if (folded === OTHER) {
          numbers.length = before;
          takeText(text.toString('utf8', start, end), numbers);
          return;
        } else if (length > 0) {
          numbers.push(take());
          begin();
        }
      }
      if (length > 0) numbers.push(take());
    },
    /**
     * Joins neighbouring terms in `numbers` from index `from` on (`joined-words.ts`), and appends the numbers of the joined words to
     * `numbers`.
     */
    addJoined(joining: Joining, numbers: number[], from: number): void {
      if (numbers.length < from + 2) return;
      row = numbers;
      rowStart = from;
      rowEnd = numbers.length;
      for (const run of runsOf(joining, joinable)) {
        begin();
        put(JOINED);
        for (let at = run.from; at <= run.to; at++) {
          if (run.kind === 'number' && at === run.to) putSuffix(number(at));
          else putTerm(number(at));
        }
        numbers.push(take());
      }
    },
    /** All words by number. */
    words(): string[] {
      const all = Buffer.from(bytes.buffer);
      return Array.from({ length: count }, (_, number) => all.toString('utf8', startOf(number), ends[number]));
    },
  };
}

function enlarged<Numbers extends Uint8Array | Uint32Array>(numbers: Numbers, length: number): Numbers {
  const larger = new (numbers.constructor as new (length: number) => Numbers)(length);
  larger.set(numbers as never);
  return larger;
}
