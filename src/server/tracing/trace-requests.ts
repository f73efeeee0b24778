// Makes a span for each request. The span ends when the answer ends (semantic conventions of OpenTelemetry for HTTP servers).

import { METHODS } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { routeOfPath } from '#openid/routes.ts';
import { currentContext } from '#shared/request-context.ts';
import type { Tracing } from './tracing.ts';

const KNOWN_METHODS = new Set(METHODS);

/**
 * Makes the middleware, which comes after `requestLog`. It puts the span into the context of the request, so that all work for the request
 * becomes part of it. The span records neither the requested address, which may hold codes and names, nor the client's address, which
 * belongs to a person.
 * @param base path of the issuer, below which oidc-provider has routes that Express does not know
 */
export function traceRequests(tracing: Tracing, base: string): RequestHandler {
  return (req, res, next) => {
    const context = currentContext();
    if (!context) return next();
    const { path } = req;
    const method = KNOWN_METHODS.has(req.method) ? req.method : '_OTHER';
    const attributes = {
      'http.request.method': method,
      'url.scheme': req.protocol,
      ...(context.requestId !== undefined && { 'hygie.request_id': context.requestId }),
    };
    const span = tracing.begin({ name: method, kind: 'server', attributes }, req.headers);
    context.tracer = tracing.tracer;
    context.span = span;
    if (!span) return next();
    res.on('close', () => {
      const route = routeOfPath(path, base) ?? expressRoute(req);
      if (route !== undefined) {
        span.rename(`${method} ${route}`);
        span.set({ 'http.route': route });
      }
      if (res.headersSent) span.set({ 'http.response.status_code': res.statusCode });
      if (!res.writableFinished) span.end('aborted');
      else span.end(res.statusCode >= 500 ? String(res.statusCode) : undefined);
    });
    next();
  };
}

/**
 * Returns the route as it is written in the code, with the names of its parameters instead of their values; undefined if no route matched.
 * If a handler has several routes, returns the one with as many segments as the path.
 */
function expressRoute({ baseUrl, route, path }: Request): string | undefined {
  const paths = [(route as { path?: unknown } | undefined)?.path].flat().filter((one) => typeof one === 'string');
  const depth = (one: string) => one.split('/').length;
  const found = paths.find((one) => depth(one) === depth(path)) ?? paths[0];
  return found === undefined ? undefined : `${baseUrl}${found}`;
}
