// Owns the way from a language to the words of the reference page. Does not own the words.

import type { Language } from '../../web/language.ts';
import { en } from './words/en.ts';
import { fr, type ReferenceWords } from './words/fr.ts';

export type { ReferenceWords } from './words/fr.ts';

const CATALOGUES: Record<Language, ReferenceWords> = { fr, en };

export function referenceWords(language: Language): ReferenceWords {
  return CATALOGUES[language];
}
