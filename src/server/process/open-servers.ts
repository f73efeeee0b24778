// Opens the servers of a process: the one of the application, with TLS if `listen.tls` is set, and the one that redirects to https.

import type { RequestListener } from 'node:http';
import type { Settings } from '#config/settings.ts';
import { withPathOnly } from '#server/middleware/check-host.ts';
import type { Logger } from '#shared/log/log.ts';
import { withGracefulEnd } from './graceful-end.ts';
import { createHttpServer } from './http-server.ts';
import { listen } from './listen.ts';
import { redirectToHttps, withoutTls } from './redirect.ts';
import { followCertificate } from './tls.ts';

export interface Servers {
  listen(): Promise<void>;
  /** Ends all servers, as `Ending.end` of `graceful-end.ts` says. */
  end(drained: Promise<unknown>, finish: number): Promise<void>;
  /** Expiry of the current certificate; undefined without a certificate. */
  certificateExpiry(): Date | undefined;
  /** Stops following the certificate. It has to be called at the end, even if `listen` rejected. */
  close(): void;
}

/** Makes the servers, which do not listen yet. Rejects with a `ConfigurationError` if the certificate cannot be used. */
export async function openServers(app: RequestListener, settings: Settings, log: Logger): Promise<Servers> {
  const { host, port, tls, redirectPort } = settings.listen;
  const certificate = tls && (await followCertificate({ ...settings, listen: { tls } }, log));
  const servers = [
    { port, ...withGracefulEnd(app, (app) => createHttpServer(app, settings, log, certificate), log) },
    ...(redirectPort === undefined
      ? []
      : [
          {
            port: redirectPort,
            ...withGracefulEnd(
              withPathOnly(redirectToHttps(settings)),
              (app) => createHttpServer(app, withoutTls(settings), log),
              log,
            ),
          },
        ]),
  ];
  return {
    listen: async () => {
      for (const { server, port } of servers) await listen(server, { host, port });
    },
    end: async (drained, finish) => {
      await Promise.all(servers.map(({ end }) => end(drained, finish)));
    },
    certificateExpiry: () => certificate?.current().validTo,
    close: () => {
      certificate?.close();
      for (const { server } of servers) server.close();
    },
  };
}
