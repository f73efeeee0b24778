// The message catalogue of the reference page in each language.

import type { Language } from '#web/language.ts';
import { en } from './messages/en.ts';
import { fr, type ReferenceMessages } from './messages/fr.ts';

export type { ReferenceMessages } from './messages/fr.ts';

const CATALOGUES: Record<Language, ReferenceMessages> = { fr, en };

export function referenceMessages(language: Language): ReferenceMessages {
  return CATALOGUES[language];
}
