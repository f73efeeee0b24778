// SEC-33 and SEC-42 for the account pages below an https issuer with a path, behind a proxy that ends TLS.

import { describe, expect, it } from '@jest/globals';
import { appOf, credentialsOf, recoveryCodesOn } from '#support/openid/account/person-of-account.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson } from '#support/person.ts';
import { sendTo } from '#support/send-to-port.ts';

describe('behind a proxy', () => {
  const ORIGIN = 'https://sante.example';
  const ISSUER = `${ORIGIN}/connexion`;

  withService({
    adjust: (settings) => ({
      ...settings,
      issuer: ISSUER,
      directory: { ...settings.directory, url: `${ISSUER}/directory/v2` },
      proxies: 1,
    }),
  });

  const personBehind = (host = 'sante.example') =>
    createPerson(ORIGIN, (url, init) => {
      const headers = { ...init.headers, 'x-forwarded-host': host, 'x-forwarded-proto': 'https' };
      return sendTo(service.settings.listen.port)(url, { ...init, headers });
    });

  it('SEC-33 all of it stays below the path of the issuer, and its cookie is Secure and goes nowhere else', async () => {
    const person = personBehind();
    const login = await person.visit(`${ISSUER}/account/second-factor`);
    const page = await person.press(login, 'sign-in', credentialsOf(0));
    expect([page.url, page.status]).toEqual([`${ISSUER}/account/second-factor`, 200]);
    expect(recoveryCodesOn(await person.press(page, 'set-up', { code: appOf(page)() }))).toHaveLength(8);
    const overview = await person.visit(`${ISSUER}/account`);
    for (const [, link = ''] of (login.html + overview.html).matchAll(/(?:href|action|src)="(\/[^"]*)"/g)) {
      expect(link).toMatch(/^\/connexion\//);
    }
    const lines = person.setCookies.filter((line) => line.startsWith('__Secure-hygie_account='));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line).toMatch(/; Path=\/connexion\/account; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax; Max-Age=\d+$/);
    }
  });

  it('SEC-42 a foreign host is refused, and named in no link', async () => {
    for (const path of ['/account', '/account/second-factor', '/account/signed-in?state=x']) {
      const { status, html } = await personBehind('evil.example').visit(`${ISSUER}${path}`);
      expect([status, html.includes('href')]).toEqual([421, false]);
    }
  });
});
