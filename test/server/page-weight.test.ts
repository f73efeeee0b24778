// Pages and what they load are sent compressed, none weighs more than 40 KB, public ones are kept by caches and no others.
//
// The weight of a page is what a first visit brings over the wire, in bytes of the bodies as they are sent: the HTML, and each style sheet,
// script and picture that it names, with the modules that scripts import, once. Headers are left out, and so is what a script asks for later.

import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { PAGES } from '#openid/account/page-context.ts';
import { openedForAll } from '#support/opened.ts';
import { appOf, credentialsOf, openAccount } from '#support/openid/account/person-of-account.ts';
import { createPerson } from '#support/person.ts';
import { startService } from '#support/service.ts';

describe('weight of pages', () => {
  const HEAVIEST = 40_000;
  const PERSON = 3;
  /** Pages of the account space, but for those of a second factor. */
  const ACCOUNT = Object.values(PAGES).filter((page) => !/second-factor|withdraw|welcome|sign-out/.test(page));

  const service = openedForAll(startService);

  interface Received {
    status: number;
    headers: Record<string, string | string[] | undefined>;
    /** As sent. */
    body: Buffer;
  }

  function ask(
    address: string | URL,
    encoding: string,
    init: Parameters<Send>[1] = { headers: {} },
  ): Promise<Received> {
    return new Promise((resolve, reject) => {
      const headers = { 'accept-language': 'fr', ...init.headers, 'accept-encoding': encoding };
      const call = request(address, { method: init.method ?? 'GET', headers }, async (answer) => {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk as Buffer);
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) });
      });
      call.once('error', reject);
      if (init.body instanceof URLSearchParams) call.setHeader('content-type', 'application/x-www-form-urlencoded');
      call.end(init.body === undefined ? undefined : String(init.body));
    });
  }

  type Send = NonNullable<Parameters<typeof createPerson>[1]>;

  function textOf({ headers, body }: Received): string {
    if (headers['content-encoding'] === 'br') return brotliDecompressSync(body).toString();
    return (headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
  }

  /** A person whose browser takes pages compressed; every page that they meet is kept. */
  function visitor() {
    const pages: { url: URL; received: Received; html: string }[] = [];
    const send: Send = async (url, init) => {
      const received = await ask(url, 'gzip, br', init);
      const html = textOf(received);
      const isPage = String(received.headers['content-type']).startsWith('text/html') && !received.headers['location'];
      if (isPage) pages.push({ url, received, html });
      const headers = new Headers();
      for (const [name, value] of Object.entries(received.headers)) {
        for (const one of [value].flat()) if (one !== undefined) headers.append(name, one);
      }
      headers.delete('content-encoding');
      return new Response(html || null, { status: received.status, headers });
    };
    return { person: createPerson(service.issuer, send), pages };
  }

  /** What pages load, by address: the files are the same for many pages. */
  const files = new Map<string, Promise<Received>>();
  const NAMED = /<(?:link|script|img)\b[^>]*\b(?:href|src)="([^"]+)"/g;
  const IMPORTED = /^(?:import|export)\b[^;'"]*['"](\.[^'"]+)['"]/gm;

  /** Adds to `found` what a page or a module names, and what modules import. */
  async function load(url: URL, text: string, pattern: RegExp, found: Map<string, number>): Promise<void> {
    for (const [, path = ''] of text.matchAll(pattern)) {
      const address = new URL(path, url);
      if (found.has(address.href)) continue;
      const file = files.get(address.href) ?? ask(address, 'gzip, br');
      files.set(address.href, file);
      const received = await file;
      expect([address.href, received.status]).toEqual([address.href, 200]);
      found.set(address.href, received.body.length);
      if (address.pathname.endsWith('.js')) await load(address, textOf(received), IMPORTED, found);
    }
  }

  async function weightOf({ url, received, html }: { url: URL; received: Received; html: string }): Promise<number> {
    const found = new Map<string, number>();
    await load(url, html, NAMED, found);
    return [...found.values()].reduce((sum, bytes) => sum + bytes, received.body.length);
  }

  const open = (path: string, encoding: string, headers: Record<string, string> = {}) =>
    ask(service.issuer + path, encoding, { headers });

  describe('an answer', () => {
    it('is compressed as the request accepts, and says that it depends on that', async () => {
      for (const path of ['/', '/account', '/demo/', '/directory/docs', '/directory/openapi.json']) {
        const plain = await open(path, 'identity');
        expect([path, plain.headers['content-encoding'], plain.headers['etag']]).toEqual([path, undefined, undefined]);
        if (plain.status !== 200) continue;
        for (const encoding of ['gzip', 'br']) {
          const packed = await open(path, encoding);
          expect([path, packed.headers['content-encoding']]).toEqual([path, encoding]);
          expect(packed.headers['vary']).toMatch(/accept-encoding/i);
          expect(packed.body.length).toBeLessThan(plain.body.length / 2);
        }
      }
    });

    it('of an endpoint of programs is not: a token would stand in it', async () => {
      const answer = await ask(`${service.issuer}/oauth/token`, 'gzip, br', {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'x'.repeat(2000) }),
        headers: {},
      });
      expect([answer.status >= 400, answer.headers['content-encoding']]).toEqual([true, undefined]);
    });

    it('that is the same for everybody may be kept by caches, in its language; none that sets a cookie or is for one person', async () => {
      for (const path of ['/', '/directory/docs']) {
        const { headers } = await open(path, 'gzip');
        expect(headers['cache-control']).toBe('public, max-age=300');
        expect(headers['vary']).toMatch(/accept-language.*cookie.*accept-encoding/i);
        const chosen = await open(`${path}?lang=en`, 'gzip');
        expect([chosen.headers['cache-control'], chosen.headers['set-cookie']?.length]).toEqual(['no-store', 1]);
      }
      for (const path of ['/account', '/demo/', '/directory/try', '/no-such-page', '/logout']) {
        expect([path, (await open(path, 'gzip')).headers['cache-control']]).toEqual([path, 'no-store']);
      }
    });
  });

  describe('pages', () => {
    it(`of the sign-in, the account, the demo, the reference and the home page weigh ${HEAVIEST} bytes at most`, async () => {
      const { person, pages } = visitor();
      for (const path of [
        '/',
        '/directory/docs',
        '/no-such-page',
        '/demo/',
        '/directory/try',
        '/demo/no-such-page',
        '/account-link/password-reset',
        '/account-link/invitation/used',
      ]) {
        await person.visit(path);
      }
      const login = await person.visit('/demo/sign-in', { method: 'POST', headers: { origin: service.issuer } });
      const consent = await person.press(login, 'sign-in', credentialsOf(PERSON));
      const { left } = await person.press(consent, 'allow');
      await person.visit(left ?? '');
      for (const page of [
        'steps',
        'practitioners?name=martin',
        'organizations?name=hopital',
        'practitioners/819082680976',
        'organizations/F484000047',
      ]) {
        await person.visit(`/demo/${page}`);
      }
      // A fresh sign-in, which is good for the pages after it.
      const setUp = await openAccount(person, PERSON, '/account/second-factor');
      for (const page of ACCOUNT) {
        const address = `${service.issuer}/account${page}`;
        expect((await person.visit(address)).url).toBe(address);
      }
      await person.press(setUp, 'set-up', { code: appOf(setUp)() });
      for (const page of ['second-factor/recovery-codes', 'second-factor/remove'])
        await person.visit(`/account/${page}`);
      await person.visit('/logout');

      expect(pages.length).toBeGreaterThan(28);
      const weights = await Promise.all(pages.map(async (page) => [page.url.pathname, await weightOf(page)] as const));
      expect(weights.filter(([, bytes]) => bytes > HEAVIEST)).toEqual([]);
      expect(pages.filter(({ received }) => !received.headers['content-encoding']).map(({ url }) => url.href)).toEqual(
        [],
      );
    });
  });
});
