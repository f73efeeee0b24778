// The context that accompanies all work of a request, a command or a schedule: its id, and its span if it is traced.

import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Values of a span: numbers, names, sizes. They never hold personal data, or text that people searched or typed: nobody expects that in a
 * trace.
 */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/**
 * OpenTelemetry's kinds of spans: `server` for answering a request, `client` for calling another program, `internal` for all other work.
 */
export type SpanKind = 'internal' | 'server' | 'client';

/** A part of the work, with its beginning, its end, and the larger part that it belongs to. */
export interface Span {
  /** The id of the trace has 32 hexadecimal digits, the id of the span 16. */
  traceId: string;
  spanId: string;
  set(attributes: Attributes): void;
  /** Replaces the name with which the span began. */
  rename(name: string): void;
  /**
   * Ends the span. If the work failed, `failed` names the kind of the error: a class, a code, a status. It is never the error's message,
   * because that may quote the request.
   */
  end(failed?: string): void;
}

export interface StartedSpan {
  name: string;
  kind?: SpanKind;
  attributes?: Attributes;
  /** Milliseconds since the span began; 0 by default. */
  ago?: number;
  /** The parent of the span. Without a parent, a new trace begins. */
  parent?: Span | undefined;
}

/** Makes spans. `start` returns undefined if the sampler leaves the span out. */
export interface Tracer {
  start(span: StartedSpan): Span | undefined;
}

export interface RequestContext {
  requestId?: string;
  /** Number of entries, if the request is a batch. */
  entries?: number;
  tracer?: Tracer | undefined;
  span?: Span | undefined;
}

const contexts = new AsyncLocalStorage<RequestContext>();

/** Returns the context of the running work; undefined if it runs in no context. */
export function currentContext(): RequestContext | undefined {
  return contexts.getStore();
}

/** Runs `work` in this context, which also covers all calls below it. */
export function withinContext<Result>(context: RequestContext, work: () => Result): Result {
  return contexts.run(context, work);
}

/** Returns the id of the current request; undefined if no request is being answered. */
export function currentRequestId(): string | undefined {
  return contexts.getStore()?.requestId;
}

/**
 * Runs `work` in a new span below the current one, or without a span if nothing is traced. The span ends when the promise that `work`
 * returns is settled. If this promise rejects, the span ends as failed.
 */
export function traced<Result>(
  name: string,
  { kind = 'internal', attributes = {} }: { kind?: SpanKind; attributes?: Attributes },
  work: (span: Span | undefined) => Result,
): Result {
  const context = contexts.getStore();
  if (context?.span === undefined || context.tracer === undefined) return work(undefined);
  return withinSpan(context, { name, kind, attributes, parent: context.span }, work);
}

/** Records work as a span below the current one. The work began `ago` milliseconds ago and has just ended. */
export function notePhase(name: string, ago: number): void {
  const { tracer, span: parent } = currentContext() ?? {};
  if (parent) tracer?.start({ name, ago, parent })?.end();
}

/** Does the same as `traced`, but begins a new trace. It is for work that no request waits for, such as the delivery of a mail. */
export function tracedAlone<Result>(name: string, attributes: Attributes, work: () => Result): Result {
  const context = contexts.getStore();
  // The context of a request is replaced by an empty one, because the work belongs to no request, even if a request caused it.
  if (context?.tracer === undefined) return context === undefined ? work() : contexts.run({}, work);
  return withinSpan({ tracer: context.tracer }, { name, attributes }, work);
}

function withinSpan<Result>(
  context: RequestContext,
  started: StartedSpan,
  work: (span: Span | undefined) => Result,
): Result {
  const span = context.tracer?.start(started);
  return contexts.run({ ...context, span }, () => {
    const ended = <Value>(value: Value): Value => {
      span?.end();
      return value;
    };
    const failed = (error: unknown): never => {
      span?.end(kindOf(error));
      throw error;
    };
    try {
      const result = work(span);
      return result instanceof Promise ? (result.then(ended, failed) as Result) : ended(result);
    } catch (error) {
      return failed(error);
    }
  });
}

/** Returns the code of an error that the system or the database reported, or else the name of its class. */
function kindOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === 'string' && /^\w{1,40}$/.test(code)) return code;
  return typeof name === 'string' && /^\w{1,60}$/.test(name) ? name : 'Error';
}
