// OpenID Connect Discovery section 4, RFC 8414 section 3 and RFC 7517 section 5, kept by caches as RFC 9111 and RFC 9110 say:
// the same bytes for everybody, until keys change; and what the library alone has to do is still the library's.

import { describe, expect, it } from '@jest/globals';
import { rotateKeys } from '#openid/keys/key-changes.ts';
import { discoveryMetadata } from '#openid/provider/discovery.ts';
import { openKeyVault } from '#server/open-service-keys.ts';
import { openedForAll } from '#support/opened.ts';
import { startService } from '#support/service.ts';
import { until } from '#support/until.ts';

describe('public documents', () => {
  const service = openedForAll(() => startService({ ownKeys: true }));
  // A second instance on the same database, below a path.
  const other = openedForAll(() =>
    startService({
      adjust: (settings) => ({
        ...settings,
        issuer: `${settings.issuer}/connect`,
        database: service.settings.database,
        keys: { ...settings.keys, cachedFor: 60 },
      }),
    }),
  );

  const JWKS = '/.well-known/jwks.json';
  const CACHED: readonly (readonly [path: string, seconds: number])[] = [
    ['/.well-known/openid-configuration', 300],
    ['/.well-known/oauth-authorization-server', 300],
    [JWKS, 3600],
  ];

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(service.issuer + path, { method, headers });

  /** Headers of a document, without those of one answer alone. */
  function lasting({ headers }: Response): Record<string, string> {
    const ofOneAnswer = ['date', 'x-request-id', 'connection', 'keep-alive'];
    return Object.fromEntries([...headers].filter(([name]) => !ofOneAnswer.includes(name)));
  }

  describe.each(CACHED)('RFC 9111 %s', (path, seconds) => {
    it('is the same for everybody, the first and the next, whatever origin asks; HEAD has its headers', async () => {
      const first = await get(path);
      const body = await first.text();
      expect(first.headers.get('cache-control')).toBe(`public, max-age=${seconds}`);
      expect(first.headers.get('etag')).toMatch(/^"[\w-]{43}"$/);
      expect(first.headers.get('access-control-allow-origin')).toBe('*');
      expect(first.headers.get('content-length')).toBe(String(Buffer.byteLength(body)));
      for (const headers of [
        {},
        { origin: 'https://app.example' },
        { accept: 'text/html', 'accept-encoding': 'gzip' },
      ]) {
        const again = await get(path, headers);
        expect(lasting(again)).toEqual(lasting(first));
        expect(await again.text()).toBe(body);
        expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
      }
      const head = await get(path, {}, 'HEAD');
      expect(lasting(head)).toEqual(lasting(first));
      expect(await head.text()).toBe('');
    });

    it('RFC 9110 section 13.1.2: If-None-Match is 304, also when a proxy made the tag weak', async () => {
      const tag = (await get(path)).headers.get('etag') ?? '';
      for (const held of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const answer = await get(path, { 'if-none-match': held });
        expect([held, answer.status, await answer.text()]).toEqual([held, 304, '']);
        expect(answer.headers.get('etag')).toBe(tag);
        expect(answer.headers.get('cache-control')).toBe(`public, max-age=${seconds}`);
        expect(answer.headers.get('content-type')).toBeNull();
      }
      expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
    });

    it('W3C Fetch: a pre-flight is still answered by the library, for any header', async () => {
      const answer = await get(
        path,
        {
          origin: 'https://app.example',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'traceparent,if-none-match',
        },
        'OPTIONS',
      );
      expect(answer.status).toBe(204);
      expect(answer.headers.get('access-control-allow-headers')).toBe('traceparent,if-none-match');
    });
  });

  it('nothing else is kept: a refusal is not, and no other method is answered from what is', async () => {
    for (const [path] of CACHED) {
      await (await get(path)).text();
      const answer = await get(path, {}, 'POST');
      expect([path, answer.status]).toEqual([path, 405]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect((await get(`${path}/`)).status).toBe(404);
    }
  });

  it('an issuer with a path has its own, at both addresses, even when HEAD of a page of another origin asks first', async () => {
    const headers = { origin: 'https://app.example' };
    const head = await fetch(`${other.issuer}${CACHED[0]?.[0]}`, { method: 'HEAD', headers });
    const first = await fetch(`${other.issuer}${CACHED[0]?.[0]}`);
    expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', first.headers.get('etag')]);
    expect(first.headers.get('access-control-allow-origin')).toBe('*');
    const document = (await first.json()) as { issuer: string };
    expect(document.issuer).toBe(other.issuer);
    const { origin, pathname } = new URL(other.issuer);
    const alias = await fetch(`${origin}/.well-known/oauth-authorization-server${pathname}`);
    expect(alias.headers.get('cache-control')).toBe('public, max-age=300');
    expect(await alias.json()).toEqual(document);
    expect((await fetch(`${other.issuer}${JWKS}`)).headers.get('cache-control')).toBe('public, max-age=60');
  });

  it('SEC-25 keys that any instance changes are published at once: another tag, and no 304 for the old one', async () => {
    const addresses = [service.issuer + JWKS, other.issuer + JWKS];
    const tags = await Promise.all(addresses.map(async (address) => (await fetch(address)).headers.get('etag') ?? ''));
    const [change] = await rotateKeys(openKeyVault(service.database, service.settings), ['ES256']);
    for (const [index, address] of addresses.entries()) {
      const headers = { 'if-none-match': tags[index] ?? '' };
      await until(async () => (await fetch(address, { headers })).status === 200, 'another key set is published');
      expect(await (await fetch(address, { headers })).text()).toContain(change?.id);
    }
  });
});

it.each([true, false])(
  'RFC 8414 section 2 service_documentation is the page of a sandbox, and absent elsewhere (%s)',
  (sandbox) => {
    const { service_documentation } = discoveryMetadata({ issuer: 'https://connect.example', sandbox });
    expect(service_documentation).toBe(sandbox ? 'https://connect.example/sandbox' : undefined);
  },
);
