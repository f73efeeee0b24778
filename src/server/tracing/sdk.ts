// OpenTelemetry's SDK: makes spans and exports them. Nothing else imports it, and it is loaded only if tracing is on.

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type Context,
  DiagLogLevel,
  defaultTextMapGetter,
  diag,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { redactText } from '#shared/log/redaction.ts';
import { withinTime } from '#shared/promises.ts';
import type { Attributes, Span, StartedSpan } from '#shared/request-context.ts';
import { VERSION } from '#shared/version.ts';
import { exporterOf } from './exporters.ts';
import type { Tracing } from './tracing.ts';
import type { TracingSettings } from './tracing-settings.ts';

/** Milliseconds that an ending process takes to send the waiting spans. */
const CLOSE_WITHIN = 2000;
/** Milliseconds that a process still gets to end by itself if it could not send its spans within CLOSE_WITHIN. Then it is ended. */
const EXIT_AFTER = 500;
/** Maximum number of different messages of the SDK that are reported. */
const MOST_SAID = 50;

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

export function startTracing(settings: TracingSettings, report: (message: string) => void): Tracing {
  reportOnce(report);
  const resource = defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': 'hygie',
        'service.version': VERSION,
        'host.name': hostname(),
        'process.pid': process.pid,
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }));
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(settings),
    spanProcessors: settings.exporters.map(
      (name) => new BatchSpanProcessor({ exporter: exporterOf(name, settings.protocol, report), ...settings.batch }),
    ),
  });
  const tracer = provider.getTracer('hygie', VERSION);
  const propagator = new W3CTraceContextPropagator();
  return {
    tracer: {
      start: (span) => startIn(tracer, span.parent instanceof SdkSpan ? span.parent.context : ROOT_CONTEXT, span),
    },
    begin: (span, headers) => {
      const caller = settings.continues
        ? propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
        : ROOT_CONTEXT;
      return startIn(tracer, caller, span);
    },
    close: async () => {
      const shutdown = provider.shutdown().catch((error: Error) => report(`tracing: ${redactText(error.message)}`));
      const ended = await withinTime<unknown>(shutdown, CLOSE_WITHIN, 'late');
      diag.disable();
      // The exporter goes on trying, which would keep the process alive. So the process is ended.
      if (ended === 'late') setTimeout(() => process.exit(), EXIT_AFTER).unref();
    },
  };
}

function startIn(tracer: OtelTracer, context: Context, { name, kind = 'internal', attributes = {}, ago }: StartedSpan) {
  const since = ago === undefined ? {} : { startTime: Date.now() - ago };
  const span = tracer.startSpan(name, { kind: KINDS[kind], attributes, ...since }, context);
  return span.isRecording() ? new SdkSpan(span) : undefined;
}

class SdkSpan implements Span {
  readonly traceId: string;
  readonly spanId: string;
  /** The context for spans that are children of this one. */
  readonly context: Context;
  readonly #span: OtelSpan;

  constructor(span: OtelSpan) {
    this.#span = span;
    ({ traceId: this.traceId, spanId: this.spanId } = span.spanContext());
    this.context = trace.setSpan(ROOT_CONTEXT, span);
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes);
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  end(failed?: string): void {
    if (failed !== undefined) {
      this.#span.setAttribute('error.type', failed);
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end();
  }
}

function samplerOf({ sampler, ratio, parentBased }: TracingSettings): Sampler {
  const samplers: Record<TracingSettings['sampler'], () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  const root = samplers[sampler]();
  if (parentBased) return new ParentBasedSampler({ root });
  // A caller chooses its trace id, and the trace id decides whether a request is sampled. With suitable ids, a caller could have all its
  // requests sampled. So a random id takes the place of the caller's id for this decision.
  const ofCallers: Sampler = {
    shouldSample: (context, _traceId, ...rest) => root.shouldSample(context, randomBytes(16).toString('hex'), ...rest),
  };
  return new ParentBasedSampler({ root, remoteParentSampled: ofCallers, remoteParentNotSampled: ofCallers });
}

/** Reports the SDK's messages about its variables and its queue. Sentences that differ only in numbers are reported once. */
function reportOnce(report: (message: string) => void): void {
  const said = new Set<string>();
  const tell = (message: string) => {
    const sentence = message.replace(/\d+/g, '0');
    if (said.has(sentence) || said.size >= MOST_SAID) return;
    said.add(sentence);
    report(`tracing: ${message}`);
  };
  const silent = () => {};
  const logger = { error: tell, warn: tell, info: silent, debug: silent, verbose: silent };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}
