// Asks an error handler of pages for its answer to an error, without a service.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { REQUEST_ID } from '#shared/log/log.ts';
import { createSite } from '#web/site.ts';

type Handler = ErrorRequestHandler | RequestHandler;

interface Asked {
  path?: string;
  headers?: Record<string, string>;
  /** The answer has begun when the error is thrown. */
  begun?: boolean;
}

/** Options of such a handler, what it logged, and a function that throws an error before it, which returns the answer. */
export function faultyPages() {
  const logged: unknown[] = [];
  const site = createSite({ issuer: 'https://connect.example', branding: { name: 'Hygie', colour: '#0b5f6b' } });
  const log = { error: (...entry: unknown[]) => void logged.push(entry) };
  const ask = async (
    handler: Handler,
    error?: Error,
    { path = '/x/y', headers: sent = {}, begun = false }: Asked = {},
  ) => {
    const app = express();
    app.use((_req, res, next) => {
      res.set(REQUEST_ID, 'request-1');
      if (begun) res.set('content-length', '9').write('begun');
      next(error);
    });
    app.use(handler as RequestHandler);
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const answer = await fetch(origin + path, { redirect: 'manual', headers: sent });
      const { status, headers } = answer;
      const html = await answer.text();
      const [location, retryAfter, cacheControl] = ['location', 'retry-after', 'cache-control'].map((name) =>
        headers.get(name),
      );
      return { status, html, location, retryAfter, cacheControl };
    } finally {
      server.close();
    }
  };
  return { options: { site, log }, logged, ask };
}
