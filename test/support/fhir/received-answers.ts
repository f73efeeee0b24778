// Records what directories under test answer: each distinct FHIR body, for the validation after the test that received it
// (`validate-received.ts`).

import { createHash } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** One answer with a FHIR body. */
export interface ReceivedAnswer {
  request: string;
  status: number;
  mediaType: string;
  text: string;
  digest: string;
}

/** Answers recorded of one server; beyond them, more of the same finds nothing new. */
const MOST = 2500;
const DECODERS: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

let received: ReceivedAnswer[] = [];

/** The answers recorded in this test file since the last call. */
export function takeReceived(): ReceivedAnswer[] {
  const taken = received;
  received = [];
  return taken;
}

/** Records the FHIR answers that the server sends under `path`. */
export function recordAnswers(server: Server, path: string): void {
  let recorded = 0;
  server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => {
    if (recorded >= MOST || !req.url?.startsWith(path)) return;
    onBody(res, (mediaType, bytes) => {
      if (!/^application\/fhir\+(json|xml)/.test(mediaType) || bytes.length === 0) return;
      recorded++;
      const { statusCode: status } = res;
      const digest = createHash('sha1').update(`${status} ${mediaType}\n`).update(bytes).digest('base64');
      received.push({ request: `${req.method} ${req.url}`, status, mediaType, text: bytes.toString('utf8'), digest });
    });
  });
}

function onBody(res: ServerResponse, done: (mediaType: string, bytes: Buffer) => void): void {
  const chunks: Buffer[] = [];
  const given: Record<string, string> = {};
  const { writeHead, write, end } = res;
  const keep = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk, encodingOf(encoding)));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  res.writeHead = ((status: number, ...rest: unknown[]) => {
    Object.assign(given, headersOf(rest.at(-1)));
    return Reflect.apply(writeHead, res, [status, ...rest]);
  }) as typeof res.writeHead;
  res.write = ((chunk: unknown, encoding?: unknown, ...rest: unknown[]) => {
    keep(chunk, encoding);
    return Reflect.apply(write, res, [chunk, encoding, ...rest]);
  }) as typeof res.write;
  res.end = ((chunk?: unknown, encoding?: unknown, ...rest: unknown[]) => {
    keep(chunk, encoding);
    const header = (name: string) => given[name] ?? String(res.getHeader(name) ?? '');
    const decode = DECODERS[header('content-encoding')];
    const bytes = Buffer.concat(chunks);
    done(header('content-type'), decode && bytes.length > 0 ? decode(bytes) : bytes);
    return Reflect.apply(end, res, [chunk, encoding, ...rest]);
  }) as typeof res.end;
}

function encodingOf(encoding: unknown): BufferEncoding {
  return typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8';
}

/** Headers given to `writeHead`, as an object or as a flat list; names in lower case. */
function headersOf(given: unknown): Record<string, string> {
  if (typeof given !== 'object' || given === null) return {};
  const pairs = Array.isArray(given)
    ? Array.from({ length: given.length / 2 }, (_, at) => [given[2 * at], given[2 * at + 1]])
    : Object.entries(given);
  return Object.fromEntries(pairs.map(([name, value]) => [String(name).toLowerCase(), String(value)]));
}
