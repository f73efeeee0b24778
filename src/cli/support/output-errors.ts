// Ends a command, or the service, if its standard output cannot be written, for example because the disk is full.

/**
 * Ends the process (exit code 1) if standard output cannot be written. A closed pipe (`| head`) is no error, because its reader has read
 * enough. If standard error cannot be written, the process goes on, because there is no place left to report that.
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
