// What people are told a device is called: `Firefox on Windows`.

import type { Language } from './language.ts';
import { messagesIn } from './messages.ts';

/** In words, from what `deviceOf` (`src/shared/device.ts`) made of a User-Agent. */
export function deviceName(device: string | undefined, language: Language): string {
  const messages = messagesIn(language).sessions;
  const [browser, system] = device?.split(', ') ?? [];
  if (browser === undefined) return messages.unknownDevice;
  return system === undefined ? browser : messages.device(browser, system);
}
