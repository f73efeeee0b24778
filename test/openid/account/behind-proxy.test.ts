// SEC-33 and SEC-42 for the account pages below an https issuer with a path, behind a proxy that ends TLS.

import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { appOf, credentialsOf, recoveryCodesOn } from '#support/openid/account/person-of-account.ts';
import { service, withService } from '#support/openid/with-service.ts';

describe('behind a proxy', () => {
  const HOST = 'sante.example';
  const ISSUER = `https://${HOST}/connexion`;

  withService({
    adjust: (settings) => ({
      ...settings,
      issuer: ISSUER,
      directory: { ...settings.directory, url: `${ISSUER}/directory/v2` },
      proxies: 1,
    }),
  });

  const cookies = new Map<string, string>();
  const setCookies: string[] = [];

  interface Answer {
    url: string;
    status: number;
    html: string;
  }

  /** As a browser behind the proxy would: follows redirects within the issuer, and keeps cookies. */
  function open(address: string, form?: Record<string, string>, forwardedHost = HOST): Promise<Answer> {
    const { href, pathname, search } = new URL(address, ISSUER);
    const headers = {
      'x-forwarded-host': forwardedHost,
      'x-forwarded-proto': 'https',
      'accept-language': 'en',
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(form && { 'content-type': 'application/x-www-form-urlencoded', origin: `https://${HOST}` }),
    };
    const options = {
      port: service.settings.listen.port,
      path: pathname + search,
      method: form ? 'POST' : 'GET',
      headers,
    };
    return new Promise((resolve, reject) => {
      const call = request({ host: '127.0.0.1', ...options }, async (answer) => {
        for (const line of answer.headers['set-cookie'] ?? []) {
          setCookies.push(line);
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
          cookies.set(name, value);
        }
        const html = await text(answer);
        const { location } = answer.headers;
        const next = location === undefined ? undefined : new URL(location, href);
        if (next) resolve(next.href.startsWith(`${ISSUER}/`) ? open(next.href) : Promise.reject(new Error(next.href)));
        else resolve({ url: href, status: answer.statusCode ?? 0, html });
      });
      call.on('error', reject);
      call.end(form && new URLSearchParams(form).toString());
    });
  }

  /** The form of the page with this field. */
  function formWith(field: string, { html }: Answer) {
    const form = html.split('<form ').find((part) => part.includes(` name="${field}"`)) ?? '';
    return {
      action: /action="([^"]+)"/.exec(form)?.[1] ?? '',
      csrf: /name="csrf" value="([^"]+)"/.exec(form)?.[1] ?? '',
    };
  }

  it('SEC-33 all of it stays below the path of the issuer, and its cookie is Secure and goes nowhere else', async () => {
    const login = await open(`${ISSUER}/account/second-factor`);
    const { action, csrf } = formWith('password', login);
    expect(action).toMatch(/^\/connexion\/interaction\//);
    const page = await open(action, { csrf, ...credentialsOf(0) });
    expect([page.url, page.status]).toEqual([`${ISSUER}/account/second-factor`, 200]);
    const setUp = formWith('code', page);
    expect(setUp.action).toBe('/connexion/account/second-factor');
    const visit = { ...page, headers: new Headers() };
    const done = await open(setUp.action, { csrf: setUp.csrf, code: appOf(visit)() });
    expect(recoveryCodesOn({ ...done, headers: new Headers() })).toHaveLength(8);
    const overview = await open(`${ISSUER}/account`);
    for (const [, link = ''] of overview.html.matchAll(/(?:href|action|src)="(\/[^"]*)"/g)) {
      expect(link).toMatch(/^\/connexion\//);
    }
    const lines = setCookies.filter((line) => line.startsWith('__Secure-hygie_account='));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line).toMatch(/; Path=\/connexion\/account; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax; Max-Age=\d+$/);
    }
  });

  it('SEC-42 a foreign host is refused, and named in no link', async () => {
    for (const path of ['/account', '/account/second-factor', '/account/signed-in?state=x']) {
      const answer = await open(`${ISSUER}${path}`, undefined, 'evil.example');
      expect([answer.status, answer.html.includes('href')]).toEqual([421, false]);
    }
  });
});
