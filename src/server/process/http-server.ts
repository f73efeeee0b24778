// The HTTP server around the application (`server/app.ts`), with or without TLS: its time-outs and limits, and its response to bytes that
// are no request. The application of the second port (`listen.redirectPort`), which redirects http to https, is here too.

import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import express, { type Express } from 'express';
import type { Settings } from '#config/settings.ts';
import { type SecuritySettings, securityHeaders, securityHeadersOf } from '#server/middleware/response-headers.ts';
import { limitReached } from '#shared/limits-reached.ts';
import type { Logger } from '#shared/log/log.ts';
import { type Connections, followConnections } from './connections-by-network.ts';
import { contextOf, type FollowedCertificate } from './tls.ts';

/**
 * Milliseconds in which the head of a request must arrive (`HEAD_WITHIN`), and the whole request (`REQUEST_WITHIN`). Node checks both times
 * every `LOOKED_AT_EVERY` milliseconds.
 */
const HEAD_WITHIN = 15_000;
const REQUEST_WITHIN = 60_000;
const LOOKED_AT_EVERY = 5_000;
/**
 * Milliseconds without a byte in either direction after which a connection is closed. So a client that does not read its response cannot
 * hold a connection for long.
 */
const QUIET = 120_000;
/**
 * Maximum bytes of address and headers together. They suffice for a request of 8 KiB, for 8 KiB of cookies, and for the headers that
 * proxies add.
 */
const HEAD_BYTES = 24 * 1024;
/** Milliseconds for which refused connections are counted before they are logged again. */
const REPORTED_EVERY = 60_000;
/**
 * Milliseconds between the answer to an unreadable request and the end of its connection. Until then, data that still arrives is read and
 * dropped. If the connection were closed with unread bytes, the system would reset it, and the client would lose the answer.
 */
const LINGER = 1000;

interface HttpSettings extends SecuritySettings {
  proxies: number;
  listen: Pick<Settings['listen'], 'maxConnections' | 'connectionsPerNetwork' | 'keepAlive'>;
}

export type Classes = Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;
/** A request listener, and the classes with which the server makes its requests and responses. Without them, it uses Node's. */
export type ServerListener = RequestListener & Classes;
/** A listener that has these classes. */
export type ExpressListener = RequestListener & Required<Classes>;

/**
 * Adds classes to a listener, so that Node makes requests and responses that have the prototypes of the Express application behind it from
 * the start. Express sets these prototypes on each of them. On objects of Node's own classes, this takes 2 to 5 microseconds per request,
 * because it changes their hidden class; here it changes nothing.
 */
export function withExpressPrototypes(listener: RequestListener, { request, response }: Express): ExpressListener {
  return Object.assign(listener, {
    IncomingMessage: withPrototype(IncomingMessage, request),
    ServerResponse: withPrototype(ServerResponse, response),
  });
}

/** Returns only the classes of a listener, as options of a server or as properties of another listener. */
export function classesOf({ IncomingMessage, ServerResponse }: Classes): Classes {
  return { IncomingMessage, ServerResponse };
}

/**
 * Makes an Express application for another port of the process. Its requests and responses get the prototypes of the main application, and
 * use its settings, such as `etag`. Its server needs the same classes (`classesOf`). With prototypes or classes of its own, its first
 * request would make all later requests to both ports slower, by up to 10 %, because V8 would then meet several hidden classes.
 * @param main classes of the listener of the main application; absent in a process without it, which has no requests to slow down
 */
export function createPortApp({ IncomingMessage, ServerResponse }: Classes = {}): Express {
  const app = express().disable('x-powered-by').disable('etag');
  if (!IncomingMessage || !ServerResponse) return app;
  return Object.assign(app, { request: IncomingMessage.prototype, response: ServerResponse.prototype });
}

function withPrototype<Class extends typeof IncomingMessage | typeof ServerResponse>(base: Class, prototype: object) {
  // A function, because the prototype of a class cannot be replaced.
  function Derived(...args: unknown[]): object {
    return Reflect.construct(base, args, Derived);
  }
  return Object.assign(Derived, { prototype }) as unknown as Class;
}

/**
 * Makes a server that does not listen yet. With a certificate it serves only https. Beyond `listen.maxConnections`, new connections are
 * closed at once. If clients connect directly (`proxies` is 0), one network may hold at most `listen.connectionsPerNetwork` connections.
 */
export function createHttpServer(
  app: ServerListener,
  settings: HttpSettings,
  log: Pick<Logger, 'warn'>,
  certificate?: FollowedCertificate,
): Server {
  const { maxConnections, connectionsPerNetwork, keepAlive } = settings.listen;
  const options = {
    keepAliveTimeout: keepAlive * 1000,
    headersTimeout: HEAD_WITHIN,
    requestTimeout: REQUEST_WITHIN,
    connectionsCheckingInterval: LOOKED_AT_EVERY,
    maxHeaderSize: HEAD_BYTES,
    // Node does not check the Host header, because its own refusal would lack our security headers. `middleware/check-host.ts` refuses
    // requests without a Host header instead.
    requireHostHeader: false,
    ...classesOf(app),
  };
  const listener: RequestListener = (req, res) => {
    if (connections.answering(req, res)) app(req, res);
  };
  const tls = certificate && { ...contextOf(certificate.current()), handshakeTimeout: HEAD_WITHIN };
  const tlsServer = tls && createHttpsServer({ ...options, ...tls }, listener);
  const server = tlsServer ?? createServer(options, listener);
  const connections = followConnections(
    server,
    settings.proxies === 0 ? connectionsPerNetwork : Infinity,
    reportClosed(log, 'connections-of-network', { connectionsPerNetwork }),
  );
  if (certificate && tlsServer) serveTls(tlsServer, certificate, settings, connections);
  server.timeout = QUIET;
  // The number of headers is not limited. Beyond a limit, Node would silently drop the last headers, and a proxy adds its headers at the
  // end.
  server.maxHeadersCount = 0;
  server.maxConnections = maxConnections;
  // With this option, `maxConnections` also applies to worker processes that get their connections from the primary process. Without it, a
  // connection would be passed from one full worker to the next, again and again.
  Object.assign(server, { dropMaxConnection: true });
  server.on('drop', reportClosed(log, 'connections', { maxConnections }));
  // A request with an unknown `Expect` header is handled like any other, as RFC 9110 section 10.1.1 allows. Node's own answer (417) would
  // lack our security headers.
  server.on('checkExpectation', listener);
  return server.on('clientError', refuseUnreadable(settings, connections));
}

