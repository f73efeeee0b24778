// The tracing interface for the service and its commands, independent of the library that makes the spans.

import type { IncomingHttpHeaders } from 'node:http';
import type { Span, StartedSpan, Tracer } from '#shared/request-context.ts';

export interface Tracing {
  tracer: Tracer;
  /**
   * Begins a trace. If the headers have a `traceparent` and the settings allow it, continues the trace of the caller instead (W3C Trace
   * Context).
   */
  begin(span: StartedSpan, headers: IncomingHttpHeaders): Span | undefined;
  /** Sends the waiting spans, for at most two seconds. */
  close(): Promise<void>;
}
