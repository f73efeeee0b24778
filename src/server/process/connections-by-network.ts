// The open connections of a server: the responses in progress on each connection, and the limit for the connections of one network
// (SEC-76). The limit for all connections together (`listen.maxConnections`) is Node's own, and is set in `http-server.ts`.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { prefixesOf } from '#shared/network-prefix.ts';

/**
 * Maximum responses in progress on one connection. Without a limit, Node would process all requests of one packet, a thousand in 64 kB, and
 * keep the responses that the client does not read. The limit can be this low, because browsers and client libraries wait for each
 * response.
 */
const MOST_ANSWERS = 4;

interface Connection {
  /** The TCP connection, even if requests arrive through a TLS socket above it. */
  socket: Socket;
  /**
   * Responses in progress. There are several if the client sends further requests before it has received a response. A connection without
   * any is idle: it is unused, or a handshake or a request head is incomplete. What changes with each request is in no `Set` here, because a
   * set would keep answered requests in memory (decision 119).
   */
  answers: ServerResponse[];
  /** Orders the connections by the moment at which they became idle. */
  idleSince: number;
  /** All open connections of the client's network. */
  network: Set<Connection>;
}

export interface Connections {
  /**
   * Notes that a request is being answered; call it for each request. Returns false if it closed the connection because the client did not
   * wait for earlier responses.
   */
  answering(req: IncomingMessage, res: ServerResponse): boolean;
  /** Checks whether a response on the connection has begun. */
  hasBegun(socket: Socket): boolean;
  /** Returns the TCP connection that carries a TLS connection, even during the handshake. */
  below(socket: Socket): Socket | undefined;
}

/**
 * Follows the connections of a server from now on. If a new connection is beyond `mostOfNetwork` for its network (IPv4 /24 or IPv6 /48),
 * the longest idle connection of this network is closed; if none is idle, the new one is closed. `closed` is called each time.
 * `http-server.ts` passes `listen.connectionsPerNetwork`, or no limit behind proxies.
 */
export function followConnections(server: Server, mostOfNetwork: number, closed: () => void): Connections {
  const networks = new Map<string, Set<Connection>>();
  const byAddress = new Map<string, Connection>();
  const bySocket = new WeakMap<Socket, Connection>();
  let idled = 0;

  server.on('connection', (socket: Socket) => {
    const address = addressOf(socket);
    const name = prefixesOf(socket.remoteAddress ?? '').wide;
    const network = networks.get(name) ?? new Set();
    networks.set(name, network);
    idled += 1;
    const connection: Connection = { socket, answers: [], idleSince: idled, network };
    socket.once('close', () => {
      network.delete(connection);
      if (network.size === 0 && networks.get(name) === network) networks.delete(name);
      if (byAddress.get(address) === connection) byAddress.delete(address);
    });
    bySocket.set(socket, connection);
    byAddress.set(address, connection);
    network.add(connection);
    if (network.size <= mostOfNetwork) return;
    closed();
    const longest = longestIdle(network) ?? connection;
    // The closed connection is removed at once, because its `close` event comes later. If it stayed in the set until then, the next new
    // connection would close one connection too many.
    network.delete(longest);
    longest.socket.destroy();
  });
  // With TLS, requests arrive on a second socket above the TCP socket. Both belong to the same connection.
  server.on('secureConnection', (socket: Socket) => {
    const connection = byAddress.get(addressOf(socket));
    if (connection) bySocket.set(socket, connection);
  });

  return {
    answering: ({ socket }, res) => {
      const connection = bySocket.get(socket);
      if (!connection) return true;
      const { answers } = connection;
      // After the socket is destroyed, Node may still pass on further requests of the same packet. These are refused, too.
      if (answers.length >= MOST_ANSWERS) socket.destroy();
      if (socket.destroyed) return false;
      answers.push(res);
      res.once('close', () => {
        answers.splice(answers.indexOf(res), 1);
        idled += 1;
        connection.idleSince = idled;
      });
      return true;
    },
    hasBegun: (socket) => bySocket.get(socket)?.answers.some((res) => res.headersSent) ?? false,
    below: (socket) => byAddress.get(addressOf(socket))?.socket,
  };
}

/** Returns the connection that has been without a response in progress for the longest time; undefined if all have one. */
function longestIdle(network: ReadonlySet<Connection>): Connection | undefined {
  let longest: Connection | undefined;
  for (const one of network)
    if (one.answers.length === 0 && one.idleSince < (longest?.idleSince ?? Number.POSITIVE_INFINITY)) longest = one;
  return longest;
}

/** Identifies a connection by the client's address and port. No two open connections have the same address and port. */
function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
