// The HTTP server around the application, with TLS or without: its time-outs and limits, and its answer to bytes that are no request.

import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Settings } from '../../config/settings.ts';
import { limitReached } from '../../shared/limits-reached.ts';
import type { Logger } from '../../shared/log/log.ts';
import { type SecuritySettings, securityHeadersOf } from '../middleware/security-headers.ts';
import { withoutTls } from './redirect.ts';
import { contextOf, type FollowedCertificate } from './tls.ts';

/** Milliseconds in which the head of a request, and the whole of it, have to arrive, and how often that is looked at. */
const HEAD_WITHIN = 15_000;
const REQUEST_WITHIN = 60_000;
const LOOKED_AT_EVERY = 5_000;
/** Milliseconds without a byte in either direction: a client that does not read its answer holds a connection no longer. */
const QUIET = 120_000;
/** Bytes of address and headers together: a request of 8 KiB, and as much in cookies, with what proxies add. */
const HEAD_BYTES = 24 * 1024;
/** Milliseconds for which refused connections are counted before they are logged again. */
const REPORTED_EVERY = 60_000;
/** Milliseconds in which what still arrives is dropped: a close amid unread bytes would take the answer from the client. */
const LINGER = 1000;

interface HttpSettings extends SecuritySettings {
  listen: Pick<Settings['listen'], 'maxConnections' | 'keepAlive'>;
}

/**
 * A server that does not listen yet; with a certificate it answers by https alone. Beyond `listen.maxConnections` new connections
 * are closed at once.
 */
export function createHttpServer(
  app: RequestListener,
  settings: HttpSettings,
  log: Pick<Logger, 'warn'>,
  certificate?: FollowedCertificate,
): Server {
  const { maxConnections, keepAlive } = settings.listen;
  const options = {
    keepAliveTimeout: keepAlive * 1000,
    headersTimeout: HEAD_WITHIN,
    requestTimeout: REQUEST_WITHIN,
    connectionsCheckingInterval: LOOKED_AT_EVERY,
    maxHeaderSize: HEAD_BYTES,
    // `middleware/check-host.ts` answers that, with the headers of every answer.
    requireHostHeader: false,
  };
  const server = certificate ? createTlsServer(certificate, options, settings, app) : createServer(options, app);
  server.timeout = QUIET;
  // Node drops the headers beyond a number without a word, and with them what a proxy added last.
  server.maxHeadersCount = 0;
  server.maxConnections = maxConnections;
  // In worker processes to which connections are handed, too: without it, a connection is handed from one full worker to the next, again and again.
  Object.assign(server, { dropMaxConnection: true });
  server.on('drop', reportDropped(log, maxConnections));
  // RFC 9110 section 10.1.1 lets an unknown expectation be ignored; Node's own 417 lacks our headers.
  server.on('checkExpectation', app);
  return server.on('clientError', refuseUnreadable(settings));
}

function createTlsServer(
  certificate: FollowedCertificate,
  options: ServerOptions,
  settings: SecuritySettings,
  app: RequestListener,
): Server {
  const tls = { ...contextOf(certificate.current()), handshakeTimeout: HEAD_WITHIN };
  const server = createHttpsServer({ ...options, ...tls }, app);
  certificate.serve(server);
  const answer = refuseUnreadable(withoutTls(settings));
  // Node hands what fails before the connection is secure to clientError, whose answer would wait for that.
  server.removeAllListeners('tlsClientError');
  return server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    // The connection below is as the client wanted it. Node does not document this property.
    const { _parent: connection } = socket as { _parent?: Socket };
    if (error.code === 'ERR_SSL_HTTP_REQUEST' && connection) answer(error, connection);
    else socket.destroy();
  });
}

/** One line for the first connection that is refused, and one for those of each further minute. */
function reportDropped(log: Pick<Logger, 'warn'>, maxConnections: number): () => void {
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  const report = () => {
    timer = undefined;
    if (dropped === 0) return;
    log.warn(
      { dropped, maxConnections },
      'connections are closed at once: as many are open as listen.maxConnections says',
    );
    dropped = 0;
    timer = setTimeout(report, REPORTED_EVERY).unref();
  };
  return () => {
    dropped += 1;
    limitReached('connections');
    if (timer === undefined) report();
  };
}

/** Status by Node's error code; everything else that its parser refuses is 400. */
const STATUS: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};
const HTTP_TO_HTTPS = ': this port speaks https';
const REMEDY: Readonly<Record<number, string>> = {
  400: ': in an address, write é as %C3%A9 and a blank as %20, or use curl -G --data-urlencode',
  431: `: address and headers take ${HEAD_BYTES / 1024} KiB together at most`,
};

/** As Node does without a listener, with a remedy and the headers of every other answer. */
function refuseUnreadable(settings: SecuritySettings) {
  const headers = Object.entries(securityHeadersOf(settings)).map(([name, value]) => `${name}: ${value}\r\n`);
  return ({ code = '' }: NodeJS.ErrnoException, socket: Socket): void => {
    // Answered before: each further packet is an error again.
    if (!socket.writable) return;
    setTimeout(() => socket.destroy(), LINGER).unref();
    // A second answer would become part of the one that has begun. Node itself looks at this property, too.
    if ((socket as { _httpMessage?: ServerResponse | null })._httpMessage?.headersSent) return void socket.end();
    const status = STATUS[code] ?? 400;
    const reason = STATUS_CODES[status];
    const remedy = code === 'ERR_SSL_HTTP_REQUEST' ? HTTP_TO_HTTPS : (REMEDY[status] ?? '');
    const body = `${reason}${remedy}\n`;
    const length = `Content-Length: ${Buffer.byteLength(body)}\r\nContent-Type: text/plain; charset=utf-8\r\n`;
    socket.end(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n${length}${headers.join('')}\r\n${body}`);
  };
}
