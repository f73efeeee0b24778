// Cleans the texts of registers. Control characters and invisible characters have no meaning there, so they are replaced by blanks or
// removed.

import { plainText, withoutInvisible } from '#search-index/index.ts';

type Cleaned = 'control-character' | 'invisible-character' | 'unusual-form' | 'broken-character';

/** Characters that may need cleaning. Most texts have none of them, so a text without them is returned unchanged at once. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const PERHAPS_UNCLEAN = /[\u0300-\uffff\u0000-\u001f\u007f-\u00a0\u00ad]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]+/g;

/**
 * Returns the text in the form in which it is stored. Control characters become blanks, invisible characters are removed, and blanks of all
 * kinds become ordinary blanks. Letters are composed with their accents (NFC), and a lone surrogate becomes U+FFFD. `onChange` is called
 * once for each kind of change.
 */
export function cleanText(text: string, onChange: (kind: Cleaned) => void): string {
  if (!PERHAPS_UNCLEAN.test(text)) return text;
  const whole = step(text, text.toWellFormed(), 'broken-character');
  const printed = step(whole, whole.replace(CONTROLS, ' '), 'control-character');
  const visible = step(printed, withoutInvisible(printed), 'invisible-character');
  return step(visible, plainText(visible), 'unusual-form');

  function step(before: string, after: string, kind: Cleaned): string {
    if (after !== before) onChange(kind);
    return after;
  }
}
