// Ends an HTTP server so that no request is lost: it goes on serving while proxies learn that it is not ready, then takes no more
// connections, then waits for the requests in flight.

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../../shared/log/log.ts';

/** Milliseconds between two looks for connections that have become idle, or stay silent. */
const LOOK_EVERY = 50;
/** Milliseconds that a connection has to send the first byte of a request once the server takes no more connections. */
const SILENT_FOR = 1000;
/** Milliseconds that a turn of the event loop may take in which nothing arrived. */
const EMPTY_TURN = 0.05;
/** Milliseconds after which a server that is never without work is closed all the same. */
const BUSY_FOR = 500;

/** Ends the server: once `drained` resolves it takes no more connections, and `finish` seconds later requests in flight are cut off. */
export type EndGracefully = (drained: Promise<unknown>, finish: number) => Promise<void>;

/**
 * Prepares the end of a server that does not listen yet. From its beginning each answer, those to requests in flight included, says
 * `Connection: close` (RFC 9112 section 9.6): a connection that the client still uses ends with an answer, not under a request.
 */
export function gracefulEnd(server: Server, log: Pick<Logger, 'warn'>): EndGracefully {
  let ending = false;
  const connections = openOnes<Socket>();
  const answers = openOnes<ServerResponse>();
  server.on('connection', connections.add);
  server.prependListener('request', (_req, res) => {
    if (ending) res.shouldKeepAlive = false;
    answers.add(res);
  });

  return async (drained, finish) => {
    ending = true;
    for (const res of answers.open) res.shouldKeepAlive = false;
    await drained;
    await emptyTurn();
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    const closedAt = performance.now();
    // One whose answer had begun before becomes idle later, and its client would keep it open. Browsers open some that they never use.
    const idle = setInterval(() => {
      server.closeIdleConnections();
      if (performance.now() - closedAt < SILENT_FOR) return;
      for (const socket of connections.open) if (socket.bytesRead === 0) socket.destroy();
    }, LOOK_EVERY);
    const late = setTimeout(() => {
      log.warn('stopping: requests that did not end are cut off');
      server.closeAllConnections();
    }, finish * 1000);
    await closed;
    clearTimeout(late);
    clearInterval(idle);
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
 * Resolves in a turn of the event loop that found nothing to do: every connection has been accepted, and every byte read, some
 * microseconds ago. The system resets the connections that wait to be accepted when a listener is closed, and one whose bytes were
 * not read, and the request on it is lost: a proxy sends no POST twice.
 */
function emptyTurn(): Promise<void> {
  const until = performance.now() + BUSY_FOR;
  return new Promise((resolve) => {
    let before = 0;
    const look = () => {
      const now = performance.now();
      if (now - before < EMPTY_TURN || now > until) return resolve();
      before = now;
      setImmediate(look);
    };
    setImmediate(look);
  });
}
