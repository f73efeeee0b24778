// Discovery documents and key set: the same bytes for everybody until the provider is another one. The library makes each of them
// once; its answer is kept and sent again, with what caches need to know (RFC 9111, RFC 9110 section 8.8.3).

import type { OutgoingHttpHeader } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { DISCOVERY, ROUTES } from '#openid/routes.ts';
import { digest } from '#shared/crypto/digest.ts';

/** Seconds for which a discovery document may be kept elsewhere: an edit of the settings arrives after that. */
const DISCOVERY_CACHED_FOR = 300;

interface PublicDocument {
  headers: readonly (readonly [name: string, value: OutgoingHttpHeader])[];
  body: string;
}

/**
 * Express middleware around the callback of one provider: when keys change, there is another provider, and another of these.
 * `keysCachedFor`, in seconds, is how long relying parties may keep the key set: a new key is published that long before its use.
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
    // What is kept serves every origin, and HEAD as well; Node itself leaves the body of an answer to HEAD out.
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

/** Hands the answer to `take` instead of the client if it is a 200; any other one is sent as it is. */
function takeAnswer(res: Response, take: (answer: PublicDocument) => void): void {
  const before = new Map(Object.entries(res.getHeaders()));
  const { end } = res;
  res.end = ((...body: Parameters<typeof end>) => {
    res.end = end;
    const [text] = body as readonly unknown[];
    if (res.statusCode !== 200 || typeof text !== 'string') return res.end(...body);
    // Those of the chain in front, as the id of the request, are not of the document.
    const headers = Object.entries(res.getHeaders()).flatMap(([name, value]) =>
      value === undefined || value === before.get(name) ? [] : [[name, value] as const],
    );
    take({ headers, body: text });
    return res;
  }) as typeof end;
}

/** RFC 9110 section 15.4.5: a 304 has the headers that tell caches what they hold. */
function send(req: Request, res: Response, { headers, body }: PublicDocument): void {
  for (const [name, value] of headers) res.setHeader(name, value as string);
  // `fetch` adds it to each conditional request, and Express would then always send everything.
  delete req.headers['cache-control'];
  if (!req.fresh) {
    res.end(body);
    return;
  }
  for (const name of ['content-type', 'content-length']) res.removeHeader(name);
  res.status(304).end();
}
