// Ends an HTTP server without losing a request. The server goes on serving while proxies learn that it is not ready (`listen.drain`). Then
// it accepts no more connections, and waits for the requests in flight (`listen.finish`). `cli/serve.ts` passes both times.

import type { RequestListener, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Logger } from '#shared/log/log.ts';
import { classesOf, type ServerListener } from './http-server.ts';

/** Milliseconds between two checks for connections that have become idle, or that have sent nothing. */
const LOOK_EVERY = 50;
/** Milliseconds that an open connection has to send its first byte after the server has stopped accepting connections. */
const SILENT_FOR = 1000;
/**
 * Initial limit in milliseconds for the length of an empty turn of the event loop. A turn is empty if no connection and no request arrived
 * in it, and if it took less time than this limit. `inEmptyTurn` waits for such a turn. While it waits, the limit grows, because a busy
 * process has longer turns.
 */
const EMPTY_TURN = 0.05;
/** Milliseconds by which this limit grows for each millisecond of waiting for an empty turn. */
const EMPTY_TURN_GROWS = 1 / 300;
/** Milliseconds of waiting after which the server is closed even though no turn was empty. */
const BUSY_FOR = 2000;

interface Ending {
  server: Server;
  /**
   * Once `drained` resolves, the server accepts no more connections. Requests that are still unanswered `finish` seconds later are cut off.
   */
  end(drained: Promise<unknown>, finish: number): Promise<void>;
}

/**
 * Makes a server, by `create`, together with its graceful end. It does not listen yet. When the end begins, every response says
 * `Connection: close` (RFC 9112 section 9.6), including those to requests in flight. So a connection that the client still uses ends with a
 * response, not during a request.
 */
export function withGracefulEnd(
  app: ServerListener,
  create: (app: ServerListener) => Server,
  log: Pick<Logger, 'warn'>,
): Ending {
  let ending = false;
  /**
   * Requests that arrive while `close` waits for an empty turn. They are answered afterwards, because answering them would lengthen the
   * turns.
   */
  let held: Parameters<RequestListener>[] | undefined;
  const connections = openOnes<Socket>();
  const answers = openOnes<ServerResponse>();
  const arrivals = { count: 0 };
  const listener: RequestListener = (req, res) => {
    // Because of this property, Node sends `Connection: close`. A header that does the same would not last, because Koa removes the headers
    // on errors.
    if (ending) res.shouldKeepAlive = false;
    answers.add(res);
    arrivals.count += 1;
    if (held) held.push([req, res]);
    else app(req, res);
  };
  const server = create(Object.assign(listener, classesOf(app)));
  const connected = (socket: Socket) => {
    connections.add(socket);
    arrivals.count += 1;
  };
  server.on('connection', connected);
  // With TLS, each connection is added a second time, as a TLS socket. The TLS socket's `bytesRead` counts the bytes of requests, but not
  // those of the handshake. So it shows whether a client has sent nothing after its handshake.
  server.on('secureConnection', connected);

  const close = async () => {
    const waiting: typeof held = [];
    held = waiting;
    const closed = new Promise((resolve) => server.once('close', resolve));
    // Calls `close` of another server in advance, so that the function is compiled before it is needed, when every microsecond matters.
    new NetServer().close();
    // `close` of `NetServer` is called, because HTTP's own `close` first ends the idle connections, and connections that arrive meanwhile
    // would be lost.
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
      for (const res of answers.open()) res.shouldKeepAlive = false;
      await drained;
      const { closed } = await close();
      const closedAt = performance.now();
      // Idle connections are closed repeatedly, because a response that began before the end has no `Connection: close`, so that its client
      // keeps the connection open. Connections that never sent anything are destroyed, because browsers open some that they do not use.
      const idle = setInterval(() => {
        server.closeIdleConnections();
        if (performance.now() - closedAt < SILENT_FOR) return;
        for (const socket of connections.open()) if (socket.bytesRead === 0) socket.destroy();
      }, LOOK_EVERY);
      const late = setTimeout(() => {
        log.warn('stopping: requests that did not end are cut off');
        // Every connection is destroyed by itself, because `closeAllConnections` would leave out connections in a TLS handshake.
        for (const socket of connections.open()) socket.destroy();
      }, finish * 1000);
      await closed;
      clearTimeout(late);
      clearInterval(idle);
    },
  };
}

/**
 * Collects connections or responses until they close. This is no `Set`, because V8 replaces the table of a set from time to time, and a
 * replaced table keeps what was in it, with all that it refers to, until the next full collection. So it kept most of the requests that
 * took more than one turn of the event loop (decision 119).
 */
function openOnes<One extends Pick<Socket | ServerResponse, 'once'>>() {
  const entries: { one: One; index: number }[] = [];
  return {
    open: () => entries.map(({ one }) => one),
    add: (one: One) => {
      const entry = { one, index: entries.length };
      entries.push(entry);
      one.once('close', () => {
        const last = entries.pop();
        if (!last || last === entry) return;
        // The last entry takes the place of the one that goes.
        last.index = entry.index;
        entries[entry.index] = last;
      });
    },
  };
}

/**
 * Calls `act` after a short turn of the event loop in which nothing arrived. By then, every connection is accepted and every byte read.
 * That matters because the system resets some connections when their listener is closed: those that wait to be accepted, and those with
 * unread bytes. Their requests would be lost, because a proxy sends no POST twice. If several connections wait to be accepted, that takes
 * several turns, because a turn accepts one connection at most. So every turn is checked until one is empty.
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
