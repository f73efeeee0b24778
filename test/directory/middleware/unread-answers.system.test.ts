// SEC-76: what a client leaves unread is bounded, and costs the others nothing. It fills the buffers of the network, which takes seconds.

import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { edition } from '#support/directory/edition.ts';
import { ask } from '#support/directory/exporting.ts';
import { scanSnapshot } from '#support/directory/scan-snapshot.ts';
import { type RunningDirectory, startDirectory } from '#support/directory/service.ts';
import { until } from '#support/until.ts';

describe('directory: unread answers', () => {
  /** Two beyond those that the limit holds. */
  const CONNECTIONS = 6;
  /** Pages of 74 kB within the limit: a connection has one that waits, as Node reads no further request then. */
  const MOST_PAGES = 4;
  /** Of each connection: together more than the network holds for it. */
  const REQUESTS = 3000;

  let directory: RunningDirectory;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    const introspect = async (clientId: string) =>
      ({
        active: true,
        clientId,
        accountId: 'person',
        scopes: new Set(['PRACTITIONER_READ', 'ORGANIZATION_READ']),
      }) as const;
    directory = await startDirectory(scanSnapshot('one', edition()), { introspect, unreadBytes: 300_000 });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await directory.stop();
  });

  const statusOf = async (token: string) => (await ask(`${directory.address}/Practitioner/prat-1`, { token })).status;

  /** Asks for many pages on one connection and reads none. */
  function askWithoutReading(token: string): Socket {
    const { host, hostname, port, pathname } = new URL(directory.address);
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => {});
    const lines = [
      `GET ${pathname}/Practitioner?_count=200 HTTP/1.1`,
      `Host: ${host}`,
      `Authorization: Bearer ${token}`,
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`.repeat(REQUESTS));
    return socket;
  }

  it('SEC-76 connections whose answers nobody reads end beyond the limit, and other clients are answered', async () => {
    let ended = 0;
    // At the service: a socket that does not read does not learn of its end.
    directory.server.on('connection', (socket) => socket.once('close', () => (ended += 1)));
    for (let count = 0; count < CONNECTIONS; count += 1) sockets.push(askWithoutReading('greedy'));
    await until(() => ended >= CONNECTIONS - MOST_PAGES, 'the end of all but those within the limit');
    expect([await statusOf('modest'), await statusOf('greedy')]).toEqual([200, 200]);
  });
});
