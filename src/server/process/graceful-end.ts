// Ends an HTTP server so that no request is lost: it goes on serving while proxies learn that it is not ready, then takes no more
// connections, then waits for the requests in flight.

import type { RequestListener, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Logger } from '#shared/log/log.ts';

/** Milliseconds between two looks for connections that have become idle, or stay silent. */
const LOOK_EVERY = 50;
/** Milliseconds that a connection has to send the first byte of a request once the server takes no more connections. */
const SILENT_FOR = 1000;
/** Milliseconds that a turn of the event loop may take in which nothing arrived, at first; a busy process has longer ones. */
const EMPTY_TURN = 0.05;
/** By how many milliseconds that limit grows for each millisecond of waiting for such a turn. */
const EMPTY_TURN_GROWS = 1 / 300;
/** Milliseconds after which a server to which something comes in every turn is closed all the same. */
const BUSY_FOR = 2000;

interface Ending {
  server: Server;
  /** Once `drained` resolves the server takes no more connections; after `finish` seconds more, requests are cut off. */
  end(drained: Promise<unknown>, finish: number): Promise<void>;
}

/**
 * A server, which `create` makes and which does not listen yet, with its end. From the beginning of that each answer, those to requests
 * in flight included, says `Connection: close` (RFC 9112 section 9.6): a connection that the client still uses ends with an answer,
 * not under a request.
 */
export function withGracefulEnd(
  app: RequestListener,
  create: (app: RequestListener) => Server,
  log: Pick<Logger, 'warn'>,
): Ending {
  let ending = false;
  /** Requests that wait for the moment to close the server. */
  let held: Parameters<RequestListener>[] | undefined;
  const connections = openOnes<Socket>();
  const answers = openOnes<ServerResponse>();
  const arrivals = { count: 0 };
  const server = create((req, res) => {
    // Express replaces the prototype of the answer, and Koa removes its headers on errors: neither touches this.
    if (ending) res.shouldKeepAlive = false;
    answers.add(res);
    arrivals.count += 1;
    if (held) held.push([req, res]);
    else app(req, res);
  });
  const connected = (socket: Socket) => {
    connections.add(socket);
    arrivals.count += 1;
  };
  server.on('connection', connected);
  // With TLS the same connection once more, which counts the bytes of requests alone.
  server.on('secureConnection', connected);

  const close = async () => {
    const waiting: typeof held = [];
    held = waiting;
    const closed = new Promise((resolve) => server.once('close', resolve));
    // Compiles what is called when every microsecond counts.
    new NetServer().close();
    // That of HTTP ends the idle connections first, and the listener loses what comes meanwhile.
    await inEmptyTurn(arrivals, () => NetServer.prototype.close.call(server));
    await inEmptyTurn(arrivals, () => server.closeIdleConnections());
    held = undefined;
    for (const request of waiting) app(...request);
    return { closed };
  };

  return {
    server,
    end: async (drained, finish) => {
      ending = true;
      for (const res of answers.open) res.shouldKeepAlive = false;
      await drained;
      const { closed } = await close();
      const closedAt = performance.now();
      // One whose answer had begun before becomes idle later, and its client would keep it open. Browsers open some that they never use.
      const idle = setInterval(() => {
        server.closeIdleConnections();
        if (performance.now() - closedAt < SILENT_FOR) return;
        for (const socket of connections.open) if (socket.bytesRead === 0) socket.destroy();
      }, LOOK_EVERY);
      const late = setTimeout(() => {
        log.warn('stopping: requests that did not end are cut off');
        // Those amid a handshake of TLS, too, which `closeAllConnections` does not know.
        for (const socket of connections.open) socket.destroy();
      }, finish * 1000);
      await closed;
      clearTimeout(late);
      clearInterval(idle);
    },
  };
}

function openOnes<One extends Pick<Socket | ServerResponse, 'once'>>(): {
  open: ReadonlySet<One>;
  add(one: One): void;
} {
  const open = new Set<One>();
  return {
    open,
    add: (one) => {
      open.add(one);
      one.once('close', () => open.delete(one));
    },
  };
}

/**
 * Calls `act` in a turn of the event loop that found nothing to do: every connection has been accepted, and every byte read, some
 * microseconds ago. The system resets the connections that wait to be accepted when a listener is closed, and one whose bytes were
 * not read, and the request on it is lost: a proxy sends no POST twice. One turn accepts one connection, so it is those that count.
 */
function inEmptyTurn(arrivals: Readonly<{ count: number }>, act: () => void): Promise<void> {
  const started = performance.now();
  return new Promise((resolve) => {
    let before = { at: 0, arrived: -1 };
    const look = () => {
      const turn = { at: performance.now(), arrived: arrivals.count };
      const waited = turn.at - started;
      const isEmpty = turn.arrived === before.arrived && turn.at - before.at < EMPTY_TURN + waited * EMPTY_TURN_GROWS;
      if (isEmpty || waited > BUSY_FOR) {
        act();
        return resolve();
      }
      before = turn;
      setImmediate(look);
    };
    setImmediate(look);
  });
}
