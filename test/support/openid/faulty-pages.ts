// Asks an error handler of pages for its answer to an error, without a service.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { REQUEST_ID } from '#shared/log/log.ts';
import { createSite } from '#web/site.ts';

type Handler = ErrorRequestHandler | RequestHandler;

/** Options of such a handler, what it logged, and a function that throws an error before it, which returns the answer. */
export function faultyPages() {
  const logged: unknown[] = [];
  const site = createSite({ issuer: 'https://connect.example', branding: { name: 'Hygie', colour: '#0b5f6b' } });
  const log = { error: (...entry: unknown[]) => void logged.push(entry) };
  const ask = async (handler: Handler, error?: Error) => {
    const app = express();
    app.use((_req, res, next) => {
      res.set(REQUEST_ID, 'request-1');
      next(error);
    });
    app.use(handler as RequestHandler);
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x/y`, {
      redirect: 'manual',
    });
    const { status, headers } = answer;
    const html = await answer.text();
    server.close();
    return { status, html, location: headers.get('location'), retryAfter: headers.get('retry-after') };
  };
  return { options: { site, log }, logged, ask };
}
