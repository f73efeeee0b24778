// Owns the bytes of an answer: headers that every answer has, and the way they are written.
// Does not own what the answer says.

import type { ServerResponse } from 'node:http';

export const FHIR_JSON = 'application/fhir+json; charset=utf-8';

/** A Bearer token is never sent by a browser on its own, so any origin may be allowed (fhir-stu3: CORS). */
export const OPEN_TO_ALL = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'ETag, Last-Modified, Content-Location, Link, Location, Allow, Retry-After, WWW-Authenticate',
} as const;

/**
 * Sends JSON text. Express' `send` is passed by: it would parse the type, hash the body for an ETag that means nothing
 * for a Bundle, and look for conditional headers.
 */
export function sendJson(
  res: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = Buffer.from(text);
  res.writeHead(status, {
    'Content-Type': FHIR_JSON,
    'Content-Length': body.length,
    'Cache-Control': 'private, no-cache',
    Vary: 'Accept, Authorization, Prefer',
    'X-Content-Type-Options': 'nosniff',
    ...OPEN_TO_ALL,
    ...headers,
  });
  res.end(body);
}

/** Sends an answer without a body: 204 and 304. */
export function sendEmpty(res: ServerResponse, status: number, headers: Readonly<Record<string, string>>): void {
  res.writeHead(status, { ...OPEN_TO_ALL, ...headers });
  res.end();
}
