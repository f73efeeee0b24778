// Sends one file of an export: headers, compression, ranges, and a stream that waits for the client. How many at a time: `download-slots.ts`.

import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { fhirError } from '#directory/errors.ts';
import { isFresh } from '#directory/middleware/send-response.ts';
import type { Chunk } from './chunks.ts';

/** Milliseconds after which a download ends if the client takes no byte. It can be resumed. */
const STALLED_AFTER = 60_000;

/** zlib level. Higher levels save a tenth of the bytes but take twice the time. */
const GZIP_LEVEL = 1;

export interface Download {
  /** Differs for any two files. */
  name: string;
  /** The chunks of the file, from a position on. */
  chunks(at?: number): AsyncGenerator<Chunk>;
  /** Called once, when nothing will be sent any more. */
  ended(error: unknown): void;
}

/** The chunk that holds a byte of a file. */
interface Located {
  /** Bytes of the whole file. */
  total: number;
  /** Position of a chunk that begins at or before the byte, and the number of bytes before that chunk. */
  at: number | undefined;
  before: number;
}

/**
 * Sends the file, or the range that the request names (RFC 9110 section 14). A range is made from the chunk in which it begins, after the
 * whole file was made once to find its length.
 * @throws FhirError 416
 */
export async function download(file: Download, req: Request, res: Response): Promise<void> {
  const { headers } = req;
  const plain = `"${file.name}"`;
  const range = rangeOf(headers.range);
  const resumed = range && (headers['if-range'] === undefined || headers['if-range'] === plain) ? range : undefined;
  // Compressed bytes may differ between machines, so a resumed download is sent uncompressed.
  const gzip = resumed === undefined && req.acceptsEncodings('gzip', 'x-gzip') !== false;
  const etag = gzip ? `"${file.name}-gzip"` : plain;
  res.set({ ETag: etag, ...(gzip ? { 'Content-Encoding': 'gzip' } : { 'Accept-Ranges': 'bytes' }) });
  if (isFresh(req)) {
    file.ended(undefined);
    res.status(304).end();
    return;
  }
  res.setHeader('Content-Type', 'application/fhir+ndjson');
  if (req.method === 'HEAD') {
    file.ended(undefined);
    res.end();
    return;
  }
  if (resumed === undefined) {
    stream(bytesOf(file.chunks()), { res, gzip, ended: file.ended });
    return;
  }
  const found = await locate(file, resumed.from, () => req.socket.destroyed);
  if (resumed.from >= found.total)
    throw fhirError(416, 'value', `The file has ${found.total} bytes: there is nothing from ${resumed.from} on.`, {
      headers: { 'Content-Range': `bytes */${found.total}` },
    });
  const to = Math.min(resumed.to, found.total - 1);
  const span = { skip: resumed.from - found.before, take: to - resumed.from + 1 };
  res.status(206);
  res.setHeader('Content-Range', `bytes ${resumed.from}-${to}/${found.total}`);
  res.setHeader('Content-Length', span.take);
  stream(bytesOf(file.chunks(found.at), span), { res, gzip: false, ended: file.ended });
}

/** Parses a single range with a beginning. Every other form may be ignored: the file is sent whole. */
function rangeOf(header: string | undefined): { from: number; to: number } | undefined {
  const [, from, to] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (from === undefined) return undefined;
  const range = { from: Number(from), to: to ? Number(to) : Number.POSITIVE_INFINITY };
  return range.to < range.from ? undefined : range;
}

/** Finds the chunk of a byte, and the length of the file. Ends early if the client has left. */
async function locate(file: Download, offset: number, abandoned: () => boolean): Promise<Located> {
  const located: Located = { total: 0, at: undefined, before: 0 };
  for await (const { at, text } of file.chunks()) {
    if (abandoned()) throw fhirError(408, 'throttled', 'The client has left.');
    if (located.total <= offset && at !== located.at) Object.assign(located, { at, before: located.total });
    located.total += Buffer.byteLength(text);
  }
  return located;
}

async function* bytesOf(
  chunks: AsyncGenerator<Chunk>,
  { skip, take }: { skip: number; take: number } = { skip: 0, take: Number.POSITIVE_INFINITY },
): AsyncGenerator<Buffer> {
  let skipping = skip;
  let left = take;
  for await (const { text } of chunks) {
    const bytes = Buffer.from(text);
    const chunk = bytes.subarray(Math.min(skipping, bytes.length)).subarray(0, Math.min(left, bytes.length));
    skipping -= Math.min(skipping, bytes.length);
    left -= chunk.length;
    if (chunk.length > 0) yield chunk;
    if (left === 0) return;
  }
}

function stream(
  bytes: AsyncGenerator<Buffer>,
  { res, gzip, ended }: { res: ServerResponse; gzip: boolean; ended: Download['ended'] },
): void {
  // The client may have left while the position was looked for. The stream would then never end.
  if (res.destroyed) {
    ended(undefined);
    return;
  }
  res.setTimeout(STALLED_AFTER, () => res.destroy());
  // Prepares at most one chunk ahead of the client.
  const source = Readable.from(bytes, { objectMode: false, highWaterMark: 1 });
  const done = (error: Error | null | undefined) => {
    // The client sees that the body ends too early, and resumes.
    if (error) res.destroy();
    ended(error && (error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE' ? error : undefined);
  };
  if (gzip) pipeline(source, createGzip({ level: GZIP_LEVEL }), res, done);
  else pipeline(source, res, done);
}
