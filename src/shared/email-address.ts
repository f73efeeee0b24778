// Checks e-mail addresses with which people sign in.

// RFC 5321 limits. It is a sign-in name, so unusual forms are refused: one @, no spaces, no control characters, no < >.
const EMAIL = /^[^\s@<>()",;:\\\p{Cc}]{1,64}@[^\s@<>()",;:\\\p{Cc}]{1,190}$/u;

/** Checks whether the trimmed text is an address. */
export function isEmailAddress(text: string): boolean {
  return EMAIL.test(text);
}

/** The form of an e-mail address for comparison, in lower case. */
export const emailKey = (email: string): string => email.trim().toLowerCase();
