// Listens on the port of the service, which several worker processes share.

import cluster from 'node:cluster';
import { createServer, type Server } from 'node:net';
import type { Settings } from '#config/settings.ts';

type Place = Pick<Settings['listen'], 'host' | 'port'>;

/** The setting by which an operator chooses the port of the service. */
const PORT_VARIABLE = 'HYGIE_PORT';

/** True if the system distributes the connections to a port among all sockets that listen on it. */
const DISTRIBUTES = ['linux', 'freebsd'].includes(process.platform);

/**
 * Listens. Rejects with the remedy if that is impossible. If the system allows it, a worker process has a socket of its own. Then it
 * accepts connections itself, and knows when none waits any more. On other systems, the primary process passes connections on
 * (`node:cluster`). Those that are in transit when the last worker ends are lost.
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
 * Rejects if another program listens on one of the ports. The primary process calls this, because the sockets of its workers would share
 * the port with those of the other program.
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
