// Owns the way from a language to the words of the reference page. Does not own the words.

import type { Language } from '../../web/language.ts';
import { en } from './messages/en.ts';
import { fr, type ReferenceMessages } from './messages/fr.ts';

export type { ReferenceMessages } from './messages/fr.ts';

const CATALOGUES: Record<Language, ReferenceMessages> = { fr, en };

export function referenceMessages(language: Language): ReferenceMessages {
  return CATALOGUES[language];
}
