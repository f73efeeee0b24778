// Opens the servers of a process: the one of the application, with TLS if `listen.tls` is set, and the one that redirects http to https.
// Several worker processes share the ports of the servers.

import cluster from 'node:cluster';
import { createServer, type Server } from 'node:net';
import type { Settings } from '#config/settings.ts';
import { withPathOnly } from '#server/middleware/check-host.ts';
import type { Logger } from '#shared/log/log.ts';
import { withGracefulEnd } from './end-http-server.ts';
import { classesOf, createHttpServer, redirectToHttps, type ServerListener, withoutTls } from './http-server.ts';
import { followCertificate } from './tls.ts';

export interface Servers {
  listen(): Promise<void>;
  /** Ends all servers. `Ending.end` in `end-http-server.ts` explains the arguments. */
  end(drained: Promise<unknown>, finish: number): Promise<void>;
  /** Expiry of the current certificate; undefined without a certificate. */
  certificateExpiry(): Date | undefined;
  /** Stops following the certificate. It has to be called at the end, even if `listen` rejected. */
  close(): void;
}

/** Makes the servers, which do not listen yet. Rejects with a `ConfigurationError` if the certificate cannot be used. */
export async function openServers(app: ServerListener, settings: Settings, log: Logger): Promise<Servers> {
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
              Object.assign(withPathOnly(redirectToHttps(settings, app)), classesOf(app)),
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

type Place = Pick<Settings['listen'], 'host' | 'port'>;

/** The setting by which an operator chooses the port of the service. */
const PORT_VARIABLE = 'HYGIE_PORT';

/** True if the system distributes the connections to a port among all sockets that listen on it. */
const DISTRIBUTES = ['linux', 'freebsd'].includes(process.platform);

/**
 * Makes a server listen. Rejects with the remedy if that is impossible. If the system distributes connections, a worker process has a
 * socket of its own. The worker then accepts connections itself, and knows when no connection waits any more. On other systems, the primary
 * process accepts connections and passes them on (`node:cluster`). If the last worker ends just then, a connection on its way to the worker
 * is lost.
 */
export function listen(server: Server, { host, port }: Place, variable = PORT_VARIABLE): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const remedy = error.code === 'EADDRINUSE' ? `: it is in use; stop the other program or set ${variable}` : '';
      reject(new Error(`cannot listen on ${host} port ${port}${remedy || ` (${error.message})`}`));
    });
    server.listen({ host, port, reusePort: cluster.isWorker && DISTRIBUTES }, resolve);
  });
}

/**
 * Rejects if another program listens on one of the ports. The primary process calls this before its workers listen, because their sockets
 * would share the port with those of the other program.
 */
export async function refusePortsInUse({
  host,
  port,
  redirectPort,
}: Place & Pick<Settings['listen'], 'redirectPort'>): Promise<void> {
  for (const one of redirectPort === undefined ? [port] : [port, redirectPort]) {
    const server = createServer();
    await listen(server, { host, port: one });
    await new Promise((resolve) => server.close(resolve));
  }
}
