// Owns the bytes of an answer: headers that every answer has, and the way they are written.
// Does not own what the answer says.

import type { ServerResponse } from 'node:http';
import { currentRequestId, REQUEST_ID } from '../../shared/log/log.ts';
import { codingFor, compressed } from './compression.ts';

export const FHIR_JSON = 'application/fhir+json; charset=utf-8';

/** What one request gets. */
export interface Answer {
  status: number;
  /** Absent for 204 and 304. */
  body?: string;
  /** Sends a body of unknown length behind the head; instead of `body`. */
  send?(res: ServerResponse): void;
  /** Content-Type of the body; FHIR JSON when absent. */
  mediaType?: string;
  headers?: Readonly<Record<string, string>>;
}

/** Headers of every answer. */
export const OF_EVERY_ANSWER = {
  'cache-control': 'private, no-cache',
  vary: 'Accept, Accept-Encoding, Authorization, Prefer',
  'x-content-type-options': 'nosniff',
  // A Bearer token is never sent by a browser on its own, so any origin may be allowed (fhir-stu3: CORS).
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'ETag, Last-Modified, Content-Location, Link, Location, Allow, Retry-After, WWW-Authenticate, Content-Range',
};

/**
 * A function that sends answers, with these headers of the service beside the directory's own. Node is given all headers
 * as one flat list: set one by one, they cost as much as all the rest of writing an answer.
 */
export function createReply(ofService: Readonly<Record<string, string>> = {}) {
  const fixed = Object.entries({ ...OF_EVERY_ANSWER, ...ofService }).flat();
  return (res: ServerResponse, { status, body, send, mediaType = FHIR_JSON, headers = {} }: Answer): void => {
    const head: string[] = [...fixed];
    const requestId = currentRequestId();
    if (requestId !== undefined) head.push(REQUEST_ID, requestId);
    for (const name in headers) head.push(name, headers[name] as string);
    if (body === undefined) {
      res.writeHead(status, head);
      if (send) send(res);
      else res.end();
      return;
    }
    head.push('Content-Type', mediaType);
    const accepted = res.req.headers['accept-encoding'];
    if (body.length > LARGE && accepted === undefined) {
      sendBytes(res, status, head, bytesOf(body));
      return;
    }
    const length = Buffer.byteLength(body);
    const coding = codingFor(accepted, length);
    if (coding === 'identity') {
      sendText(res, status, head, body, length);
      return;
    }
    compressed(body, coding).then(
      (bytes) => sendBytes(res, status, [...head, 'Content-Encoding', coding], bytes),
      () => sendText(res, status, head, body, length),
    );
  };
}

function sendBytes(res: ServerResponse, status: number, head: string[], bytes: Buffer): void {
  head.push('Content-Length', String(bytes.length));
  res.writeHead(status, head).end(bytes);
}

/** Characters from which text is encoded here, once: Node would go through it to know its length, and again to write it. */
const LARGE = 8192;
const encoder = new TextEncoder();
const room = Buffer.allocUnsafeSlow(2 ** 18);

function bytesOf(body: string): Buffer {
  if (body.length * 3 > room.length) return Buffer.from(body);
  const { written } = encoder.encodeInto(body, room);
  return Buffer.from(room.subarray(0, written));
}

function sendText(res: ServerResponse, status: number, head: string[], body: string, length: number): void {
  head.push('Content-Length', String(length));
  // Text without a character beyond ASCII is the same bytes either way; Latin-1 takes no conversion.
  res.writeHead(status, head).end(body, length === body.length ? 'latin1' : 'utf8');
}
