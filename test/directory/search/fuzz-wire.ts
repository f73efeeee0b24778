// Sends many requests at once over one kept-alive connection.

import { once } from 'node:events';
import { connect } from 'node:net';

export interface WireRequest {
  method: 'GET' | 'POST';
  /** Path and query below the directory's base, ASCII without blanks. */
  target: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

export interface WireAnswer {
  status: number;
  mediaType: string;
  text: string;
}

export interface Wire {
  /** Sends all of them without waiting, and resolves with their answers in the same order. */
  ask(requests: readonly WireRequest[]): Promise<WireAnswer[]>;
  close(): void;
}

/** A connection to the directory at `address`. An answer that ends the connection rejects what is waiting. */
export async function openWire(address: string): Promise<Wire> {
  const { hostname, port, host, pathname } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  let waiting: { resolve(answer: WireAnswer): void; reject(error: Error): void }[] = [];
  let received: Buffer = Buffer.alloc(0);
  const fail = (error: Error) => {
    for (const one of waiting) one.reject(error);
    waiting = [];
  };
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    for (;;) {
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = received.toString('latin1', 0, end);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
      if (Number.isNaN(length)) return fail(new Error(`an answer without a length:\n${head}`));
      const whole = end + 4 + length;
      if (received.length < whole) return;
      const text = received.toString('utf8', end + 4, whole);
      received = received.subarray(whole);
      const mediaType = /\r\ncontent-type: ([^\r]*)/i.exec(head)?.[1] ?? '';
      waiting.shift()?.resolve({ status: Number(head.slice(9, 12)), mediaType, text });
    }
  });
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the directory closed the connection')));
  return {
    ask(requests) {
      const answers = requests.map(
        () => new Promise<WireAnswer>((resolve, reject) => void waiting.push({ resolve, reject })),
      );
      socket.write(requests.map((one) => written(one, host, pathname)).join(''), 'latin1');
      return Promise.all(answers);
    },
    close: () => socket.destroy(),
  };
}

function written({ method, target, headers, body }: WireRequest, host: string, base: string): string {
  const all = { host, ...headers, ...(body === undefined ? {} : { 'content-length': String(body.length) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${base}${target} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
}