function serveTls(
  server: ReturnType<typeof createHttpsServer>,
  certificate: FollowedCertificate,
  settings: SecuritySettings,
  connections: Connections,
): void {
  certificate.serve(server);
  const answer = refuseUnreadable(withoutTls(settings), connections);
  // By default, Node passes failures of the handshake on to `clientError`. An answer sent from there would wait until the connection is
  // secure, which it never becomes.
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    // A client that speaks plain http gets the answer over the TCP connection below the TLS socket.
    const connection = connections.below(socket);
    if (error.code === 'ERR_SSL_HTTP_REQUEST' && connection) answer(error, connection);
    else socket.destroy();
  });
}

const CLOSED = {
  connections: 'further connections are closed at once: listen.maxConnections are open',
  'connections-of-network': 'connections are closed: one network has listen.connectionsPerNetwork open',
} as const;

/**
 * Makes a function that is called for each closed connection. It logs the first one at once, and then one line a minute with the number of
 * further ones.
 */
function reportClosed(log: Pick<Logger, 'warn'>, limit: keyof typeof CLOSED, setting: object): () => void {
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  const report = () => {
    timer = undefined;
    if (dropped === 0) return;
    log.warn({ dropped, ...setting }, CLOSED[limit]);
    dropped = 0;
    timer = setTimeout(report, REPORTED_EVERY).unref();
  };
  return () => {
    dropped += 1;
    limitReached(limit);
    if (timer === undefined) report();
  };
}

/** Status of each error code of Node's parser. Any other error is 400. */
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

/**
 * Makes a function that answers bytes that are no request. It answers as Node does by default, but adds a remedy and our security headers.
 */
function refuseUnreadable(settings: SecuritySettings, connections: Connections) {
  const headers = Object.entries(securityHeadersOf(settings)).map(([name, value]) => `${name}: ${value}\r\n`);
  return ({ code = '' }: NodeJS.ErrnoException, socket: Socket): void => {
    // If the socket is not writable, the answer was sent already. Each further packet causes another error, which needs no answer.
    if (!socket.writable) return;
    setTimeout(() => socket.destroy(), LINGER).unref();
    // The connection ends without a second response, which would become part of the one that has begun.
    if (connections.hasBegun(socket)) return void socket.end();
    const status = STATUS[code] ?? 400;
    const reason = STATUS_CODES[status];
    const remedy = code === 'ERR_SSL_HTTP_REQUEST' ? HTTP_TO_HTTPS : (REMEDY[status] ?? '');
    const body = `${reason}${remedy}\n`;
    const length = `Content-Length: ${Buffer.byteLength(body)}\r\nContent-Type: text/plain; charset=utf-8\r\n`;
    socket.end(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n${length}${headers.join('')}\r\n${body}`);
  };
}

type RedirectSettings = SecuritySettings & Pick<Settings, 'directory'>;

/**
 * Returns the settings with an issuer that begins with `http:`, for the headers of answers without TLS. These headers then lack HSTS, which
 * RFC 6797 section 7.2 forbids without TLS.
 */
export function withoutTls<Some extends SecuritySettings>(settings: Some): Some {
  return { ...settings, issuer: settings.issuer.replace(/^https:/, 'http:') };
}

/**
 * Redirects GET and HEAD to the same path by https. The target is the directory's host if the Host header names it, otherwise the issuer
 * (SEC-57). Refuses other methods, and requests with credentials, because they must not be sent in the clear. A redirect would hide this
 * mistake from the sender, but a refusal shows it.
 */
export function redirectToHttps(settings: RedirectSettings, main?: Classes): Express {
  const issuer = new URL(settings.issuer);
  const directory = new URL(settings.directory.url);
  const app = createPortApp(main);
  app.use(securityHeaders(withoutTls(settings)));
  app.use((req, res) => {
    res.set('Cache-Control', 'no-store').type('text/plain');
    if (!['GET', 'HEAD'].includes(req.method)) {
      return void res.status(405).set('Allow', 'GET, HEAD').send(`Use https: ${issuer.origin}\n`);
    }
    if (req.headers.authorization !== undefined) {
      return void res.status(403).send(`Credentials were sent without https: replace them, and use ${issuer.origin}\n`);
    }
    const { origin } = req.headers.host?.split(':')[0] === directory.hostname ? directory : issuer;
    res.redirect(308, origin + req.originalUrl);
  });
  return app;
}
