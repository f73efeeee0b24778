// Checks the e-mail addresses with which people sign in.

// The lengths are those of RFC 5321. Unusual forms are refused, because the address is a sign-in name: it has one @, no spaces, no control
// characters, and none of < > ( ) " , ; : \
const EMAIL = /^[^\s@<>()",;:\\\p{Cc}]{1,64}@[^\s@<>()",;:\\\p{Cc}]{1,190}$/u;

/** Checks whether the trimmed text is an address. */
export function isEmailAddress(text: string): boolean {
  return EMAIL.test(text);
}

/** Returns an e-mail address in the form for comparisons: in lower case. */
export const emailKey = (email: string): string => email.trim().toLowerCase();
