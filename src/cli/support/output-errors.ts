// What becomes of a command, or of the service, whose outputs cannot be written: a full disk, or a reader that went away.

/**
 * Standard error that cannot be written ends nothing: there is nobody to tell. Data that did not fit is a refusal (exit code 1). A
 * reader that stops reading (`| head`) has enough.
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
