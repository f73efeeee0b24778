// SEC-42 and SEC-51 behind one trusted proxy that ends TLS: whose X-Forwarded-* headers count, and for what.
// Without a trusted proxy: `app.test.ts`.

import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { openedForAll } from '#support/opened.ts';
import { CREDENTIALS } from '#support/openid/relying-party.ts';
import { ALL_SCOPES, CALLBACK, SECRET, startService } from '#support/service.ts';

describe('behind proxies', () => {
  const HOST = 'sante.example';
  const ISSUER = `https://${HOST}`;
  /** The person's own address, as the proxy adds it at the end. */
  const HERE = '203.0.113.7';

  const service = openedForAll(() =>
    startService({
      adjust: (settings) => ({
        ...settings,
        issuer: ISSUER,
        directory: { ...settings.directory, url: `${ISSUER}/directory/v2` },
        proxies: 1,
        limits: { ...settings.limits, addressFailures: 3 },
      }),
    }),
  );

  interface Answer {
    status: number;
    body: string;
    location: string;
    setCookies: string[];
    requestId: unknown;
    hsts: string | undefined;
  }

  /** A request as the proxy passes it on; `headers` are added or, with undefined, left out. */
  async function send(
    path: string,
    {
      headers = {},
      form,
    }: { headers?: Record<string, string | string[] | undefined>; form?: Record<string, string> } = {},
  ): Promise<Answer> {
    const all: Record<string, string | string[] | undefined> = {
      host: `127.0.0.1:${service.settings.listen.port}`,
      'x-forwarded-host': HOST,
      'x-forwarded-proto': 'https',
      'x-forwarded-for': HERE,
      ...(form && { 'content-type': 'application/x-www-form-urlencoded', origin: ISSUER }),
      ...headers,
    };
    const given = Object.entries(all).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined);
    return new Promise((resolve, reject) => {
      const { port } = service.settings.listen;
      const method = form ? 'POST' : 'GET';
      const call = request(
        { host: '127.0.0.1', port, path, method, headers: Object.fromEntries(given) },
        (response) => {
          text(response).then((body) => {
            resolve({
              requestId: response.headers['x-request-id'],
              status: response.statusCode ?? 0,
              body,
              location: response.headers.location ?? '',
              setCookies: response.headers['set-cookie'] ?? [],
              hsts: response.headers['strict-transport-security'],
            });
          }, reject);
        },
      );
      call.on('error', reject);
      call.end(form ? new URLSearchParams(form).toString() : undefined);
    });
  }

  /** A browser behind the proxy: follows redirects within the service and keeps its cookies by name. */
  function createBrowser() {
    const cookies = new Map<string, string>();
    const received: Answer[] = [];
    const open = async (address: string, form?: Record<string, string>, from = HERE): Promise<Answer> => {
      const { pathname, search } = new URL(address, ISSUER);
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') || undefined;
      const answer = await send(`${pathname}${search}`, {
        headers: { cookie, 'x-forwarded-for': from },
        ...(form && { form }),
      });
      received.push(answer);
      for (const line of answer.setCookies) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const next = URL.parse(answer.location, ISSUER);
      return answer.location && next?.origin === ISSUER ? open(next.href, undefined, from) : answer;
    };
    return { open, received };
  }

  const authorization = () => {
    const parameters = { client_id: 'server', redirect_uri: CALLBACK, response_type: 'code', scope: ALL_SCOPES };
    return `/authorize?${new URLSearchParams({ ...parameters, state: 's'.repeat(30), version: '2.0.0' })}`;
  };

  function formIn(page: Answer, name: 'login' | 'consent'): { action: string; csrf: string } {
    const action = new RegExp(`action="([^"]+/${name})"`).exec(page.body)?.[1] ?? '';
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
    return { action, csrf };
  }

  describe('SEC-15 behind a proxy', () => {
    it('an address waits for itself alone, however odd the header is', async () => {
      const ask = async (address: string, client_secret: string) => {
        const headers = { 'x-forwarded-for': address, origin: undefined };
        return (await send('/oauth/introspect', { headers, form: { token: 'x', client_id: 'server', client_secret } }))
          .status;
      };
      for (let times = 0; times < 3; times += 1) expect(await ask('198.51.100.9,', 'wrong')).toBe(401);
      expect(await ask('198.51.100.9,', SECRET)).toBe(429);
      expect(await ask('192.0.2.1,', SECRET)).toBe(200);
    });

    it.each([
      ['192.0.2.77:PORT', '192.0.2.77'],
      ['[2001:db8:77::1]:PORT', '2001:db8:77::1'],
      ['"[2001:db8:78::1]:PORT"', '2001:db8:78::1'],
    ])('SEC-59 %s is one address, whatever its port', async (written, plain) => {
      const ask = async (address: string, client_secret: string) => {
        const headers = { 'x-forwarded-for': `198.51.100.1, ${address}`, origin: undefined };
        return (await send('/oauth/introspect', { headers, form: { token: 'x', client_id: 'server', client_secret } }))
          .status;
      };
      for (const port of ['1024', '40000', '65535'])
        expect(await ask(written.replace('PORT', port), 'wrong')).toBe(401);
      expect(await ask(written.replace('PORT', '7'), SECRET)).toBe(429);
      expect(await ask(plain, SECRET)).toBe(429);
      const addresses = service
        .logged()
        .split('\n')
        .filter((line) => line.includes(`"address":"${plain}"`));
      expect(addresses.length).toBeGreaterThan(0);
    });
  });

  describe('SEC-42 behind one proxy', () => {
    it.each([
      ['the proxy says another host', { 'x-forwarded-host': 'evil.example' }],
      ['the proxy adds another host to one that was sent', { 'x-forwarded-host': `${HOST}, evil.example` }],
      ['the proxy says nothing', { 'x-forwarded-host': undefined }],
      ['the Host is right and the proxy says another', { host: HOST, 'x-forwarded-host': 'evil.example' }],
      ['the proxy adds a header of its own to one that was sent', { 'x-forwarded-host': [HOST, 'evil.example'] }],
      ['two headers, the last one empty', { 'x-forwarded-host': ['evil.example', ''], host: 'evil.example' }],
    ])('%s: refused', async (_what, headers) => {
      for (const path of ['/.well-known/openid-configuration', '/directory/v2/metadata', '/']) {
        const { status, body } = await send(path, { headers });
        expect([path, status]).toEqual([path, 421]);
        expect(body).toContain('(now 1)');
      }
    });

    it.each([
      ['in one header', `evil.example, ${HOST}`],
      ['in a header of its own', ['evil.example', HOST]],
      ['with the port of https', `evil.example,${HOST.toUpperCase()}:443`],
    ])(
      'the host that the proxy adds to a forged one %s counts, and gives the addresses of the issuer',
      async (_how, host) => {
        const headers = { 'x-forwarded-host': host, 'x-forwarded-proto': 'http', forwarded: 'host=evil' };
        const { status, body } = await send('/.well-known/openid-configuration', { headers });
        expect(status).toBe(200);
        expect(body).not.toContain('evil');
        const metadata = JSON.parse(body) as Record<string, string>;
        expect(metadata['issuer']).toBe(ISSUER);
        expect(metadata['token_endpoint']).toBe(`${ISSUER}/oauth/token`);
        const statement = await send('/directory/v2/metadata', { headers });
        expect(statement.body).toContain(`"${ISSUER}/directory/v2"`);
        expect(statement.body).not.toContain('evil');
      },
    );

    it('SEC-39 the address that the proxy adds is the one that waits, whatever was sent before it', async () => {
      const guess = async (from: string, number: number) => {
        const browser = createBrowser();
        const { action, csrf } = formIn(await browser.open(authorization(), undefined, from), 'login');
        const login = `person-${number}@cabinet.example`;
        return (await browser.open(action, { csrf, login, password: 'a wrong password' }, from)).status;
      };
      const statuses: number[] = [];
      for (let number = 0; number < 4; number += 1)
        statuses.push(await guess(`192.0.2.${number}, 198.51.100.9`, number));
      expect(statuses).toEqual([422, 422, 422, 429]);
      expect(await guess('198.51.100.9, 198.51.100.10', 4)).toBe(422);
      const refused = service
        .logged()
        .split('\n')
        .filter((line) => line.includes('"sign-in.failed"'))
        .map((line) => (JSON.parse(line) as { address: string }).address);
      expect(refused).toEqual(['198.51.100.9', '198.51.100.9', '198.51.100.9', '198.51.100.10']);
    });
  });

  describe('SEC-33, SEC-51 an https issuer behind a proxy that ends TLS', () => {
    it('every cookie of a sign-in is Secure, every answer has HSTS, and the sign-in comes to its end', async () => {
      const browser = createBrowser();
      const login = formIn(await browser.open(authorization()), 'login');
      const consent = formIn(await browser.open(login.action, { csrf: login.csrf, ...CREDENTIALS }), 'consent');
      const done = await browser.open(consent.action, {
        csrf: consent.csrf,
        choice: 'allow',
      });
      expect(new URL(done.location).searchParams.get('code')).toBeTruthy();

      const setCookies = browser.received.flatMap((answer) => answer.setCookies);
      const names = setCookies.map((line) => line.split('=', 1)[0]);
      for (const name of ['hygie_interaction', 'hygie_resume', 'hygie_request'])
        expect(names).toContain(`__Secure-${name}`);
      expect(names).toContain('__Host-hygie_session');
      expect(names).toContainEqual(expect.stringMatching(/^__Host-hygie_signed_in_/));
      for (const line of setCookies) {
        expect(line).toMatch(/; *secure(;|$)/i);
        expect(line).not.toMatch(/; *domain=/i);
        expect(line).toMatch(/; *path=\/(;|$)/i.test(line) ? /^__Host-/ : /^__Secure-/);
      }
      for (const { hsts } of browser.received) expect(hsts).toMatch(/^max-age=31536000/);
    });
  });

  describe('the id of a request behind one proxy', () => {
    it('is that of the proxy where it is one: in the answer, on the page, in the log; anything else is replaced', async () => {
      const ofProxy = '0b3c1f5e-7d2a-4c8e-9f10-5a6b7c8d9e0f';
      const page = await send('/nothing-here', { headers: { 'x-request-id': ofProxy, accept: 'text/html' } });
      expect([page.status, page.requestId]).toEqual([404, ofProxy]);
      expect(page.body).toContain(`<dd>${ofProxy}</dd>`);
      expect(service.logged()).toContain(`"requestId":"${ofProxy}","method":"GET","path":"/…"`);
      const { requestId } = await send('/nothing-here', { headers: { 'x-request-id': '<b>12345678</b>' } });
      expect(requestId).toMatch(/^[a-z\d]{8}-[a-z\d]+$/);
    });
  });
});
