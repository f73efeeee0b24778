// The port of the service, which the worker processes share where there are several.

import cluster from 'node:cluster';
import { createServer, type Server } from 'node:net';

interface ListenAddress {
  host: string;
  port: number;
}

/** The setting by which an operator chooses the port of the service. */
const PORT_VARIABLE = 'HYGIE_PORT';

/** Whether the system distributes the connections to a port among all sockets that listen to it. */
const DISTRIBUTES = ['linux', 'freebsd'].includes(process.platform);

/**
 * Listens; rejects with the remedy where that is not possible. A worker process has a socket of its own, where the system allows it: it
 * accepts itself, and so knows when nothing waits any more. Connections that the primary process hands over (`node:cluster`
 * elsewhere) can be under way when the last worker ends, and are lost.
 */
export function listen(server: Server, { host, port }: ListenAddress, variable = PORT_VARIABLE): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const remedy = error.code === 'EADDRINUSE' ? `: it is in use; stop the other program or set ${variable}` : '';
      reject(new Error(`cannot listen on ${host} port ${port}${remedy || ` (${error.message})`}`));
    });
    server.listen({ host, port, reusePort: cluster.isWorker && DISTRIBUTES }, resolve);
  });
}

/** Rejects where another program listens: sockets that share a port share it with those of another service, too. */
export async function refusePortInUse(place: ListenAddress): Promise<void> {
  const server = createServer();
  await listen(server, place);
  await new Promise((resolve) => server.close(resolve));
}
