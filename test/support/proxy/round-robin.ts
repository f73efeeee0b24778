// A proxy that does what nginx does with its defaults: instances in turn, the next one when a connection is refused, no POST sent
// twice. For machines without nginx.

import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { ReverseProxy } from './nginx.ts';

/** Starts it on `port` of the loopback address. */
export async function startRoundRobin(
  port: number,
  instances: readonly number[],
  keepAlive: number,
): Promise<ReverseProxy> {
  const agent = new Agent({ keepAlive: keepAlive > 0, maxFreeSockets: keepAlive });
  let turn = 0;
  const forward = (req: IncomingMessage, res: ServerResponse, body: Buffer, tries: number) => {
    turn = (turn + 1) % instances.length;
    const { method, url, headers } = req;
    const { connection: _connection, ...passed } = headers;
    const there = request({ agent, port: instances[turn], method, path: url, headers: passed }, (answer) => {
      const { connection: _own, ...given } = answer.headers;
      res.writeHead(answer.statusCode ?? 502, given);
      answer.pipe(res);
    });
    there.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED' && tries < instances.length) forward(req, res, body, tries + 1);
      else if (res.headersSent) res.destroy();
      else res.writeHead(502).end(String(code));
    });
    there.end(body);
  };
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => forward(req, res, Buffer.concat(chunks), 1));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    stop: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
