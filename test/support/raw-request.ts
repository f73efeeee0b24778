// Sends bytes over a socket as they stand, for requests that no HTTP client would send.

import { connect } from 'node:net';

export interface RawAnswer {
  /** 0 where the connection was closed without an answer. */
  status: number;
  /** In lower case, joined as they came. */
  headers: Map<string, string>;
  body: string;
}

/** Sends one request, head and body, and reads the answer to its end: the request should ask for `Connection: close`. */
export async function sendRaw(address: string, request: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.write(request);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const answer = Buffer.concat(chunks).toString();
  const end = answer.indexOf('\r\n\r\n');
  const [line = '', ...fields] = answer.slice(0, Math.max(end, 0)).split('\r\n');
  const headers = new Map<string, string>();
  for (const field of fields) {
    const name = field.slice(0, field.indexOf(':')).toLowerCase();
    const value = field.slice(field.indexOf(':') + 1).trim();
    headers.set(name, [headers.get(name), value].filter((part) => part !== undefined).join('\n'));
  }
  return { status: Number(line.split(' ')[1] ?? 0), headers, body: answer.slice(end + 4) };
}
