// `fetch` for addresses of clients: into no private network unless allowed, whatever a name resolves to at that moment; no
// redirects, no long responses (SEC-47).

import { type LookupOptions, lookup } from 'node:dns';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPrivateAddress, networkCheck } from '#config/networks.ts';
import type { Settings } from '#config/settings.ts';
import { traced } from '#shared/request-context.ts';

/** Bytes of an answer; beyond them it is broken off. */
const LONGEST_ANSWER = 1024 * 1024;
/** Milliseconds for a whole answer, whatever its caller waits for. */
const LONGEST_WAIT = 10_000;
const LOOPBACK = networkCheck(['127.0.0.0/8', '::1/128']);
// Statuses of answers without a body (Fetch standard).
const WITHOUT_BODY = new Set([204, 205, 304]);

/** `fetch` for addresses of clients: rejects where an address is not to be reached. `resolve` looks names up. */
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
      // Not left to the call: after an upgrade it emits no end any more.
      const giveUp = () => {
        reject(waiting.reason);
        sent.destroy();
      };
      waiting.addEventListener('abort', giveUp);
      let answer: IncomingMessage | undefined;
      // RFC 9112 section 6.3: what comes after a whole answer may be left unread.
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
        // A body without a length ends with its connection: it is complete only then.
        if (!answer) reject(new Error('it closed the connection without an answer'));
      });
      sent.end(body);
    });
  };
  return async (target, init = {}) => {
    const url = new URL(target instanceof Request ? target.url : target);
    const { method = 'GET' } = init;
    // Neither path nor query: some receivers have secrets there. And no `traceparent`: clients are strangers.
    const attributes = { 'http.request.method': method, 'server.address': url.hostname };
    return traced(method, { kind: 'client', attributes }, async (span) => {
      const answer = await call(url, init);
      span?.set({ 'http.response.status_code': answer.status });
      return answer;
    });
  };
}

// The connection is made to what this returns: nothing is looked up a second time after it was judged.
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

// Read to its end here, and never handed on as a stream: what fails in one that nobody reads any more ends the process.
async function responseOf(message: IncomingMessage): Promise<Response> {
  const { statusCode: status = 0 } = message;
  // RFC 9110 section 15: such an answer is a server's error.
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
