// `fetch` for addresses of clients (SEC-47). It connects to no private network (`config/networks.ts`) unless `outgoing.privateNetworks`
// allows the network. If the host is a name, the check is for the address to which the name resolves at that moment. This `fetch` follows
// no redirects, and fails if a response is too long.

import { type LookupOptions, lookup } from 'node:dns';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPrivateAddress, networkCheck } from '#config/networks.ts';
import type { Settings } from '#config/settings.ts';
import { traced } from '#shared/request-context.ts';

/** Maximum bytes of a response. A longer one is an error, and is not read any further. */
const LONGEST_ANSWER = 1024 * 1024;
/** Milliseconds for a whole response, even if the caller would wait longer. */
const LONGEST_WAIT = 10_000;
const LOOPBACK = networkCheck(['127.0.0.0/8', '::1/128']);
// Statuses of responses without a body (Fetch standard).
const WITHOUT_BODY = new Set([204, 205, 304]);

/** Makes a `fetch` for addresses of clients. The returned function rejects if the address must not be reached. `resolve` looks up names. */
export function outgoingFetch(
  { mode, outgoing }: Pick<Settings, 'mode' | 'outgoing'>,
  resolve: typeof lookup = lookup,
): typeof fetch {
  const allowed = networkCheck(outgoing.privateNetworks);
  const permits = (address: string) =>
    !isPrivateAddress(address) || allowed(address) || (mode === 'development' && LOOPBACK(address));
  const options = { lookup: guardedLookup(permits, resolve), keepAlive: false };
  const agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) };

  const call = async (url: URL, init: RequestInit): Promise<Response> => {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !permits(host)) throw blocked(host);
    const headers = new Headers(init.headers);
    const body = init.body === undefined || init.body === null ? undefined : String(init.body);
    if (init.body instanceof URLSearchParams && !headers.has('content-type')) {
      headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8');
    }
    if (body !== undefined) headers.set('content-length', String(Buffer.byteLength(body)));
    const secure = url.protocol === 'https:';
    const agent = secure ? agents['https:'] : agents['http:'];
    const waiting = AbortSignal.any([AbortSignal.timeout(LONGEST_WAIT), ...(init.signal ? [init.signal] : [])]);
    waiting.throwIfAborted();
    return new Promise<Response>((resolve, reject) => {
      const method = init.method ?? 'GET';
      const sent = (secure ? httpsRequest : httpRequest)(url, { method, headers: Object.fromEntries(headers), agent });
      // `giveUp` replaces the `signal` option of the request. With that option, Node would not remove its listener from the signal if the
      // server answers with an upgrade, because the request then emits no `end`.
      const giveUp = () => {
        reject(waiting.reason);
        sent.destroy();
      };
      waiting.addEventListener('abort', giveUp);
      let answer: IncomingMessage | undefined;
      // An error after the complete response is ignored, because nobody has to read data that follows the response (RFC 9112 section 6.3).
      sent.on('error', (error) => answer?.complete || reject(error));
      sent.once('upgrade', (message, socket) => {
        socket.destroy();
        reject(noAnswer(message.statusCode));
      });
      sent.once('response', (message) => {
        answer = message;
        responseOf(message).then(resolve, reject);
      });
      sent.once('close', () => {
        waiting.removeEventListener('abort', giveUp);
        // The end of the connection is an error only before a response, because a response without a length is complete when its connection
        // ends.
        if (!answer) reject(new Error('it closed the connection without an answer'));
      });
      sent.end(body);
    });
  };
  return async (target, init = {}) => {
    const url = new URL(target instanceof Request ? target.url : target);
    const { method = 'GET' } = init;
    // The span contains neither the path nor the query, because the addresses of some clients contain secrets there. The request has no
    // `traceparent`, because clients are strangers and must not see the ids of our traces.
    const attributes = { 'http.request.method': method, 'server.address': url.hostname };
    return traced(method, { kind: 'client', attributes }, async (span) => {
      const answer = await call(url, init);
      span?.set({ 'http.response.status_code': answer.status });
      return answer;
    });
  };
}

// Looks up a name and checks the addresses. The connection goes to an address that this function returns, so no second look-up can replace
// the checked address.
function guardedLookup(permits: (address: string) => boolean, resolve: typeof lookup): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...(options as LookupOptions), all: true }, (error, addresses) => {
      if (error) return done(error, '');
      const open = addresses.filter(({ address }) => permits(address));
      const [first] = open;
      if (!first) return done(blocked(hostname), '');
      if (options.all) done(null, open);
      else done(null, first.address, first.family);
    });
  };
}

function blocked(host: string): Error {
  return new Error(`${host} lies in a private network: allow it with outgoing.privateNetworks in service.yaml`);
}

function noAnswer(status: number | undefined): Error {
  return new Error(`it answered ${status}, which is no status of an answer`);
}

// Reads the whole response before it is returned. A stream is not returned, because an error in a stream that nobody reads would end the
// process.
async function responseOf(message: IncomingMessage): Promise<Response> {
  const { statusCode: status = 0 } = message;
  // A status outside 200 to 599 is treated as a failure of the other server (RFC 9110 section 15).
  if (status < 200 || status > 599) {
    message.destroy();
    throw noAnswer(status);
  }
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) {
    for (const one of [value].flat()) if (one !== undefined) headers.append(name, one);
  }
  if (WITHOUT_BODY.has(status)) {
    message.destroy();
    return new Response(null, { status, headers });
  }
  const chunks: Buffer[] = [];
  let received = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    received += chunk.length;
    if (received > LONGEST_ANSWER) throw new Error(`the answer has more than ${LONGEST_ANSWER} bytes`);
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), { status, headers });
}
