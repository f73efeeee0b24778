// Decides which names of people are accepted, from an operator and from the person alike.

/** Characters that a column holds; no name in the registers has half as many. */
export const LONGEST_NAME = 200;

// Control characters and line breaks, and what is not seen but changes how the text around it is shown or compared: marks of direction,
// zero widths, tags (UTS 39, CVE-2021-42574). Joiners stay: names in several scripts need them.
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Co}]|(?![\u200c\u200d])\p{Cf}/u;

export type NameProblem = 'empty' | 'too-long' | 'invisible';

/** A name as it is stored: composed (NFC), without spaces around it. */
export function tidyName(text: string): string {
  return text.normalize('NFC').trim();
}

/** Returns the fault of a name that `tidyName` returned. */
export function nameProblem(name: string): NameProblem | undefined {
  if (INVISIBLE.test(name)) return 'invisible';
  if (!/[\p{L}\p{N}]/u.test(name)) return 'empty';
  return name.length > LONGEST_NAME ? 'too-long' : undefined;
}
