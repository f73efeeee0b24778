// What requests meet before any address, in front of an application that answers what they have then.

import express from 'express';
import { atHost, checkHost, withPathOnly } from '#server/middleware/check-host.ts';
import { fewParameters } from '#server/middleware/parsing-limits.ts';
import { requestLog } from '#server/middleware/request-log.ts';
import { createLog } from '#shared/log/log.ts';
import { currentContext } from '#shared/request-context.ts';

export const DIRECTORY = 'https://annuaire.example:8443/v2';
export const settingsOf = (proxies = 0, issuer = 'https://connect.example/base', url = DIRECTORY) =>
  ({ issuer, directory: { url }, proxies }) as Parameters<typeof checkHost>[0];

/** The lines of requests that were logged, and an application that answers what a request has. */
export function echo(settings = settingsOf(), measure?: Parameters<typeof requestLog>[2]) {
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ level: 'debug', format: 'json' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const app = express();
  app.use(requestLog(log, settings, measure), checkHost(settings, log), fewParameters(settings));
  app.use('/base/failing', (_req, res) => void res.status(503).send(''));
  app.use('/base/batch', (_req, res) => {
    Object.assign(currentContext() ?? {}, { entries: 3, span: { traceId: 't', spanId: 's' } });
    res.send('');
  });
  app.use(
    '/base/here',
    atHost('connect.example', (_req, res) => void res.send('here')),
  );
  app.use(
    '/v2/here',
    atHost('connect.example', (_req, res) => void res.send('here')),
  );
  app.use('/health/ready', (_req, res) => void res.status(404).send(''));
  app.use(({ headers }, res) => {
    const { host, forwarded } = headers;
    const [proto, name, addresses] = ['proto', 'host', 'for'].map((one) => headers[`x-forwarded-${one}`]);
    res.json({ host, proto, name, forwarded, addresses });
  });
  return { app: withPathOnly(app), lines };
}
