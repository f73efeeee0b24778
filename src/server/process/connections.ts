// The open connections of a server: what each is answering, and how many of them one network may hold (SEC-76).

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { prefixesOf } from '#shared/network-prefix.ts';

/**
 * Answers underway on one connection. Node works off all requests that came in one packet, a thousand in 64 kB, and holds what is not
 * read; browsers and libraries of clients wait for each answer.
 */
const MOST_ANSWERS = 4;

interface Connection {
  /** The TCP connection, below TLS. */
  socket: Socket;
  /** Answers underway. There are several if the client does not wait for the answer before. */
  answers: Set<ServerResponse>;
  network: Network;
}

interface Network {
  open: Set<Connection>;
  /** Connections without an answer underway (unused ones, handshakes, heads that never end). The longest idle one is the first. */
  idle: Set<Connection>;
}

export interface Connections {
  /** Has to be called for each request. Returns false if it closed the connection, which did not wait for earlier answers. */
  answering(req: IncomingMessage, res: ServerResponse): boolean;
  /** Whether an answer on the connection has begun. */
  hasBegun(socket: Socket): boolean;
  /** The TCP connection below one of TLS, also amid its handshake. */
  below(socket: Socket): Socket | undefined;
}

/**
 * Follows the connections of a server from now on. Beyond `mostOfNetwork` connections of one IPv4 /24 or IPv6 /48, the one that has been idle
 * for longest is closed; where all are at work, that is the new one. `closed` is called for each.
 */
export function followConnections(server: Server, mostOfNetwork: number, closed: () => void): Connections {
  const networks = new Map<string, Network>();
  const byAddress = new Map<string, Connection>();
  const bySocket = new WeakMap<Socket, Connection>();

  server.on('connection', (socket: Socket) => {
    const address = addressOf(socket);
    const name = prefixesOf(socket.remoteAddress ?? '').wide;
    const network = networks.get(name) ?? { open: new Set(), idle: new Set() };
    networks.set(name, network);
    const connection = { socket, answers: new Set<ServerResponse>(), network };
    socket.once('close', () => {
      network.open.delete(connection);
      network.idle.delete(connection);
      if (network.open.size === 0 && networks.get(name) === network) networks.delete(name);
      if (byAddress.get(address) === connection) byAddress.delete(address);
    });
    bySocket.set(socket, connection);
    byAddress.set(address, connection);
    network.open.add(connection);
    network.idle.add(connection);
    if (network.open.size <= mostOfNetwork) return;
    closed();
    const [longest = connection] = network.idle;
    // At once: its end is reported later, and counted until then it would cost the next connection another one.
    network.open.delete(longest);
    network.idle.delete(longest);
    longest.socket.destroy();
  });
  // With TLS, requests come on a socket of their own.
  server.on('secureConnection', (socket: Socket) => {
    const connection = byAddress.get(addressOf(socket));
    if (connection) bySocket.set(socket, connection);
  });

  return {
    answering: ({ socket }, res) => {
      const connection = bySocket.get(socket);
      if (!connection) return true;
      const { answers, network } = connection;
      // What came in the same packet follows it.
      if (answers.size >= MOST_ANSWERS) socket.destroy();
      if (socket.destroyed) return false;
      answers.add(res);
      network.idle.delete(connection);
      res.once('close', () => {
        answers.delete(res);
        if (answers.size === 0 && network.open.has(connection)) network.idle.add(connection);
      });
      return true;
    },
    hasBegun: (socket) => [...(bySocket.get(socket)?.answers ?? [])].some((res) => res.headersSent),
    below: (socket) => byAddress.get(addressOf(socket))?.socket,
  };
}

/** One connection at a time has it. */
function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
