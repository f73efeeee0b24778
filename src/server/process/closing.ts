// Bounds the time in which a process ends after its requests were cut off: work that nobody waits for must not delay the end.

import type { Logger } from '#shared/log/log.ts';

/** Resolves once `closing` does, or after so many milliseconds, with a line in the log; rejects as `closing` does until then. */
export async function closeWithin(
  milliseconds: number,
  closing: Promise<unknown>,
  log: Pick<Logger, 'error'>,
): Promise<void> {
  let late: NodeJS.Timeout | undefined;
  const given = new Promise<void>((resolve) => {
    late = setTimeout(() => {
      log.error('stopping: queues and database did not close in time; the process ends without');
      resolve();
    }, milliseconds);
  });
  try {
    await Promise.race([closing, given]);
  } finally {
    clearTimeout(late);
  }
}

/**
 * Ends the process with this code after so many milliseconds, unless it has ended by itself until then. To be called when all is
 * closed: passwords of requests that were cut off, as in a flood of sign-ins, wait for minutes to be checked.
 */
export function exitSoon(code: number, milliseconds = 1000): void {
  setTimeout(() => process.exit(code), milliseconds).unref();
}
