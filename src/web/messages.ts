// The messages of each language, and the names of scopes and devices on pages and in mails.

import { formatDuration } from './dates.ts';
import type { Language } from './language.ts';
import { en } from './messages/en/index.ts';
import { fr, type Messages } from './messages/fr/index.ts';

export type { Messages } from './messages/fr/index.ts';

const CATALOGUES: Record<Language, Messages> = { fr, en };

/** Returns all messages in a language. */
export function messagesIn(language: Language): Messages {
  return CATALOGUES[language];
}

/**
 * Returns a description of a scope, or its name if this service does not know the scope. `offlineFor` is the lifetime of `offline_access`
 * in seconds.
 */
export function scopeLabel(scope: string, language: Language, offlineFor?: number): string {
  const { scopes } = messagesIn(language);
  if (scope === 'offline_access' && offlineFor !== undefined) {
    return scopes.offlineFor(formatDuration(offlineFor, language));
  }
  const known: Record<string, unknown> = scopes;
  const sentence = Object.hasOwn(known, scope) ? known[scope] : undefined;
  return typeof sentence === 'string' ? sentence : scopes.other(scope);
}

/** Returns the name of a device, such as `Firefox on Windows`. `device` is the result of `deviceOf` (`src/shared/device.ts`). */
export function deviceName(device: string | undefined, language: Language): string {
  const messages = messagesIn(language).sessions;
  const [browser, system] = device?.split(', ') ?? [];
  if (browser === undefined) return messages.unknownDevice;
  return system === undefined ? browser : messages.device(browser, system);
}
