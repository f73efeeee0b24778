// Bounds the time in which a process ends after its requests were cut off. Work that nobody waits for must not delay the end.

import type { Logger } from '#shared/log/log.ts';

/** Resolves when `closing` does, or after that many milliseconds, with a line in the log. If `closing` rejects before, so does this. */
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
 * Ends the process with this code after that many milliseconds, unless it has ended by itself. Call it when everything is closed: passwords
 * of requests that were cut off, for example in a flood of sign-ins, may still wait minutes for their check.
 */
export function exitSoon(code: number, milliseconds = 1000): void {
  setTimeout(() => process.exit(code), milliseconds).unref();
}
