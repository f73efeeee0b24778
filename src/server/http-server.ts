// Owns how the HTTP server itself is set. Does not own what it answers (`src/server/app.ts`, `unreadable-request.ts`) nor when it
// listens and stops.

import { createServer, type RequestListener, type Server } from 'node:http';
import type { Settings } from '../config/settings.ts';
import { unreadableRequests } from './client-errors.ts';

/** Milliseconds. Longer than the idle time of the usual reverse proxies, so that none is cut off in the middle of a reuse. */
const KEEP_ALIVE = 65_000;

/** A server that does not listen yet. */
export function createHttpServer(app: RequestListener, settings: Pick<Settings, 'issuer' | 'directory'>): Server {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE }, app);
  server.on('clientError', unreadableRequests(settings));
  return server;
}
