// Exports spans to a collector by OTLP over HTTP, or to standard error as lines of JSON. `sdk.ts` collects the spans in batches first, so
// that no request waits.

import { type ExportResult, ExportResultCode, hrTimeToTimeStamp } from '@opentelemetry/core';
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import {
  JsonTraceSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { redactText } from '#shared/log/redaction.ts';
import type { TracingSettings } from './tracing-settings.ts';

const FORMATS = {
  'http/protobuf': { serializer: ProtobufTraceSerializer, type: 'application/x-protobuf' },
  'http/json': { serializer: JsonTraceSerializer, type: 'application/json' },
} as const;

export function exporterOf(
  name: TracingSettings['exporters'][number],
  protocol: TracingSettings['protocol'],
  report: (message: string) => void,
): SpanExporter {
  return name === 'console' ? consoleExporter() : reporting(otlpExporter(protocol), report);
}

/**
 * Exports spans by OTLP over HTTP. The library itself reads addresses, headers, certificates, compression and time limits from the
 * variables OTEL_EXPORTER_OTLP_...
 */
function otlpExporter(protocol: TracingSettings['protocol']): SpanExporter {
  const { serializer, type } = FORMATS[protocol];
  const options = convertLegacyHttpOptions({}, 'TRACES', 'v1/traces', { 'Content-Type': type });
  const delegate = createOtlpHttpExportDelegate(
    options,
    serializer,
    'otlp_http_span_exporter',
    TraceExporterMetricsHelper,
    undefined,
  );
  return new OTLPExporterBase<ReadableSpan[]>(delegate);
}

/** Reports the first failed export, and later the end of the failures with the number of lost spans. */
function reporting(exporter: SpanExporter, report: (message: string) => void): SpanExporter {
  let lost = 0;
  const took = (spans: number, { code, error }: ExportResult) => {
    if (code === ExportResultCode.SUCCESS) {
      if (lost > 0) report(`tracing: traces are sent again; ${lost} spans were lost`);
      lost = 0;
      return;
    }
    if (lost === 0) report(`tracing: the collector does not take traces (${reasonOf(error)}): requests go on without`);
    lost += spans;
  };
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        took(spans.length, result);
        // The SDK is told that the export succeeded, because it would otherwise report each failure again.
        done({ code: ExportResultCode.SUCCESS });
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

/** Returns the reason of a failure without the answer of the collector, which may be a whole page. */
function reasonOf(error: (Error & { code?: unknown }) | undefined): string {
  const { code, message } = error ?? {};
  return redactText([code, message].filter(Boolean).join(' ').slice(0, 200)) || 'no answer';
}

/**
 * Writes spans to standard error, so that they can be seen without a collector. Standard output is not used, because it carries the log, or
 * the data that a command prints.
 */
function consoleExporter(): SpanExporter {
  return {
    export: (spans, done) => {
      process.stderr.write(spans.map((span) => `${JSON.stringify(lineOf(span))}\n`).join(''));
      done({ code: ExportResultCode.SUCCESS });
    },
    shutdown: async () => {},
  };
}

function lineOf(one: ReadableSpan) {
  const { name, startTime, duration, attributes, parentSpanContext } = one;
  const { traceId, spanId } = one.spanContext();
  const ms = Math.round(duration[0] * 1e3 + duration[1] / 1e6);
  const parent = parentSpanContext?.spanId;
  return { span: name, time: hrTimeToTimeStamp(startTime), ms, traceId, spanId, parent, ...attributes };
}
