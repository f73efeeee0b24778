// Owns requests that the service itself makes to addresses of clients: into no private network unless allowed, wherever a name
// leads at that moment; no redirects, no long answers (SEC-47). Does not own which addresses may be registered (`src/shared/config/`).

import { type LookupOptions, lookup } from 'node:dns';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Readable, Transform } from 'node:stream';
import { isPrivateAddress, networkCheck } from '../shared/config/networks.ts';
import type { Settings } from '../shared/settings.ts';

/** Bytes of an answer; beyond them it is broken off. */
const LONGEST_ANSWER = 1024 * 1024;
const LOOPBACK = networkCheck(['127.0.0.0/8', '::1/128']);
// Statuses whose answer has no body (Fetch standard).
const WITHOUT_BODY = new Set([204, 205, 304]);

/** `fetch` for addresses of clients: rejects where an address is not to be reached. */
export function outgoingFetch({ mode, outgoing }: Pick<Settings, 'mode' | 'outgoing'>): typeof fetch {
  const allowed = networkCheck(outgoing.privateNetworks);
  const permits = (address: string) =>
    !isPrivateAddress(address) || allowed(address) || (mode === 'development' && LOOPBACK(address));
  const options = { lookup: guardedLookup(permits), keepAlive: false };
  const agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) };

  return async (target, init = {}) => {
    const url = new URL(target instanceof Request ? target.url : target);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !permits(host)) throw blocked(host);
    const headers = new Headers(init.headers);
    const body = init.body === undefined || init.body === null ? undefined : String(init.body);
    if (init.body instanceof URLSearchParams && !headers.has('content-type')) {
      headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8');
    }
    if (body !== undefined) headers.set('content-length', String(Buffer.byteLength(body)));
    const secure = url.protocol === 'https:';
    return new Promise<Response>((resolve, reject) => {
      const call = (secure ? httpsRequest : httpRequest)(url, {
        method: init.method ?? 'GET',
        headers: Object.fromEntries(headers),
        agent: secure ? agents['https:'] : agents['http:'],
        ...(init.signal && { signal: init.signal }),
      });
      call.once('error', reject);
      call.once('response', (message) => resolve(responseOf(message)));
      call.end(body);
    });
  };
}

function guardedLookup(permits: (address: string) => boolean): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...(options as LookupOptions), all: true }, (error, addresses) => {
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

function responseOf(message: IncomingMessage): Response {
  const status = message.statusCode ?? 502;
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) {
    for (const one of [value].flat()) if (one !== undefined) headers.append(name, one);
  }
  if (WITHOUT_BODY.has(status) || status < 200) {
    message.resume();
    return new Response(null, { status: status < 200 ? 502 : status, headers });
  }
  let received = 0;
  const limited = message.pipe(
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        received += chunk.length;
        if (received <= LONGEST_ANSWER) return done(null, chunk);
        message.destroy();
        done(new Error(`the answer has more than ${LONGEST_ANSWER} bytes`));
      },
    }),
  );
  message.once('error', (error) => limited.destroy(error));
  limited.once('close', () => message.destroy());
  return new Response(Readable.toWeb(limited) as ReadableStream, { status, headers });
}
