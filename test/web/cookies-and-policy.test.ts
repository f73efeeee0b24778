// Cookies that we write ourselves, sealed ones among them, the content security policy of a page, and forms that another site posts (SEC-30 to
// SEC-33).

import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { CrossSiteForm, isCrossSite, refuseCrossSite } from '#web/forms/csrf.ts';
import { clientAddress } from '#web/http/client-address.ts';
import { COOKIES, cookieName, cookiesOf, sealedCookie, TooLargeForCookies } from '#web/http/cookies.ts';
import { contentSecurityPolicy } from '#web/http/page-headers.ts';

describe('cookies and the policy of pages', () => {
  const requestWith = (cookie?: string) => ({ headers: { cookie } }) as IncomingMessage;
  const keys = ['new key of 32 letters, at least..', 'old key of 32 letters, at least..'];

  /** Nothing that can be compressed. */
  const randomText = (length: number) => randomBytes(length).toString('base64').slice(0, length);

  /** A browser that takes the cookies of answers and sends them with its next request. */
  function browser() {
    const kept = new Map<string, string>();
    const lines: string[] = [];
    const res = {
      appendHeader: (_: string, line: string) => {
        lines.push(line);
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (line.includes('Max-Age=0;')) kept.delete(name);
        else kept.set(name, value);
      },
    } as never;
    return {
      kept,
      lines,
      res,
      req: () => requestWith([...kept].map(([name, value]) => `${name}=${value}`).join('; ')),
    };
  }

  describe('cookies', () => {
    it('are read by their names, the first of each', () => {
      expect([...cookiesOf(requestWith(' a=1;b = 2 ; a=3;=4; c; d=x=y'))]).toEqual([
        ['a', '1'],
        ['b', '2'],
        ['d', 'x=y'],
      ]);
      expect([...cookiesOf(requestWith())]).toEqual([]);
    });

    it('have the prefix that browsers enforce', () => {
      const reaches = [
        { secure: true, path: '/' },
        { secure: true, path: '/base' },
        { secure: false, path: '/' },
      ];
      expect(reaches.map((reach) => cookieName('a', reach))).toEqual(['__Host-a', '__Secure-a', 'a']);
    });

    it('keep the names that browsers have stored', () => {
      expect(Object.values(COOKIES).sort().join(' ')).toBe(
        'hygie_account hygie_account_sign_in hygie_arrival hygie_devices hygie_finished hygie_interaction hygie_kept ' +
          'hygie_language hygie_link hygie_page hygie_request hygie_resume hygie_session hygie_signed_in',
      );
    });
  });

  describe('SEC-33 a sealed cookie', () => {
    const at = { context: 'person 1', path: '/base/x', seconds: 60 };

    it.each([1, 100, 3700, 3800, 7500, 7600, 11_000])('keeps %i letters, in as many cookies as they need', (length) => {
      const cookie = sealedCookie('hygie_x', keys, true);
      const { res, req, kept, lines } = browser();
      const text = randomText(length);
      cookie.write(res, text, at);
      expect(cookie.read(req(), 'person 1')).toBe(text);
      expect(cookie.read(req(), 'person 2')).toBeUndefined();
      for (const [name, value] of kept) expect(name.length + value.length).toBeLessThanOrEqual(4000);
      for (const line of lines) expect(line).toMatch(/; Path=\/base\/x; Max-Age=60; HttpOnly; SameSite=Lax; Secure$/);
      expect([...kept.keys()]).toEqual(
        ['__Secure-hygie_x', '__Secure-hygie_x.1', '__Secure-hygie_x.2'].slice(0, kept.size),
      );
      expect(kept.get('__Secure-hygie_x')?.slice(0, 2)).toBe(`${kept.size}.`);
      expect(kept.size).toBe(Math.ceil([...kept.values()].join('').slice(2).length / 3800));
      cookie.clear(req(), res, '/base/x');
      expect([...kept]).toEqual([]);
      expect(cookie.read(req(), 'person 1')).toBeUndefined();
    });

    it('is no larger than three cookies', () => {
      const { res, lines } = browser();
      expect(() => sealedCookie('hygie_x', keys, true).write(res, randomText(12_000), at)).toThrow(
        new TooLargeForCookies('hygie_x would need 4 cookies'),
      );
      expect(lines).toEqual([]);
    });

    it('is opened with each of the keys, and sealed with the first', () => {
      const { res, req } = browser();
      sealedCookie('hygie_x', keys.slice(1), false, '/').write(res, 'text', { ...at, path: '/' });
      const read = (some: readonly string[]) => sealedCookie('hygie_x', some, false, '/').read(req(), 'person 1');
      expect([read(keys), read(keys.slice(0, 1))]).toEqual(['text', undefined]);
      sealedCookie('hygie_x', keys, false, '/').write(res, 'text', { ...at, path: '/' });
      expect([read(keys.slice(0, 1)), read(keys.slice(1))]).toEqual(['text', undefined]);
    });

    it.each(['0.', '4.', '1', '12.', 'x.'])('does not read %j', (start) => {
      const { res, req, kept } = browser();
      const cookie = sealedCookie('hygie_x', keys, true, '/');
      cookie.write(res, 'text', at);
      kept.set('__Host-hygie_x', (kept.get('__Host-hygie_x') ?? '').replace('1.', start));
      expect(cookie.read(req(), 'person 1')).toBeUndefined();
      cookie.write(res, 'text', at);
      expect(cookie.read(req(), 'person 1')).toBe('text');
    });

    it('is removed as far as it was sent', () => {
      const { res, lines } = browser();
      sealedCookie('hygie_x', keys, true).clear(
        requestWith('__Secure-hygie_x=1.a; __Secure-hygie_x.2=b; y=1'),
        res,
        '/base',
      );
      expect(lines).toEqual(
        ['__Secure-hygie_x', '__Secure-hygie_x.2'].map(
          (name) =>
            `${name}=; Path=/base; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax; Secure`,
        ),
      );
    });
  });

  describe('SEC-30 the content security policy', () => {
    const policy = (forms: string, { script = "'none'", more = '' } = {}) =>
      `default-src 'none'; script-src ${script}; ${more}style-src 'self'; img-src 'self'; manifest-src 'self'; ` +
      `form-action 'self'${forms}; frame-ancestors 'none'; base-uri 'none'`;
    it.each<[Parameters<typeof contentSecurityPolicy>[0], string]>([
      [{}, policy('')],
      [
        {
          formsLeadTo: [
            'https://a.example/callback?x=1',
            'https://a.example/other',
            'http://localhost:8080/cb',
            'app.example:/cb',
            'http://[::1]:3000/cb',
            'javascript:alert(1)',
            'data:text/html,x',
            'blob:https://a.example/x',
            'file:///etc',
            'no address',
          ],
        },
        policy(' https://a.example http://localhost:8080 app.example: http:'),
      ],
      [
        { modulesBelow: 'https://a.example/try/', connectsTo: ['https://a.example/fhir;x,y/', 'http://[::1]:3000/'] },
        policy('', {
          script: 'https://a.example/try/',
          more: "connect-src https://a.example/fhir%3Bx%2Cy/ 'self'; require-trusted-types-for 'script'; ",
        }),
      ],
      [
        { modulesBelow: 'http://[::1]:3000/try/' },
        policy('', { script: "'self'", more: "require-trusted-types-for 'script'; " }),
      ],
    ])('of a page that needs %j', (needs, expected) => {
      expect(contentSecurityPolicy(needs)).toBe(expected);
    });

    it('allows the scripts of the page by their digests', () => {
      expect(contentSecurityPolicy({ scripts: ['copy', 'passkey'] })).toMatch(
        /; script-src 'sha256-[\w+/]{43}=' 'sha256-[\w+/]{43}='; /,
      );
    });
  });

  it('the address of a client is that of Express, or none', () => {
    expect([{ ip: '192.0.2.1' }, {}].map((req) => clientAddress(req as IncomingMessage))).toEqual(['192.0.2.1', '']);
  });

  describe('SEC-32 a form of another site', () => {
    const own = 'https://connect.clinic.example';
    it.each([
      [{}, false],
      [{ origin: own }, false],
      [{ origin: 'null' }, false],
      [{ origin: 'https://evil.example' }, true],
      [{ 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }, false],
      [{ 'sec-fetch-site': 'none' }, false],
      [{ 'sec-fetch-site': 'same-site', origin: own }, true],
      [{ 'sec-fetch-site': 'cross-site', origin: own }, true],
    ])('%j: %j', (headers, foreign) => {
      expect(isCrossSite({ headers } as never, own)).toBe(foreign);
      const passed: unknown[] = [];
      refuseCrossSite(own)({ headers } as never, {} as never, (error?: unknown) => passed.push(error));
      expect(passed).toEqual([foreign ? new CrossSiteForm('the form was posted by another site') : undefined]);
      if (foreign) expect((passed[0] as CrossSiteForm).status).toBe(403);
    });
  });
});
