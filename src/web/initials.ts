// The initials of a name in any script, and a picture made of them.

import { type Html, html } from './html.ts';

/** Background colours on which white letters have a contrast of 5 or more (WCAG 2 asks for 4.5). */
const COLOURS = [
  '#9f1d49',
  '#a3341c',
  '#7f5200',
  '#4d6600',
  '#1d6b34',
  '#00695f',
  '#005f86',
  '#2b57b5',
  '#5a48b8',
  '#853c9c',
];

const GRAPHEMES = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * Returns the first letters of the first and of the last word, or one letter for a single word. For a name without letters, returns its
 * first emoji. Titles are left out: `Dr Nadia Perrin` has the initials N and P.
 */
export function initialsOf(name: string): string[] {
  const words = name.replace(/^(Dr|Pr|M|Mme|Mr|Mrs|Ms)\.?\s+/i, '').split(/\s+/);
  const starts = words.flatMap((word) => /[\p{L}\p{N}].*/su.exec(word) ?? []);
  const [first, ...others] = starts.length > 0 ? starts : (/\p{Extended_Pictographic}.*/su.exec(name) ?? []);
  return [first, others.at(-1)].flatMap((word) => (word === undefined ? [] : capital(word)));
}

function capital(word: string): string {
  const letter = GRAPHEMES.segment(word).containing(0)?.segment ?? '';
  const upper = letter.toUpperCase();
  // Two kinds of letters stay small. Georgian letters do, because their capitals are missing in most fonts and not used in names. Letters
  // with a capital of two letters do, because that capital would be too wide.
  return upper.length === letter.length && !/\p{Script=Georgian}/u.test(letter) ? upper : letter;
}

/** An invisible character that prevents the Arabic letters before and after it from being joined. */
const NON_JOINER = '\u200c';

/**
 * Renders the initials as an SVG image without script, style or external files. `colour` is any number that chooses the background; the
 * same number always gives the same background.
 */
export function initialsPicture(name: string, colour: number): Html {
  const initials = initialsOf(name);
  const isLatin = initials.every((letter) => /\p{Script=Latin}/u.test(letter));
  const shape =
    initials.length > 0
      ? html`<text x="48" y="48" dy=".35em" text-anchor="middle" font-family="system-ui, sans-serif" font-size="38" font-weight="600" fill="#fff">${initials.join(isLatin ? '' : NON_JOINER)}</text>`
      : html`<circle cx="48" cy="38" r="16" fill="#fff"/><path d="M12 96c3-25 17-35 36-35s33 10 36 35z" fill="#fff"/>`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" width="256" height="256"><rect width="96" height="96" fill="${COLOURS[colour % COLOURS.length]}"/>${shape}</svg>`;
}
