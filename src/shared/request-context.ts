// What a request, a command or a schedule carries along through all that it does: its id, and where it is traced its span.

import { AsyncLocalStorage } from 'node:async_hooks';

/** Values of a span: numbers, names, sizes. Never what people searched, typed, or own: nobody expects it in a trace. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Roles of OpenTelemetry: answering (`server`), calling another program (`client`), or neither. */
export type SpanKind = 'internal' | 'server' | 'client';

/** A part of the work, with its beginning, its end, and the part it belongs to. */
export interface Span {
  /** 32 hexadecimal digits; `spanId` has 16. */
  traceId: string;
  spanId: string;
  set(attributes: Attributes): void;
  /** Replaces the name that the span began with. */
  rename(name: string): void;
  /** `failed` names the kind of an error: a class, a code, a status. Never its message, which may quote what was sent. */
  end(failed?: string): void;
}

export interface StartedSpan {
  name: string;
  kind?: SpanKind;
  attributes?: Attributes;
  /** Milliseconds ago at which it began; now without them. */
  ago?: number;
  /** The one it belongs to; without it, a trace begins. */
  parent?: Span | undefined;
}

/** Makes spans; undefined for what the sampler leaves out. */
export interface Tracer {
  start(span: StartedSpan): Span | undefined;
}

export interface RequestContext {
  requestId?: string;
  tracer?: Tracer | undefined;
  span?: Span | undefined;
}

const contexts = new AsyncLocalStorage<RequestContext>();

/** Returns the context of the running work; undefined outside of any. */
export function currentContext(): RequestContext | undefined {
  return contexts.getStore();
}

/** All that `work` does, however deep, has this context. */
export function withinContext<Result>(context: RequestContext, work: () => Result): Result {
  return contexts.run(context, work);
}

/** The id of the current request; undefined outside of any. */
export function currentRequestId(): string | undefined {
  return contexts.getStore()?.requestId;
}

/**
 * Runs `work` as a span of its own below the current one; just runs it where nothing is traced. A span ends with the promise that
 * `work` returns, and failed where that rejects.
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

/** Notes work that began so many milliseconds ago, and has just ended, as a span below the current one. */
export function notePhase(name: string, ago: number): void {
  const { tracer, span: parent } = currentContext() ?? {};
  if (parent) tracer?.start({ name, ago, parent })?.end();
}

/** Does the same as `traced`, but begins a trace: for work that no request waits for, such as the delivery of a mail. */
export function tracedAlone<Result>(name: string, attributes: Attributes, work: () => Result): Result {
  const context = contexts.getStore();
  // What follows belongs to no request, even where one was its cause.
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
    try {
      const result = work(span);
      if (!(result instanceof Promise)) {
        span?.end();
        return result;
      }
      return result.then(
        (value: unknown) => {
          span?.end();
          return value;
        },
        (error: unknown) => {
          span?.end(kindOf(error));
          throw error;
        },
      ) as Result;
    } catch (error) {
      span?.end(kindOf(error));
      throw error;
    }
  });
}

/** A code of the system or of the database, or the name of the class. */
function kindOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === 'string' && /^\w{1,40}$/.test(code)) return code;
  return typeof name === 'string' && /^\w{1,60}$/.test(name) ? name : 'Error';
}
