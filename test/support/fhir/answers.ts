// Owns the record of what directories under test answer: each distinct FHIR body, written to the run's folder, where
// `every-answer.ts` validates all of them once. Does not own the servers.

import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** Folder of the run's record, made by the global set-up. */
export const ANSWERS = 'HYGIE_TEST_ANSWERS';

/** One answer with a FHIR body. */
export interface RecordedAnswer {
  request: string;
  status: number;
  mediaType: string;
  text: string;
}

/** Bodies of one test file; beyond them, more of the same finds nothing new. */
const MOST = 2500;
const DECODERS: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** Records every distinct FHIR body that the server sends under `path`, until it closes. */
export function recordAnswers(server: Server, path: string): void {
  const folder = process.env[ANSWERS];
  if (folder === undefined) return;
  const file = join(folder, `${process.pid}.ndjson`);
  const seen = new Set<string>();
  let waiting: string[] = [];
  const flush = () => {
    if (waiting.length > 0) appendFileSync(file, waiting.join(''));
    waiting = [];
  };
  server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => {
    if (seen.size >= MOST || !req.url?.startsWith(path)) return;
    onBody(res, (mediaType, bytes) => {
      if (!/^application\/fhir\+(json|xml)/.test(mediaType) || bytes.length === 0) return;
      const digest = createHash('sha1').update(bytes).digest('base64');
      if (seen.has(digest)) return;
      seen.add(digest);
      const answer = { request: `${req.method} ${req.url}`, status: res.statusCode, mediaType };
      waiting.push(`${JSON.stringify({ ...answer, text: bytes.toString('utf8') } satisfies RecordedAnswer)}\n`);
      if (waiting.length >= 200) flush();
    });
  });
  server.on('close', flush);
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
