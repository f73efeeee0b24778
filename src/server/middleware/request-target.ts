// Reads the target of a request (RFC 9112 section 3.2) before Express does: everything behind sees a path and nothing else.

import type { IncomingMessage, RequestListener } from 'node:http';

const ABSOLUTE = /^([a-z][a-z\d+.-]*:\/\/[^/?#]*)(.*)$/i;

const origins = new WeakMap<IncomingMessage, string>();

/**
 * Hands each request on with the path of its target. Express asks for the path before any middleware runs, and answers by
 * itself where a target in absolute form cannot be parsed. What the target named beside its path is in `originInTarget`.
 */
export function withPathOnly(app: RequestListener): RequestListener {
  return (req, res) => {
    const { url = '' } = req;
    // No target has a fragment. Where there is one, Express has the path read by a parser that takes `//user@host` for an authority.
    if (url.includes('#')) {
      origins.set(req, '');
      req.url = '/';
    } else if (!url.startsWith('/')) {
      const [, origin = '', rest = ''] = ABSOLUTE.exec(url) ?? [];
      origins.set(req, origin.toLowerCase());
      req.url = rest.startsWith('/') ? rest : `/${rest}`;
    }
    app(req, res);
  };
}

/**
 * Scheme and authority of a target in absolute form, in lower case; undefined for a target that was a path; empty for one in no
 * form that is answered here (`*`, `host:port`, a fragment).
 */
export function originInTarget(req: IncomingMessage): string | undefined {
  return origins.get(req);
}
