// The messages of each language.

import type { Language } from './language.ts';
import { en } from './messages/en/index.ts';
import { fr, type Messages } from './messages/fr/index.ts';

export type { Messages } from './messages/fr/index.ts';

const CATALOGUES: Record<Language, Messages> = { fr, en };

/** Returns all messages in a language. */
export function messagesIn(language: Language): Messages {
  return CATALOGUES[language];
}
