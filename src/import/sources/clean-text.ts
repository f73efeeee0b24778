// Cleans what a register publishes: control characters and characters that nobody sees stand for nothing in it.

import { plainText, withoutInvisible } from '#search-index/index.ts';

type Cleaned = 'control-character' | 'invisible-character' | 'unusual-form' | 'broken-character';

/** Everything that may need cleaning; a text without it is left alone, and most are. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const PERHAPS_UNCLEAN = /[\u0300-\uffff\u0000-\u001f\u007f-\u00a0\u00ad]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]+/g;

/**
 * The text as it is kept: control characters become blanks, invisible characters go, blanks of all kinds become the
 * ordinary one, letters are composed (NFC), and half a character becomes U+FFFD. `onChange` hears of each kind of change once.
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
