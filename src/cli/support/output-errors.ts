// Ends a command, or the service, if its output cannot be written because the disk is full.

/**
 * Ends the process (exit code 1) if standard output fails. A reader that stops reading (`| head`) is no error, because it has enough. A
 * failure of standard error ends nothing, because nobody could be told.
 */
export function handleOutputErrors(): void {
  process.stderr.on('error', () => {});
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    process.stderr.write(
      `Standard output cannot be written (${code}): the output is incomplete.\nRemedy: make room there.\n`,
    );
    process.exit(1);
  });
}
