// Decides which names of people are accepted, from an operator and from the person alike.

/** Maximum characters of a name, as of its column in the database. No name in the registers has half as many. */
export const LONGEST_NAME = 200;

// Control characters, line breaks, and invisible characters that change how the surrounding text is shown or compared: marks of direction,
// zero widths, tags (UTS 39, CVE-2021-42574). Joiners stay, because names in several scripts need them.
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Co}]|(?![\u200c\u200d])\p{Cf}/u;

/** Given names and family name, as far as they are known. */
export interface PersonNames {
  given?: string;
  family?: string;
}

export type NameProblem = 'empty' | 'too-long' | 'invisible';

/** A name in its stored form: composed (NFC), without surrounding spaces. */
export function tidyName(text: string): string {
  return text.normalize('NFC').trim();
}

/** Returns the fault of a name that `tidyName` returned. */
export function nameProblem(name: string): NameProblem | undefined {
  if (INVISIBLE.test(name)) return 'invisible';
  if (!/[\p{L}\p{N}]/u.test(name)) return 'empty';
  return name.length > LONGEST_NAME ? 'too-long' : undefined;
}
