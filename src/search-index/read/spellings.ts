// Looks up other spellings of a word: words that differ in one letter, and the word split in two. All possible spellings are looked up in
// the term dictionary. These are some hundreds, at a few microseconds each. The search for similar words stops when its time is over.

import type { KeyCount, Spellings } from '#search-index/snapshot.ts';
import type { OpenField, TermDictionary } from './term-dictionary.ts';

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
/**
 * Other spellings are looked up only for words of these lengths. Too many words differ from a shorter word in one letter, and a longer word
 * needs too many look-ups.
 */
const WORD = /^[a-z]{3,20}$/;
/** Number of look-ups between two checks of the time. */
const LOOKUPS = 32;

/**
 * Finds the other spellings of a word.
 * @param within milliseconds after which the search for similar words ends
 */
export function spellingsOf(terms: TermDictionary, field: OpenField, word: string, within: number): Spellings {
  const end = performance.now() + within;
  const known = terms.hasBeginning(field, word);
  if (!WORD.test(word)) return { known, near: [], apart: [] };
  const apart: [string, string][] = [];
  for (let at = 1; at < word.length - 1; at++) {
    const [first, second] = [word.slice(0, at), word.slice(at)];
    if (terms.wordFrequency(field, first) > 0 && terms.hasBeginning(field, second)) apart.push([first, second]);
  }
  const near = new Map<string, KeyCount>();
  let looked = 0;
  for (const other of withinOneLetter(word)) {
    if (++looked % LOOKUPS === 0 && performance.now() > end) break;
    const frequency = terms.wordFrequency(field, other);
    if (frequency > 0) near.set(other, { key: other, count: frequency });
  }
  return { known, near: byFrequency([...near.values()]), apart };
}

/** Sorts words by frequency, the most frequent first. Equally frequent words are in alphabetical order. */
export function byFrequency(words: readonly KeyCount[]): KeyCount[] {
  return words.toSorted((one, other) => other.count - one.count || (one.key < other.key ? -1 : 1));
}

/** Yields the words with one letter fewer, more or different than this word, and those with two neighbouring letters exchanged. */
export function* withinOneLetter(word: string): Generator<string> {
  for (let at = 0; at <= word.length; at++) {
    const [before, letter = '', next = '', after] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 1)];
    if (letter !== '') yield before + after;
    if (next !== '' && next !== letter) yield before + next + letter + word.slice(at + 2);
    for (const other of LETTERS) {
      yield before + other + letter + after;
      if (letter !== '' && other !== letter) yield before + other + after;
    }
  }
}
