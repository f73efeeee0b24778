// What a scope and a device are called on pages and in mails.

import { formatDuration, type Language } from './language.ts';
import { messagesIn } from './messages.ts';

/** A scope in words; its name for one that this service does not know. `offlineFor`: seconds that `offline_access` lasts. */
export function scopeLabel(scope: string, language: Language, offlineFor?: number): string {
  const { scopes } = messagesIn(language);
  if (scope === 'offline_access' && offlineFor !== undefined) {
    return scopes.offlineFor(formatDuration(offlineFor, language));
  }
  const known: Record<string, unknown> = scopes;
  const sentence = Object.hasOwn(known, scope) ? known[scope] : undefined;
  return typeof sentence === 'string' ? sentence : scopes.other(scope);
}

/** The name of a device, `Firefox on Windows`, from what `deviceOf` (`src/shared/device.ts`) made of a User-Agent. */
export function deviceName(device: string | undefined, language: Language): string {
  const messages = messagesIn(language).sessions;
  const [browser, system] = device?.split(', ') ?? [];
  if (browser === undefined) return messages.unknownDevice;
  return system === undefined ? browser : messages.device(browser, system);
}
