// Ends a command, or the service, if an output cannot be written: the disk is full, or the reader went away.

/**
 * A failed standard error ends nothing, because nobody could be told. Data that did not fit is a refusal (exit code 1). A reader that stops
 * reading (`| head`) has enough, which is no error.
 */
export function handleOutputErrors(): void {
  process.stderr.on('error', () => {});
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    process.stderr.write(
      `Standard output cannot be written (${code}): what was printed is not whole.\nRemedy: make room there.\n`,
    );
    process.exit(1);
  });
}
