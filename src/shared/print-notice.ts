// Prints a sentence for the operator on standard error; standard output carries data and the log.

export function printNotice(text: string): void {
  process.stderr.write(`${text}\n`);
}
