// SEC-57 and SEC-42 over raw sockets, at every address of the service: which host a request is for, and what is answered where
// that is another one, or not clear.

import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Settings } from '#config/settings.ts';
import { openedForAll } from '#support/opened.ts';
import { type RawAnswer, sendRaw } from '#support/raw-request.ts';
import { startService } from '#support/service.ts';

const DIRECTORY = 'https://annuaire.example/directory/v2';

const NEVER_A_PAGE = expect.stringMatching(/^(text\/plain|application\/(fhir\+)?json); charset=utf-8$/);

/** Each shape of the service: what is changed of the settings, given the issuer. */
const SHAPES: Record<string, (settings: Settings) => Partial<Settings>> = {
  'as it starts': () => ({}),
  'with a path in the issuer': ({ issuer, directory }) => ({
    issuer: `${issuer}/connect`,
    directory: { ...directory, url: `${issuer}/connect/directory/v2` },
  }),
  'with its directory on another host, behind a proxy': ({ directory }) => ({
    directory: { ...directory, url: DIRECTORY },
    proxies: 1,
  }),
};

/** Below the issuer. */
const ADDRESSES = [
  'GET /',
  'GET /health/live',
  'GET /assets/style.css',
  'GET /interaction/unknown',
  'GET /account',
  'GET /demo',
  'GET /directory/docs',
  'GET /.well-known/openid-configuration',
  'GET /.well-known/oauth-authorization-server',
  'GET /authorize?client_id=unknown',
  'POST /oauth/token',
  'GET /userinfo',
  'POST /logout',
  'OPTIONS /oauth/token',
  'GET /nowhere',
  'TRACE /',
];
/** Below the directory. */
const FHIR = [
  'GET /metadata',
  'GET /Practitioner?name=mart',
  'POST /Practitioner/_search',
  'GET /$export',
  'GET /.well-known/smart-configuration',
  'GET /nowhere',
];

