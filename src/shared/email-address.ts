// What counts as an e-mail address that people sign in with.

// RFC 5321 limits; a sign-in name, so nothing exotic: one @, no spaces, no control characters, no < >.
const EMAIL = /^[^\s@<>()",;:\\\p{Cc}]{1,64}@[^\s@<>()",;:\\\p{Cc}]{1,190}$/u;

/** Whether the text, without blanks at its ends, is an address. */
export function isEmailAddress(text: string): boolean {
  return EMAIL.test(text);
}

/** An e-mail address as addresses are compared: without regard to case. */
export const emailKey = (email: string): string => email.trim().toLowerCase();
