// The log: structured lines, as JSON or readable for people, and no secret in either (SEC-17).

import { type DestinationStream, type Logger, pino, symbols } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { currentContext, type RequestContext } from '#shared/request-context.ts';
import { printable } from './printable.ts';
import { redact, redactText } from './redaction.ts';
import { together, writeNow } from './standard-output.ts';

export type { Logger } from 'pino';
export { redactUrl } from './redaction.ts';

/** Header that names the reference people may quote; the same stands in the log. */
export const REQUEST_ID = 'X-Request-Id';

export interface LogSettings {
  level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  format: 'json' | 'pretty';
}

/**
 * A log on standard output, or on `destination`. Values of keys that name secrets (authorization, cookie, password, code,
 * token ...) are replaced wherever they stand in an object; so are secrets in the texts of values, messages and errors.
 */
export function createLog(settings: LogSettings, destination?: DestinationStream): Logger {
  const output =
    destination ?? (settings.format === 'json' ? together() : { write: (line: string) => writeNow(1, line) });
  const stream = settings.format === 'pretty' ? forPeople(output) : output;
  const options = {
    level: settings.level,
    timestamp: () => `,"time":"${now()}"`,
    base: { pid: process.pid },
    mixin: () => idsOf(currentContext()),
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

/** What a line says of the request, the command or the schedule that it belongs to; `trace_id` and `span_id` as OpenTelemetry names them. */
function idsOf(context: RequestContext | undefined): { requestId?: string; trace_id?: string; span_id?: string } {
  if (context === undefined) return {};
  const { requestId } = context;
  return {
    ...(requestId !== undefined && { requestId }),
    ...traceOf(context),
  };
}

function traceOf(context: RequestContext | undefined) {
  return context?.span && { trace_id: context.span.traceId, span_id: context.span.spanId };
}

/** What is logged of every request; `path` is without the query. */
interface AnsweredRequest {
  /** Of a stranger's choice it has letters, digits, hyphens, dots and colons only. */
  requestId: string;
  span?: RequestContext['span'];
  method: string;
  path: string;
  status: number;
  /** Milliseconds until the answer was handed over. */
  ms: number;
  /** The client went away before. */
  aborted?: true;
}

/**
 * Logs a request: the line that `log[level](request, 'request')` would give. It is put together here, because it is by far
 * the most frequent one, and only its path is not our own text.
 */
export function logRequest(log: Logger, level: 'debug' | 'info' | 'error', request: AnsweredRequest): void {
  if (!log.isLevelEnabled(level)) return;
  const { requestId, span, method, path, status, ms, aborted } = request;
  const trace = span ? `"trace_id":"${span.traceId}","span_id":"${span.spanId}",` : '';
  const members = `"requestId":"${requestId}",${trace}"method":"${method}","path":${JSON.stringify(redactText(path))}`;
  const line = `{"level":"${level}","time":"${now()}","pid":${process.pid},${members},"status":${status},"ms":${ms}${aborted ? ',"aborted":true' : ''},"msg":"request"}\n`;
  (log as unknown as Record<symbol, DestinationStream>)[symbols.streamSym]?.write(line);
}

/** Logs a record of the audit trail, which holds no secret: its own members beside those of every line. */
export function logAudit(log: Logger, record: { time: string; event: string }): void {
  if (!log.isLevelEnabled('info')) return;
  const { time, ...rest } = record;
  const members = JSON.stringify({ ...rest, ...traceOf(currentContext()) }).slice(1, -1);
  const line = `{"level":"info","time":"${time}","pid":${process.pid},${members},"msg":"audit"}\n`;
  (log as unknown as Record<symbol, DestinationStream>)[symbols.streamSym]?.write(line);
}

let second = 0;
let secondText = '';

/** The instant in UTC, with milliseconds. */
function now(): string {
  const time = Date.now();
  const ms = time % 1000;
  if (time - ms !== second) {
    second = time - ms;
    secondText = new Date(second).toISOString().slice(0, -4);
  }
  return `${secondText}${String(ms).padStart(3, '0')}Z`;
}

function forPeople(output: DestinationStream): DestinationStream {
  const colorize = process.stdout.isTTY === true;
  const format = prettyFactory({
    colorize,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname,requestId,trace_id,span_id',
    singleLine: true,
  });
  // What pino-pretty leaves of text from outside would drive the terminal: it removes the control characters of ASCII alone.
  const left = /[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
  return { write: (line) => output.write(format(line).replace(left, printable)) };
}
