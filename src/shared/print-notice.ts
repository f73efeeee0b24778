// Prints a sentence for the operator on standard error, because standard output carries data and the log.

import { printableLines } from './log/printable.ts';

export function printNotice(text: string): void {
  process.stderr.write(`${printableLines(text)}\n`);
}
