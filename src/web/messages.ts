// Owns the way from a language to its words. Does not own the words.

import type { Language } from './language.ts';
import { en } from './messages/en.ts';
import { fr, type Words } from './messages/fr.ts';

export type { Words } from './messages/fr.ts';

const CATALOGUES: Record<Language, Words> = { fr, en };

/** All words of a language. */
export function wordsIn(language: Language): Words {
  return CATALOGUES[language];
}
