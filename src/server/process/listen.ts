// The port of the service, which the worker processes share where there are several.

import cluster from 'node:cluster';
import { createServer, type Server } from 'node:net';
import type { Settings } from '#config/settings.ts';

type Place = Pick<Settings['listen'], 'host' | 'port'>;

/** The setting by which an operator chooses the port of the service. */
const PORT_VARIABLE = 'HYGIE_PORT';

/** True if the system distributes the connections to a port among all sockets that listen to it. */
const DISTRIBUTES = ['linux', 'freebsd'].includes(process.platform);

/**
 * Listens; rejects with the remedy if that is impossible. A worker process has a socket of its own if the system allows it. Then it accepts
 * connections itself, and so knows when none waits any more. Connections that the primary process passes on (`node:cluster` elsewhere) may
 * be in transit when the last worker ends, and are lost.
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
 * Rejects if another program listens at one of the ports. The primary process calls this, because the sockets of its workers would share the
 * ports with those of that program.
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
