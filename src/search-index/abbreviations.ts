// The usual abbreviations in addresses and in names of structures. A search for one form also finds the others.

/** Words that stand for each other in addresses and in names of structures. Each list is one class of synonyms. */
const EQUIVALENT_CLASSES: readonly (readonly string[])[] = [
  ['saint', 'st'],
  ['sainte', 'ste'],
  ['boulevard', 'bd', 'bld', 'boul', 'blvd', 'bvd'],
  ['avenue', 'av', 'ave'],
  ['rue', 'r'],
  ['place', 'pl'],
  ['route', 'rte'],
  ['chemin', 'che', 'chem'],
  ['allee', 'all'],
  ['impasse', 'imp'],
  ['square', 'sq'],
  ['faubourg', 'fg', 'fbg'],
  ['quartier', 'qua'],
  ['residence', 'res'],
  ['batiment', 'bat'],
  ['general', 'gal', 'gen'],
  ['docteur', 'dr'],
  ['professeur', 'pr'],
  ['marechal', 'mal'],
  ['president', 'pdt'],
  ['centre', 'ctre'],
];

const CLASS_OF = new Map<string, readonly string[]>(
  EQUIVALENT_CLASSES.flatMap((words) => words.map((word) => [word, words.filter((other) => other !== word)] as const)),
);

/** Returns the synonyms of a word, which are the other words of its class; empty if it has none. A synonym only matches as a whole word. */
export function synonymsOf(word: string): readonly string[] {
  return CLASS_OF.get(word) ?? [];
}
