// The two places where Prometheus can read the metrics: a separate port (`metrics.port`), or `{issuer}/metrics` with `metrics.token`.

import { timingSafeEqual } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { RequestHandler } from 'express';
import type { Settings } from '#config/settings.ts';
import { type Classes, classesOf, createPortApp } from '#server/process/http-server.ts';
import { listen } from '#server/process/open-servers.ts';
import { digest } from '#shared/crypto/digest.ts';
import type { Logger } from '#shared/log/log.ts';
import type { Scrape } from './scrape-workers.ts';

/** Version 0.0.4 of Prometheus' text format. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
export const METRICS_PATH = '/metrics';
/** Maximum open connections of the metrics port. Without a limit, they could use up the sockets that sign-ins need. */
const MOST_CONNECTIONS = 100;
/** Milliseconds in which a whole request must arrive. */
const HEAD_WITHIN = 15_000;

interface Shown {
  scrape: Scrape;
  /** The token that readers must send. Without one, everybody who reaches the address may read. */
  token?: string | undefined;
  log: Pick<Logger, 'error'>;
}

/** Answers with all metrics; 401 without the token (RFC 6750 section 3), 503 if they cannot be collected. */
export function showMetrics({ scrape, token, log }: Shown): RequestHandler {
  const expected = token === undefined ? undefined : digestOf(token);
  return async (req, res) => {
    res.set('Cache-Control', 'no-store').type('text/plain');
    const [, given] = /^Bearer +(\S+) *$/i.exec(req.headers.authorization ?? '') ?? [];
    if (expected && !(given !== undefined && timingSafeEqual(digestOf(given), expected))) {
      const error = given === undefined ? '' : ', error="invalid_token"';
      res.status(401).set('WWW-Authenticate', `Bearer realm="metrics"${error}`);
      res.send('Send Authorization: Bearer, a blank and the token that metrics.token in service.yaml names.\n');
      return;
    }
    try {
      const text = await scrape();
      res.set('Content-Type', CONTENT_TYPE).send(text);
    } catch (err) {
      log.error({ err }, 'the metrics cannot be collected');
      res.status(503).send('The metrics cannot be collected: the log of the service has the cause.\n');
    }
  };
}

// timingSafeEqual needs texts of equal length, so digests are compared.
function digestOf(text: string): Buffer {
  return Buffer.from(digest(text));
}

/**
 * Listens on the metrics port, if the settings have one. Rejects with a remedy if the port cannot be used. Resolves with a function that
 * closes the server. `main` has the classes of the main application, if this process has it (`createPortApp`).
 */
export async function startMetricsServer(
  { metrics: { host, port, token } }: Pick<Settings, 'metrics'>,
  { main = {}, ...shown }: Omit<Shown, 'token'> & { main: Classes | undefined },
): Promise<() => Promise<void>> {
  if (port === undefined) return async () => {};
  const app = createPortApp(main);
  app.use((_req, res, next) => {
    res.set({ 'X-Content-Type-Options': 'nosniff', 'Content-Security-Policy': "default-src 'none'" });
    next();
  });
  app.get(METRICS_PATH, showMetrics({ ...shown, token }));
  app.use((_req, res) => void res.status(404).type('text/plain').send(`The metrics are at ${METRICS_PATH}.\n`));
  const server: Server = createServer(
    { headersTimeout: HEAD_WITHIN, requestTimeout: HEAD_WITHIN, ...classesOf(main) },
    app,
  );
  server.maxConnections = MOST_CONNECTIONS;
  await listen(server, { host, port }, 'HYGIE_METRICS_PORT, or metrics.port in service.yaml');
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}
