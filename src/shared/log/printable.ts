// Owns how text from outside is shown in messages: no control character of it reaches a terminal, a log or a message as
// it is. Does not own escaping for HTML (`src/web/html.ts`).

/** The text with each control character written as `\xNN`, so that it can neither forge a line nor drive a terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
