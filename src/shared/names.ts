// Decides which names and e-mail addresses of people are accepted, both from an operator and from the person.

/**
 * Maximum characters of a name. Its column in the database has the same length. The longest name in the registers has less than half as
 * many characters.
 */
export const LONGEST_NAME = 200;

// Control characters, line breaks, and invisible characters that change how the surrounding text is shown or compared: marks of direction,
// zero widths, tags (UTS 39, CVE-2021-42574). Joiners are allowed, because names in several scripts need them.
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Co}]|(?![\u200c\u200d])\p{Cf}/u;

/** Given names and family name of a person. A name that is not known is absent. */
export interface PersonNames {
  given?: string;
  family?: string;
}

/** Checks whether a text has an invisible character that names and addresses may not have (`INVISIBLE`). */
export const hasInvisible = (text: string): boolean => INVISIBLE.test(text);

export type NameProblem = 'empty' | 'too-long' | 'invisible';

/** Returns a name in its stored form: composed (NFC), without surrounding spaces. */
export function tidyName(text: string): string {
  return text.normalize('NFC').trim();
}

/** Returns the fault of a name that `tidyName` has returned; undefined for a good one. */
export function nameProblem(name: string): NameProblem | undefined {
  if (hasInvisible(name)) return 'invisible';
  if (!/[\p{L}\p{N}]/u.test(name)) return 'empty';
  return name.length > LONGEST_NAME ? 'too-long' : undefined;
}

// The lengths are those of RFC 5321. Unusual forms are refused, because the address is also the name under which people sign in. An
// accepted address has one @, no spaces, and none of < > ( ) " , ; : \
const EMAIL = /^[^\s@<>()",;:\\]{1,64}@[^\s@<>()",;:\\]{1,190}$/u;

/**
 * Checks whether the trimmed text is an address. An invisible character, which may come along when an address is copied from a table or a
 * web page, is refused, because nobody could type the address.
 */
export function isEmailAddress(text: string): boolean {
  return EMAIL.test(text) && !hasInvisible(text);
}

/** Returns an e-mail address in the form for comparisons: in lower case. */
export const emailKey = (email: string): string => email.trim().toLowerCase();
