// A collector of OpenTelemetry traces: takes OTLP over HTTP as JSON (https://opentelemetry.io/docs/specs/otlp/#otlphttp).

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parent: string;
  name: string;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  failed: boolean;
  attributes: Record<string, unknown>;
  /** Of the process. */
  resource: Record<string, unknown>;
}

export interface Collector {
  /** Address for OTEL_EXPORTER_OTLP_ENDPOINT. */
  endpoint: string;
  spans(): CollectedSpan[];
  /** All that was received, to the letter. */
  received(): string;
  headers: Record<string, unknown>[];
  /** What it answers; whatever it refuses is not among the spans. */
  status: number;
  close(): Promise<void>;
}

type OtlpAttributes = { key: string; value: Record<string, unknown> }[];
interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  status?: { code?: number };
  attributes?: OtlpAttributes;
}
interface OtlpRequest {
  resourceSpans: { resource: { attributes: OtlpAttributes }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

/** Listens on a port of the loopback address, any or this one. */
export async function startCollector(port = 0): Promise<Collector> {
  const bodies: string[] = [];
  const spans: CollectedSpan[] = [];
  const headers: Collector['headers'] = [];
  const server = createServer(async (req, res) => {
    const body = await text(req);
    const status = req.url === '/v1/traces' ? collector.status : 404;
    if (status === 200) {
      bodies.push(body);
      spans.push(...spansOf(JSON.parse(body)));
    }
    headers.push(req.headers);
    res.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  const collector: Collector = {
    status: 200,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => [...spans],
    received: () => bodies.join('\n'),
    headers,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
  return collector;
}

function spansOf({ resourceSpans }: OtlpRequest): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ traceId, spanId, parentSpanId = '', name, kind, status, attributes = [] }) => ({
        traceId,
        spanId,
        parent: parentSpanId,
        name,
        kind,
        failed: status?.code === 2,
        attributes: plain(attributes),
        resource: plain(resource.attributes),
      })),
  );
}

function plain(attributes: OtlpAttributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
