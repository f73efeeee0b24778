// Logs the messages that Node itself would print beside the log, with secrets in them: the error that ends a process, and warnings.

import type { Logger } from '#shared/log/log.ts';

/**
 * From now on, an unhandled error or rejection becomes one line of the log, and the process ends with 1. Secrets in the line are masked
 * like in every other, because an error of the database or of a client library may hold values. `from` is the process; tests pass another
 * one.
 */
export function logProcessMessages(
  log: Pick<Logger, 'fatal' | 'warn'>,
  from: Pick<NodeJS.Process, 'on' | 'removeAllListeners' | 'exit' | 'env'> = process,
): void {
  from.on('uncaughtException', (err: unknown, origin: string) => {
    log.fatal({ err, origin }, 'an error that nothing handles: the process ends');
    from.exit(1);
  });
  // The listener until now is Node's own, which prints the warning.
  from.removeAllListeners('warning');
  from.on('warning', (err: Error) => log.warn({ err }, 'Node warns'));
  const { NODE_DEBUG: parts } = from.env;
  if (parts) {
    log.warn(
      { parts },
      'NODE_DEBUG is set: Node prints addresses and headers, and the secrets in them, beside this log. Unset it.',
    );
  }
}
