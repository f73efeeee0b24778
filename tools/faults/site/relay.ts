// A TCP relay on the loopback address, between the service and what it needs: passes, delays, swallows or refuses.

import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#support/free-port.ts';

export interface Relay {
  port: number;
  /** Milliseconds by which each piece is late, in each direction. */
  delay: number;
  /** Nothing passes any more, and no connection ends: a network that drops packets. */
  swallow: boolean;
  /** Each new connection is closed at once. */
  drop: boolean;
  /** Ends every connection and refuses further ones, until `open`. */
  cut(): Promise<void>;
  open(): Promise<void>;
}

export async function startRelay(target: () => number): Promise<Relay> {
  const sockets = new Set<Socket>();
  const port = await freePort();
  let server: Server | undefined;
  const forward = (from: Socket, to: Socket) => {
    // Pieces keep their order when the delay changes.
    let before = Promise.resolve();
    from.on('data', (piece) => {
      if (relay.swallow) return;
      const late = sleep(relay.delay);
      before = before.then(async () => {
        await late;
        if (to.writable) to.write(piece);
      });
    });
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const relay: Relay = {
    port,
    delay: 0,
    swallow: false,
    drop: false,
    cut: async () => {
      const closed = new Promise((resolve) => server?.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    open: () =>
      new Promise((resolve) => {
        server = createServer((near) => {
          if (relay.drop) return void near.destroy();
          const far = connect(target(), '127.0.0.1');
          for (const socket of [near, far]) sockets.add(socket.setNoDelay());
          forward(near, far);
          forward(far, near);
        }).listen(port, '127.0.0.1', resolve);
      }),
  };
  await relay.open();
  return relay;
}
