// Owns the log: structured lines, one form for machines and one for people, and no secret in either (SEC-17).
// Does not own what is logged when, nor a request's own line (`src/web/request-log.ts`).

import { AsyncLocalStorage } from 'node:async_hooks';
import { type DestinationStream, type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { redact, redactText } from './redaction.ts';
import type { Settings } from './settings.ts';

export type { Logger } from 'pino';
export { redactUrl } from './redaction.ts';

const requests = new AsyncLocalStorage<string>();

/** Header that names the reference people may quote; the same stands in the log. */
export const REQUEST_ID = 'X-Request-Id';

/** The reference of the request that is being worked on; undefined outside of any. */
export function currentRequestId(): string | undefined {
  return requests.getStore();
}

/** Every line logged within `work`, however deep, carries the request's reference as `requestId`. */
export function withinRequest<Result>(requestId: string, work: () => Result): Result {
  return requests.run(requestId, work);
}

/**
 * A log on standard output, or on `destination`. Values of keys that name secrets (authorization, cookie, password, code,
 * token ...) are replaced wherever they stand in an object; so are secrets in the texts of values, messages and errors.
 */
export function createLog(settings: Settings['log'], destination?: DestinationStream): Logger {
  // Lines for machines are written together, twice a second at the latest and at the exit; people see theirs at once.
  const output =
    destination ??
    (settings.format === 'json'
      ? pino.destination({ fd: 1, sync: false, minLength: 4096, periodicFlush: 500 })
      : pino.destination({ fd: 1, sync: true }));
  const stream = settings.format === 'pretty' ? forPeople(output) : output;
  const options = {
    level: settings.level,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    base: { pid: process.pid },
    mixin: () => {
      const requestId = requests.getStore();
      return requestId === undefined ? {} : { requestId };
    },
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (entry: Record<string, unknown>) => redact(entry) as Record<string, unknown>,
    },
    // Errors are already plain and redacted when they come here.
    serializers: { err: (error: unknown) => error },
    // Messages, and what a child logger carries along, are seen only in the finished line.
    hooks: { streamWrite: redactText },
  };
  return pino(options, stream);
}

function forPeople(output: DestinationStream): DestinationStream {
  const colorize = process.stdout.isTTY === true;
  const format = prettyFactory({
    colorize,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname,requestId',
    singleLine: true,
  });
  return { write: (line) => output.write(format(line)) };
}
