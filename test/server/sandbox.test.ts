// operations.md, HYGIE_SANDBOX=1: production with fictional people, said on every page; they are never mixed with real ones.

import { describe, expect, it } from '@jest/globals';
import { issuesOf, load } from '#support/config/folder.ts';
import { ask } from '#support/directory/exporting.ts';
import { openedForAll } from '#support/opened.ts';
import { authorizationUrl, signIn } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, startService } from '#support/service.ts';

const PRODUCTION = { NODE_ENV: 'production', HYGIE_ISSUER: 'https://essai.example' };

describe('HYGIE_SANDBOX', () => {
  it('is production with all that it refuses, but for the demonstration', async () => {
    const { settings } = await load({}, { ...PRODUCTION, HYGIE_SANDBOX: '1' });
    expect(settings).toMatchObject({ mode: 'production', sandbox: true, demo: true });
    const http = { ...PRODUCTION, HYGIE_SANDBOX: '1', HYGIE_ISSUER: 'http://essai.example' };
    expect(await issuesOf(load({}, http))).toEqual([expect.objectContaining({ path: 'HYGIE_ISSUER' })]);
    expect((await load({}, { ...PRODUCTION, HYGIE_SANDBOX: '0' })).settings).toMatchObject({
      sandbox: false,
      demo: false,
    });
    const own = { service: 'demo: false' };
    expect((await load(own, { ...PRODUCTION, HYGIE_SANDBOX: '1' })).settings).toMatchObject({
      sandbox: true,
      demo: false,
    });
  });

  it('in development, or with another value, is an issue', async () => {
    expect(await issuesOf(load({}, { HYGIE_SANDBOX: '1' }))).toEqual([
      expect.objectContaining({ path: 'HYGIE_SANDBOX', remedy: expect.stringContaining('NODE_ENV=production') }),
    ]);
    expect(await issuesOf(load({}, { ...PRODUCTION, HYGIE_SANDBOX: 'yes' }))).toEqual([
      expect.objectContaining({ path: 'HYGIE_SANDBOX' }),
    ]);
    expect(await issuesOf(load({ service: 'demo: true' }, PRODUCTION))).toEqual([
      expect.objectContaining({ path: 'demo', remedy: expect.stringContaining('HYGIE_SANDBOX=1') }),
    ]);
  });
});

describe('the pages and documents of a sandbox', () => {
  const service = openedForAll(() => startService({ adjust: (settings) => ({ ...settings, sandbox: true }) }));

  const person = DEMO_ACCOUNTS[0]?.email ?? '';

  it.each([
    ['fr', 'Bac à sable'],
    ['en', 'Sandbox: a test service'],
  ])('every page says so in %s, errors included', async (language, said) => {
    const pages = [
      '/',
      '/sandbox',
      '/nowhere',
      '/directory/docs',
      '/authorize?client_id=unknown',
      '/account',
      '/logout',
    ];
    for (const path of pages) {
      const headers = { accept: 'text/html', 'accept-language': language };
      const text = await (await fetch(`${service.issuer}${path}`, { headers })).text();
      // The page behind the notice has no link to itself.
      const leadsOn = path !== '/sandbox';
      expect([path, text.includes(said), text.includes('href="/sandbox"')]).toEqual([path, true, leadsOn]);
    }
  });

  it.each([
    ['fr', 'cette application est inventée'],
    ['en', 'this application is invented'],
  ])('the demo says at its head that it is none, in %s', async (language, said) => {
    for (const path of ['/demo', '/demo/practitioners']) {
      const text = await (await fetch(`${service.issuer}${path}`, { headers: { 'accept-language': language } })).text();
      expect([path, text.split('<main')[0]?.includes(said)]).toEqual([path, true]);
    }
  });

  it('the sign-in page and the page about the sandbox say as whom to sign in, and that works', async () => {
    const { html: signInPage } = await createPerson(service.issuer).visit(authorizationUrl(service, {}));
    for (const text of [signInPage, await (await fetch(`${service.issuer}/sandbox`)).text()])
      expect([text.includes(person), text.includes(DEMO_PASSWORD)]).toEqual([true, true]);
    expect((await signIn(service)).tokens.access_token).toEqual(expect.any(String));
  });

  it('RFC 8414 section 2 service_documentation, STU3 CapabilityStatement.experimental, and the demo name it', async () => {
    const discovery = await (await fetch(`${service.issuer}/.well-known/openid-configuration`)).json();
    expect(discovery).toMatchObject({ service_documentation: `${service.issuer}/sandbox` });
    const metadata = await (await ask(`${service.settings.directory.url}/metadata`)).json();
    expect(metadata).toMatchObject({
      experimental: true,
      implementation: { description: expect.stringContaining('SANDBOX for tests') },
    });
    expect(await (await fetch(`${service.issuer}/demo/?lang=en`)).text()).toContain('sandbox');
  });
});

describe('a service that is no sandbox', () => {
  it('names none', async () => {
    const service = await startService();
    try {
      expect(await (await fetch(`${service.issuer}/`)).text()).not.toContain('class="sandbox"');
      expect((await fetch(`${service.issuer}/sandbox`)).status).toBe(404);
      const discovery = await (await fetch(`${service.issuer}/.well-known/openid-configuration`)).json();
      expect(discovery).not.toHaveProperty('service_documentation');
    } finally {
      await service.stop();
    }
  });
});
