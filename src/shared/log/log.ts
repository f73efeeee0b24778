// The log: structured lines, as JSON or in a readable form, without secrets (SEC-17).

import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { currentContext, type RequestContext } from '#shared/request-context.ts';
import { printable } from './printable.ts';
import { redact, redactText } from './redaction.ts';
import { together, writeNow } from './standard-output.ts';

export type { Logger } from 'pino';

/** Header with the id of the request, which the log has, too. People may quote the id when they ask for help. */
export const REQUEST_ID = 'X-Request-Id';

export interface LogSettings {
  level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  /** `config/service/load-settings.ts` has the default. */
  format: 'json' | 'pretty';
}

/**
 * Makes a log on standard output, or on `destination`. Values of keys that name secrets (authorization, cookie, password, code, token ...)
 * are replaced anywhere in an object, and so are secrets in the texts of values, messages and errors.
 */
export function createLog(settings: LogSettings, destination?: DestinationStream): Logger {
  const output =
    destination ?? (settings.format === 'json' ? together() : { write: (line: string) => writeNow(1, line) });
  const stream = settings.format === 'pretty' ? forPeople(output) : output;
  const base = { pid: process.pid };
  const level = (label: string) => ({ level: label });
  const log = pino(
    {
      level: settings.level,
      timestamp: stdTimeFunctions.isoTime,
      base,
      mixin: () => idsOf(currentContext()),
      formatters: { level, log: (entry: Record<string, unknown>) => redact(entry) as Record<string, unknown> },
      // Errors are already plain and redacted when they come to this serializer, so it returns them unchanged.
      serializers: { err: (error: unknown) => error },
      // Messages, and the bindings of a child logger, can be searched for secrets only in the finished line.
      hooks: { streamWrite: redactText },
    },
    stream,
  );
  plainLogs.set(log, pino({ level: 'trace', timestamp: false, base, formatters: { level } }, stream));
  return log;
}

/** Returns the id of the current request, and the ids of its trace under OpenTelemetry's names. */
function idsOf({ requestId, span }: RequestContext = {}): { requestId?: string; trace_id?: string; span_id?: string } {
  return { ...(requestId !== undefined && { requestId }), ...traceOf(span) };
}

function traceOf(span: RequestContext['span']) {
  return span && { trace_id: span.traceId, span_id: span.spanId };
}

/** The members of a request's line in the log. */
interface AnsweredRequest {
  requestId: string;
  span?: RequestContext['span'];
  method: string;
  /** The path without the query. */
  path: string;
  status: number;
  /** Milliseconds from the request to the end of its answer. */
  ms: number;
  /** Number of entries, if the request is a batch. */
  entries?: number | undefined;
  /** True if the client went away before the end of the answer. */
  aborted?: true | undefined;
}

/**
 * Logs a request like `log[level](request, 'request')`, but much faster: only the path is searched for secrets, because the rest is our own
 * text.
 */
export function logRequest(log: Logger, level: 'debug' | 'info' | 'error', request: AnsweredRequest): void {
  if (!log.isLevelEnabled(level)) return;
  const { requestId, span, method, path, status, ms, entries, aborted } = request;
  const time = new Date().toISOString();
  // Members that are undefined are left out by pino.
  const line = { time, requestId, ...traceOf(span), method, path: redactText(path), status, ms, entries, aborted };
  plainOf(log)[level](line, 'request');
}

/** Logs a record of the audit trail with its own time. It is not searched for secrets, because such a record holds none. */
export function logAudit(log: Logger, record: { time: string; event: string }): void {
  if (log.isLevelEnabled('info')) plainOf(log).info({ ...record, ...traceOf(currentContext()?.span) }, 'audit');
}

/**
 * Maps each log to a second log with the same destination, which does not search for secrets. The search would cost ten times as much as
 * the line.
 */
const plainLogs = new WeakMap<Logger, Logger>();

function plainOf(log: Logger): Logger {
  return plainLogs.get(log) ?? log;
}

function forPeople(output: DestinationStream): DestinationStream {
  const colorize = process.stdout.isTTY === true;
  const format = prettyFactory({
    colorize,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname,requestId,trace_id,span_id',
    singleLine: true,
  });
  // pino-pretty removes the control characters of ASCII, but no others. The other ones are removed here, because text from outside could
  // control the terminal with them.
  const left = /[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
  return { write: (line) => output.write(format(line).replace(left, printable)) };
}
