// The HTTP server around the application: its time-outs, and its answer to bytes that are no request.

import { createServer, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Settings } from '../../config/settings.ts';
import { securityHeadersOf } from '../middleware/security-headers.ts';

/** Milliseconds. Longer than the idle time of the usual reverse proxies, so that none is cut off in the middle of a reuse. */
const KEEP_ALIVE = 65_000;
/** Milliseconds in which what still arrives is dropped: a close amid unread bytes would take the answer from the client. */
const LINGER = 1000;

/** A server that does not listen yet. */
export function createHttpServer(app: RequestListener, settings: Pick<Settings, 'issuer'>): Server {
  return createServer({ keepAliveTimeout: KEEP_ALIVE }, app).on('clientError', refuseUnreadable(settings));
}

/** Status by Node's error code; everything else that its parser refuses is 400. */
const STATUS: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};
const REMEDY: Readonly<Record<number, string>> = {
  400: ': in an address, write é as %C3%A9 and a blank as %20, or use curl -G --data-urlencode',
  431: ': address and headers take 16 KiB together at most',
};

/** As Node does without a listener, with a remedy and the headers of every other answer. */
function refuseUnreadable(settings: Pick<Settings, 'issuer'>) {
  const headers = Object.entries(securityHeadersOf(settings)).map(([name, value]) => `${name}: ${value}\r\n`);
  return ({ code = '' }: NodeJS.ErrnoException, socket: Socket): void => {
    // Answered before: each further packet is an error again.
    if (!socket.writable) return;
    setTimeout(() => socket.destroy(), LINGER).unref();
    // A second answer would become part of the one that has begun. Node itself looks at this property, too.
    if ((socket as { _httpMessage?: ServerResponse | null })._httpMessage?.headersSent) return void socket.end();
    const status = STATUS[code] ?? 400;
    const reason = STATUS_CODES[status];
    const body = `${reason}${REMEDY[status] ?? ''}\n`;
    const length = `Content-Length: ${Buffer.byteLength(body)}\r\nContent-Type: text/plain; charset=utf-8\r\n`;
    socket.end(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n${length}${headers.join('')}\r\n${body}`);
  };
}
