// Caches the discovery documents and the key set, which are the same for everybody until the provider is replaced. The library makes each
// response once. The copy is sent again, with caching headers (RFC 9111, RFC 9110 section 8.8.3).

import type { OutgoingHttpHeader } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { DISCOVERY, ROUTES } from '#openid/routes.ts';
import { digest } from '#shared/crypto/digest.ts';

/** Seconds for which others may cache a discovery document. So it may take this long until they know a changed setting. */
const DISCOVERY_CACHED_FOR = 300;

interface PublicDocument {
  headers: readonly (readonly [name: string, value: OutgoingHttpHeader])[];
  body: string;
}

/**
 * Wraps the callback of one provider for Express. When the keys change, a new provider gets a new wrapper. `keysCachedFor` is the time in
 * seconds for which relying parties may cache the key set. A new key is published that long before its use.
 */
export function keepPublicDocuments(callback: RequestHandler, keysCachedFor: number): RequestHandler {
  const maxAges = new Map<string, number>([
    ...DISCOVERY.map((path) => [path, DISCOVERY_CACHED_FOR] as const),
    [ROUTES.jwks, keysCachedFor],
  ]);
  const documents = new Map<string, PublicDocument>();
  return (req, res, next) => {
    const { method, path } = req;
    const maxAge = maxAges.get(path);
    if (maxAge === undefined || (method !== 'GET' && method !== 'HEAD')) return callback(req, res, next);
    const found = documents.get(path);
    if (found) return send(req, res, found);
    // The cached response serves every origin, and HEAD as well, since Node leaves out the body for HEAD.
    delete req.headers.origin;
    req.method = 'GET';
    takeAnswer(res, (document) => {
      const headers = [
        ...document.headers.filter(([name]) => name !== 'cache-control'),
        ['cache-control', `public, max-age=${maxAge}`] as const,
        ['etag', `"${digest(document.body)}"`] as const,
      ];
      const kept = { headers, body: document.body };
      documents.set(path, kept);
      send(req, res, kept);
    });
    callback(req, res, next);
  };
}

/** Gives a response with status 200 to `take` instead of sending it. Sends any other response unchanged. */
function takeAnswer(res: Response, take: (answer: PublicDocument) => void): void {
  const before = new Map(Object.entries(res.getHeaders()));
  const { end } = res;
  res.end = ((...body: Parameters<typeof end>) => {
    res.end = end;
    const [text] = body as readonly unknown[];
    if (res.statusCode !== 200 || typeof text !== 'string') return res.end(...body);
    // Headers of earlier middleware, such as the request id, do not belong to the document.
    const headers = Object.entries(res.getHeaders()).flatMap(([name, value]) =>
      value === undefined || value === before.get(name) ? [] : [[name, value] as const],
    );
    take({ headers, body: text });
    return res;
  }) as typeof end;
}

/** Sends the document, or 304 with the headers that caches need (RFC 9110 section 15.4.5). */
function send(req: Request, res: Response, { headers, body }: PublicDocument): void {
  for (const [name, value] of headers) res.setHeader(name, value as string);
  // This header is removed, because Express always sends the whole document if it is there, and `fetch` adds it to each conditional
  // request.
  delete req.headers['cache-control'];
  if (!req.fresh) {
    res.end(body);
    return;
  }
  for (const name of ['content-type', 'content-length']) res.removeHeader(name);
  res.status(304).end();
}
