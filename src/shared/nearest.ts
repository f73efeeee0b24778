// Finds the known word nearest to a mistyped one.

import { distance } from 'fastest-levenshtein';

/** Returns the known word that a mistyped one most likely means; undefined if none is near. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const typed = word.slice(0, 100).toLowerCase();
  const tolerance = Math.min(3, Math.ceil(typed.length / 3));
  const near = [...known]
    .map((candidate) => ({ candidate, edits: distance(typed, candidate.toLowerCase()) }))
    .filter(({ edits }) => edits <= tolerance);
  return near.sort((a, b) => a.edits - b.edits)[0]?.candidate;
}

/** Returns a question for a mistyped word: whether the nearest known word is meant. Returns `otherwise` if none is near. */
export function didYouMean(word: string, known: Iterable<string>, otherwise = ''): string {
  const near = nearest(word, known);
  return near === undefined ? otherwise : `Did you mean "${near}"?`;
}
