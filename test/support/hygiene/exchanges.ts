// Sends requests for the hygiene test and keeps the answers. Every request has a secret in each of the headers that programs log; what an
// answer gives out (cookies, codes, tokens, challenges) is a canary from then on.

import type { Canaries } from './canaries.ts';

export interface Answer {
  /** Browser or client that asked. */
  by: string;
  /** `METHOD /path`, without the query. */
  asked: string;
  status: number;
  /** `set-cookie`, `location`, another header, or `body`, and what stands there. */
  parts: { part: string; content: Buffer }[];
  /** Of the request. */
  sent: string;
}

export interface Exchanges {
  /** Works like `fetch`, but follows no redirects. */
  send(by: string, url: URL | string, init?: RequestInit): Promise<Response>;
  answers: Answer[];
}

/** Secrets that an answer gives to the client that asked: their kinds, and where they stand. */
const GIVEN: readonly [kind: string, pattern: RegExp][] = [
  ['authorization code', /[?&#](?:code|amp;code)=([\w.-]{16,})/g],
  ['access token', /"access_token":\s*"([^"]+)"/g],
  ['refresh token', /"refresh_token":\s*"([^"]+)"/g],
  ['ID token', /"id_token":\s*"([^"]+)"/g],
  ['PAR request_uri', /urn:ietf:params:oauth:request_uri:([\w-]{10,})/g],
  ['csrf token', /name="csrf" value="([^"]+)"/g],
  ['interaction id', /\/(?:interaction|authorize)\/([\w-]{16,})/g],
  ['passkey challenge', /&quot;challenge&quot;:&quot;([\w-]{16,})/g],
  ['second factor secret', /secret=([A-Z2-7]{16,})/g],
  ['link token', /\/account-link\/[a-z-]+\/([\w-]{20,})/g],
  ['recovery code', /<code>([0-9A-Z]{4}(?:-[0-9A-Z]{4}){3})<\/code>/g],
];

/** Neither a secret nor somebody's own. */
const PLAIN_COOKIES = /^(__Host-|__Secure-)?(hygie_)?(language|lang)/;

export function recordExchanges(canaries: Canaries, origin: string): Exchanges {
  const answers: Answer[] = [];
  const harvest = (by: string, response: Response, text: string) => {
    const given = `${response.headers.get('location') ?? ''}\n${text}`;
    for (const [kind, pattern] of GIVEN) {
      for (const [, value = ''] of given.matchAll(pattern)) canaries.note(kind, by, decodeURIComponent(value));
    }
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      // One that is taken back has the same signature for everybody.
      if (/expires=Thu, 01 Jan 1970/i.test(line)) continue;
      if (value.length < 16 || PLAIN_COOKIES.test(name)) continue;
      const whole = canaries.note('cookie', by, decodeURIComponent(value));
      const [, session] = /^s:([^.]+)\./.exec(whole) ?? [];
      if (session) canaries.note('cookie', by, session);
    }
  };
  return {
    answers,
    send: async (by, address, init = {}) => {
      const url = new URL(address, origin);
      const headers = new Headers(init.headers);
      for (const [name, value] of Object.entries(headersWithSecrets(canaries, by))) {
        if (!headers.has(name)) headers.set(name, value);
      }
      const method = init.method ?? 'GET';
      // One that fails after its answer had begun ends its connection.
      const response = await fetch(url, { ...init, headers, redirect: 'manual' }).catch(
        () => new Response('', { status: 599 }),
      );
      const body = Buffer.from(await response.arrayBuffer().catch(() => new ArrayBuffer(0)));
      harvest(by, response, body.toString());
      const own = [...response.headers].filter(([name]) => name !== 'set-cookie');
      const parts = [
        ...own.map(([part, content]) => ({ part, content: Buffer.from(content) })),
        { part: 'set-cookie', content: Buffer.from(response.headers.getSetCookie().join('\n')) },
        { part: 'body', content: body },
      ];
      const sent = `${url.pathname}${url.search}\n${typeof init.body === 'string' || init.body instanceof URLSearchParams ? init.body : ''}`;
      answers.push({ by, asked: `${method} ${url.pathname}`, status: response.status, parts, sent });
      const empty = [204, 205, 304].includes(response.status);
      const again = new Headers(response.headers);
      again.delete('content-encoding');
      return new Response(empty ? null : new Uint8Array(body), { status: response.status, headers: again });
    },
  };
}

/** Headers with secrets; each browser or client sends the same ones every time. */
function headersWithSecrets(canaries: Canaries, by: string): Record<string, string> {
  const known = canaries.all().filter(({ owner, kind }) => owner === by && kind === 'header');
  const [one, two, three, four] = [0, 1, 2, 3].map((place) => known[place]?.value ?? canaries.make('header', by));
  return {
    referer: `https://application.example/callback?code=${one}&state=x`,
    'user-agent': `Mozilla/5.0 (${two})`,
    'x-forwarded-for': `198.51.100.7, ${three}`,
    'x-forwarded-host': `${three}.example`,
    forwarded: `for=${three}`,
    'x-request-id': four ?? '',
    traceparent: four ?? '',
    'x-amzn-trace-id': `Root=${four}`,
  };
}
