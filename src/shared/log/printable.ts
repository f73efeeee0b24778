// Escapes control characters in text from outside before it is shown in a terminal, a log or a message.

/** Control characters of ASCII and its extension, further ends of lines, and signs that change the direction of text. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Writes each control character of the text as `\xNN` or `\u{NNNN}`, so that the text can neither forge a line nor drive a terminal. */
export function printable(text: string): string {
  return text.replace(CONTROLS, (sign) => {
    const code = sign.charCodeAt(0).toString(16).padStart(2, '0');
    return code.length === 2 ? `\\x${code}` : `\\u{${code}}`;
  });
}

/** Does the same as `printable`, but keeps line breaks and tabs. */
export function printableLines(text: string): string {
  return text.replace(/[^\n\t]+/g, printable);
}

/** Cuts a text that has more than `longest` characters, and marks the cut with `…`. */
export function shorten(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
}
