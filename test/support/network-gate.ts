// The network between a service and its database (or whatever else it connects to), which a test can take away and give back.

import { connect, createServer, type Socket } from 'node:net';

export interface NetworkGate {
  port: number;
  /** Where connections lead. */
  leadTo(target: Pick<URL, 'hostname' | 'port'>): void;
  /** Cuts all connections, and refuses new ones. */
  takeAway(): void;
  giveBack(): void;
  close(): void;
}

/** Listens on the loopback address. */
export async function networkGate(): Promise<NetworkGate> {
  const open = new Set<Socket>();
  let target: Pick<URL, 'hostname' | 'port'> | undefined;
  let away = false;
  const server = createServer((near) => {
    if (away) return near.resetAndDestroy();
    const far = connect(Number(target?.port), target?.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one
        .on('error', () => {})
        .on('close', () => {
          open.delete(one);
          other.destroy();
        });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    leadTo: (address) => {
      target = address;
    },
    takeAway: () => {
      away = true;
      for (const socket of open) socket.destroy();
    },
    giveBack: () => {
      away = false;
    },
    close: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
