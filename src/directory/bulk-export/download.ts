// Sends one file of an export, with its headers, compression and ranges, and only as fast as the client receives it. Limits the number of
// files that a client may download at the same time (SEC-58).

import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { fhirError, refusalForNow } from '#directory/errors.ts';
import { type ActiveToken, callerOf, personOf } from '#directory/middleware/authenticate.ts';
import { isFresh } from '#directory/middleware/send-response.ts';
import { limitReached } from '#shared/limits-reached.ts';
import { SharedBudget } from '#shared/shared-budget.ts';
import type { Chunk } from './files.ts';

/** A download ends if the client receives no byte for this many milliseconds. The client can resume it later. */
const STALLED_AFTER = 60_000;

/** Compression level of zlib. A higher level makes files a tenth smaller, but takes twice the time. */
const GZIP_LEVEL = 1;

export interface Download {
  /** Name from which the entity tag is made. Files with different content must have different names. */
  name: string;
  /** Makes the chunks of the file. With `at`, begins with the chunk that has this `Chunk.at`. */
  chunks(at?: number): AsyncGenerator<Chunk>;
  /** Called once, as soon as it is certain that nothing more will be sent. `error` is undefined if nothing has failed. */
  ended(error: unknown): void;
}

/** The length of the file, and the chunk in which a range begins. */
interface Located {
  /** Length of the whole file in bytes. */
  total: number;
  /**
   * `Chunk.at` of the chunk in which the range begins; undefined if the file is empty. All chunks of a file of removed resources have the
   * same `Chunk.at`, so for such a file it stands for the first chunk. `before` is the number of bytes of the file that come before the
   * chunk.
   */
  at: number | undefined;
  before: number;
}

/**
 * Sends the file, or the range of it that the request names (RFC 9110 section 14). For a range, all chunks of the file are made once to
 * find its length. Then they are made again, beginning with the chunk in which the range begins, and sent.
 * @throws FhirError 416 if the range begins behind the end of the file
 */
export async function download(file: Download, req: Request, res: Response): Promise<void> {
  const { headers } = req;
  const plain = `"${file.name}"`;
  const range = rangeOf(headers.range);
  const resumed = range && (headers['if-range'] === undefined || headers['if-range'] === plain) ? range : undefined;
  // A range is sent uncompressed. The client may have the bytes before it from another instance, which may compress differently. A
  // compressed range would then not fit those bytes.
  const gzip = resumed === undefined && req.acceptsEncodings('gzip', 'x-gzip') !== false;
  const etag = gzip ? `"${file.name}-gzip"` : plain;
  res.set({ ETag: etag, ...(gzip ? { 'Content-Encoding': 'gzip' } : { 'Accept-Ranges': 'bytes' }) });
  const isHeld = isFresh(req);
  if (isHeld) res.status(304);
  else res.setHeader('Content-Type', 'application/fhir+ndjson');
  if (isHeld || req.method === 'HEAD') {
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

/**
 * Parses a range with a first byte, such as `bytes=500-`. Returns undefined for all other forms of ranges. A server may ignore them, so the
 * whole file is sent.
 */
function rangeOf(header: string | undefined): { from: number; to: number } | undefined {
  const [, from, to] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (from === undefined) return undefined;
  const range = { from: Number(from), to: to ? Number(to) : Number.POSITIVE_INFINITY };
  return range.to < range.from ? undefined : range;
}

/** Finds the chunk with the byte at `offset`, and the length of the file. Throws FhirError 408 if the client has left. */
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
  // The client may have left while the chunk was being looked for. Then nothing is sent, because a stream to a closed response would never
  // end.
  if (res.destroyed) {
    ended(undefined);
    return;
  }
  res.setTimeout(STALLED_AFTER, () => res.destroy());
  // With `highWaterMark: 1`, the stream makes only one chunk in advance, while the client receives the previous one.
  const source = Readable.from(bytes, { objectMode: false, highWaterMark: 1 });
  const done = (error: Error | null | undefined) => {
    // After an error, the connection is cut. So the client notices that the file is incomplete, and can resume the download.
    if (error) res.destroy();
    ended(error && (error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE' ? error : undefined);
  };
  if (gzip) pipeline(source, createGzip({ level: GZIP_LEVEL }), res, done);
  else pipeline(source, res, done);
}

/**
 * Limits the downloads of each client. One person can take only a part of the client's slots (`shared/shared-budget.ts`).
 * @param most number of files that one client may download at the same time (`directory.downloads`)
 */
export function createDownloadSlots(most: number) {
  const budgets = new Map<string, SharedBudget>();
  return {
    /**
     * Takes a slot for a download. Returns the function that gives the slot back. A second call of that function does nothing. Throws
     * FhirError 429 if no slot is left.
     */
    take(token: ActiveToken): () => void {
      const caller = callerOf(token);
      const person = personOf(token);
      const budget = budgets.get(caller) ?? new SharedBudget();
      const full = budget.take(most, person);
      if (full) {
        limitReached('export-downloads');
        const share = full === 'share' ? ', and one person no more than are left for others' : '';
        const text = `Not more than ${most} files of an export at a time${share}: wait until one has ended.`;
        throw refusalForNow(429, 5, text);
      }
      budgets.set(caller, budget);
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        budget.giveBack(person);
        if (budget.unused) budgets.delete(caller);
      };
    },
  };
}
