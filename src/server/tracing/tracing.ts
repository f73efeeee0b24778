// What the service and its commands know of tracing, whatever makes the spans.

import type { IncomingHttpHeaders } from 'node:http';
import type { Span, StartedSpan, Tracer } from '#shared/request-context.ts';

export interface Tracing {
  tracer: Tracer;
  /** Begins a trace, or goes on with that of the caller, whose `traceparent` (W3C Trace Context) is in these headers. */
  begin(span: StartedSpan, headers: IncomingHttpHeaders): Span | undefined;
  /** Sends what waits, for at most two seconds. */
  close(): Promise<void>;
}
