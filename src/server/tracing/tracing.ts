// What the service and its commands know of tracing, whatever makes the spans.

import type { IncomingHttpHeaders } from 'node:http';
import type { Span, StartedSpan, Tracer } from '#shared/request-context.ts';

export interface Tracing {
  tracer: Tracer;
  /** Begins a trace, or continues the caller's if these headers have its `traceparent` (W3C Trace Context). */
  begin(span: StartedSpan, headers: IncomingHttpHeaders): Span | undefined;
  /** Sends what waits, for at most two seconds. */
  close(): Promise<void>;
}
