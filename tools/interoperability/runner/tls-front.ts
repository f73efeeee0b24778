// Ends TLS in front of the service, as the reverse proxy of an installation does.

import { request } from 'node:http';
import { createServer } from 'node:https';

/** Listens on the port of the loopback address; `close` ends it with its connections. */
export async function openTlsFront(
  { port, target }: { port: number; target: number },
  certificate: { key: string; cert: string },
): Promise<{ close(): Promise<void> }> {
  const server = createServer(certificate, (req, res) => {
    const headers = [...req.rawHeaders, 'X-Forwarded-For', `${req.socket.remoteAddress}`, 'X-Forwarded-Proto', 'https'];
    const { method = 'GET', url: path = '/' } = req;
    const onward = request({ host: '127.0.0.1', port: target, method, path, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(res);
    });
    onward.on('error', (error) => (res.headersSent ? res.destroy() : res.writeHead(502).end(error.message)));
    req.pipe(onward);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