describe.each(Object.entries(SHAPES))('SEC-57 the service %s', (shape, change) => {
  let settings: Settings;
  let issuer: URL;
  let fhir: URL;
  const service = openedForAll(() => startService({ adjust: (given) => ({ ...given, ...change(given) }) }));
  beforeAll(() => {
    ({ settings } = service);
    issuer = new URL(settings.issuer);
    fhir = new URL(settings.directory.url);
  });

  /** Method, path and own origin of each address. */
  const places = () => [
    ...ADDRESSES.map((address) => placeOf(address, issuer)),
    ...FHIR.map((address) => placeOf(address, fhir)),
  ];
  const placeOf = (address: string, base: URL) => {
    const [method = '', path = ''] = address.split(' ');
    return { method, path: base.pathname.replace(/\/$/, '') + path, own: base.origin, host: base.host };
  };
  const FORM = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\nConnection: close\r\n\r\na=b';
  const ask = (method: string, target: string, headers: readonly string[], version = '1.1'): Promise<RawAnswer> =>
    sendRaw(
      service.issuer,
      `${method} ${target} HTTP/${version}\r\n${headers.map((line) => `${line}\r\n`).join('')}${FORM}`,
    );
  /** The status, what every answer has, and what no answer may hold: in one comparison, for there are thousands of answers. */
  const check = (what: string, { headers, status, body }: RawAnswer, expected: number) =>
    expect({
      what,
      status,
      options: headers.get('x-content-type-options'),
      policy: headers.get('content-security-policy'),
      evil: ['location', 'set-cookie'].filter((name) => headers.get(name)?.includes('evil')),
      ...(status === 421 ? { type: headers.get('content-type') } : { isEvil: body.includes('evil') }),
    }).toEqual({
      what,
      status: expected,
      options: 'nosniff',
      policy: expect.stringContaining('frame-anc'),
      evil: [],
      ...(expected === 421 ? { type: NEVER_A_PAGE } : { isEvil: false }),
    });
  /** Hosts are compared before addresses: each line of a table meets every third address, and each address every third line. */
  const isLeftOut = (turn: number) => turn % 3 > 0;
  /** Without what differs from request to request. */
  const plain = ({ body }: RawAnswer) => body.replace(/[\w-]{8}-\w+\b|[\w-]{20,}|\d\d:\d\d:\d\d/g, '');

  it('a target in absolute form with our authority is answered as its path is', async () => {
    for (const [place, { method, path, own, host }] of places().entries()) {
      const relative = await ask(method, path, [`Host: ${host}`]);
      check(path, relative, relative.status);
      // RFC 9112 section 3.2.2: Host does not count then. Schemes and hosts are compared without regard to case.
      const hosts = place % 2 ? [host, 'evil.example'] : ['evil.example', host];
      for (const [number, authority] of [own, own.toUpperCase()].entries()) {
        const absolute = await ask(method, `${authority}${path}`, [`Host: ${hosts[number]}`]);
        const what = `${method} ${authority}${path} Host: ${hosts[number]}`;
        expect([what, absolute.status]).toEqual([what, relative.status]);
        // Most are the same to the byte.
        if (absolute.body !== relative.body) expect([what, plain(absolute)]).toEqual([what, plain(relative)]);
      }
      expect([path, relative.status]).not.toEqual([path, 421]);
    }
  });

  it('a foreign authority is 421 at every address, whatever Host and X-Forwarded-Host say', async () => {
    const proxied = settings.proxies > 0;
    for (const [place, { method, path, own, host }] of places().entries()) {
      const scheme = own.startsWith('https:') ? 'http:' : 'https:';
      const others = [[], [`X-Forwarded-Host: ${host}`], ['Forwarded: host=evil.example;proto=https']];
      const authorities = [
        'http://evil.example',
        'HTTP://EVIL.EXAMPLE',
        'https://evil.example',
        `${own}@evil.example`,
        `http://evil@${host}`,
        `http://evil:evil@${host}`,
        `${own}.evil.example`,
        `${own.replace(/:\d+$/, '')}:9`,
        `http://${host}9999`,
        `${scheme}//${host}`,
        `ftp://${host}`,
        'ftp://evil.example',
        'http://',
        'http://[evil',
      ];
      for (const [number, authority] of authorities.entries()) {
        if (isLeftOut(place + number)) continue;
        // Who has no proxy reads none of these headers: there, each authority meets them in turn.
        const turn = (place + number) % others.length;
        for (const more of proxied ? others : others.slice(turn, turn + 1)) {
          const what = `${method} ${authority}${path} ${more}`;
          const answer = await ask(method, `${authority}${path}`, [`Host: ${host}`, ...more]);
          check(what, answer, 421);
        }
      }
    }
  });

  it('two Host headers are 400 at every address, the same one twice too', async () => {
    for (const [place, { method, path, own, host }] of places().entries()) {
      const pairs = [
        [host, 'evil.example'],
        ['evil.example', host],
        [host, host],
      ];
      for (const [number, [first, second]] of pairs.entries()) {
        if (isLeftOut(place + number)) continue;
        for (const target of [path, `${own}${path}`]) {
          const headers = [`Host: ${first}`, 'Accept: */*', `hOST: ${second}`, `X-Forwarded-Host: ${host}`];
          const what = `${method} ${target} ${first} ${second}`;
          const answer = await ask(method, target, headers);
          check(what, answer, 400);
        }
      }
    }
  });

  it('no Host, or one that is no host, is 400; an empty and a foreign one 421', async () => {
    const health = /\/health\//;
    for (const [place, { method, path, host }] of places().entries()) {
      const requests = [
        [[], '1.1', 400],
        [[], '1.0', health.test(path) ? 200 : 421],
        [['Host:'], '1.1', health.test(path) ? 200 : 421],
        [['Host: evil.example'], '1.1', health.test(path) ? 200 : 421],
        [[`Host: evil.example.${host}`], '1.1', health.test(path) ? 200 : 421],
        [[`Host: ${host}, evil.example`], '1.1', 400],
        [[`Host: ${host} evil.example`], '1.1', 400],
        [[`Host: evil@${host}`], '1.1', 400],
        [[`Host: ${host}/evil`], '1.1', 400],
        [[`Host: ${host}\\evil`], '1.1', 400],
        [[`Host: http://${host}`], '1.1', 400],
        [['Host: <script>evil</script>'], '1.1', 400],
      ] as const;
      for (const [number, [headers, version, status]] of requests.entries()) {
        if (isLeftOut(place + number)) continue;
        const what = `${method} ${path} ${headers} HTTP/${version}`;
        const answer = await ask(method, path, headers, version);
        check(what, answer, status);
      }
    }
  });

  it('a target that is neither a path nor an address is 400, and a path is never read as a host', async () => {
    const { host } = issuer;
    for (const [method, target, status] of [
      ['OPTIONS', '*', 400],
      ['GET', '*', 400],
      ['GET', 'evil.example', 400],
      ['GET', 'evil.example:443', 400],
      ['GET', 'http:/evil.example/', 400],
      ['GET', 'http:evil.example', 400],
      ['GET', 'http:\\\\evil.example\\', 400],
      ['GET', `${issuer.origin}\\@evil.example/`, 400],
      ['GET', 'http://evil.example#@x/', 400],
      ['GET', `${issuer.origin}/#x`, 400],
      ['GET', '/#x', 400],
      ['GET', '//evil@evil.example/.well-known/openid-configuration#', 400],
      ['GET', '//evil@evil.example:99999/#x', 400],
      ['GET', '//evil.example/.well-known/openid-configuration', 404],
      ['GET', '/\\evil.example/', 404],
      ['GET', '/%5cevil.example/', 404],
      ['GET', '//evil.example//', 404],
    ] as const) {
      const answer = await ask(method, target, [`Host: ${host}`, 'Accept: application/json']);
      check(target, answer, status);
    }
    // A tunnel: the connection ends.
    expect((await ask('CONNECT', 'evil.example:443', [`Host: ${host}`])).status).toBe(0);
  });

  it('no part of a path is lost', async () => {
    const padded = `${issuer.origin}/${'a'.repeat(issuer.origin.length - 1)}${issuer.pathname}`;
    expect((await ask('GET', padded, [`Host: ${issuer.host}`])).status).toBe(404);
    const query = `${issuer.origin}${issuer.pathname.replace(/\/$/, '')}/authorize?client_id=${randomUUID()}`;
    expect((await ask('GET', query, [`Host: ${issuer.host}`])).status).toBe(400);
    expect(shape).toBeTruthy();
  });
});
