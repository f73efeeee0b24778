// Escapes control characters of text from outside, before it is shown in a terminal, a log or a message.

/** The text with each control character written as `\xNN`, so that it can neither forge a line nor drive a terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** The text, or its beginning where it has more characters than `longest`. */
export function shorten(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
}
