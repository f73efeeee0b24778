// A kept-alive HTTP connection that costs its process little, so that a measurement shows the server and not the client: one
// request at a time, status and length are read, the body is only counted.

import { connect as open } from 'node:net';

export interface Connection {
  /** Resolves with the bytes of the answer's body. Rejects for every status but 200 and when the connection ends. */
  ask(path: string): Promise<number>;
  close(): void;
}

const END_OF_HEAD = '\r\n\r\n';
const FORM = 'content-type: application/x-www-form-urlencoded\r\n';

/** Connects to the origin of `address`. With POST, what stands behind the `?` of a path is sent as a form. */
export function connect(
  address: string,
  headers: Readonly<Record<string, string>>,
  method: 'GET' | 'POST' = 'GET',
): Promise<Connection> {
  const { hostname, port, host } = new URL(address);
  const socket = open({ host: hostname, port: Number(port), noDelay: true });
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const tail = ` HTTP/1.1\r\n${lines.join('')}`;
  const written = (path: string) => {
    if (method === 'GET') return `GET ${path}${tail}\r\n`;
    const [target = '', form = ''] = path.split('?', 2);
    return `POST ${target}${tail}${FORM}content-length: ${form.length}\r\n\r\n${form}`;
  };
  let waiting: { resolve(bytes: number): void; reject(error: Error): void } | undefined;
  let head: Buffer | undefined;
  let length = 0;
  let missing = 0;

  const fail = (error: Error) => {
    waiting?.reject(error);
    waiting = undefined;
  };
  const takeHead = (chunk: Buffer) => {
    head = head ? Buffer.concat([head, chunk]) : chunk;
    const end = head.indexOf(END_OF_HEAD);
    if (end < 0) return;
    const fields = head.toString('latin1', 0, end);
    const status = fields.slice(9, 12);
    length = Number(fields.match(/\r\ncontent-length: (\d+)/i)?.[1] ?? Number.NaN);
    if (status !== '200' || Number.isNaN(length)) {
      fail(new Error(`an answer that cannot be measured:\n${head.toString('utf8', 0, 1000)}`));
      socket.destroy();
      return;
    }
    missing = length - (head.length - end - END_OF_HEAD.length);
    head = undefined;
    finish();
  };
  const finish = () => {
    if (missing > 0) return;
    const done = waiting;
    waiting = undefined;
    done?.resolve(length);
  };
  socket.on('data', (chunk) => {
    if (missing > 0) {
      missing -= chunk.length;
      finish();
    } else takeHead(chunk);
  });
  socket.on('error', fail);
  socket.on('close', () => fail(new Error(`${host} closed the connection`)));

  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => {
      resolve({
        ask: (path) =>
          new Promise((done, failed) => {
            waiting = { resolve: done, reject: failed };
            if (socket.destroyed) fail(new Error(`${host} had closed the connection`));
            else socket.write(written(path));
          }),
        close: () => socket.destroy(),
      });
    });
  });
}
