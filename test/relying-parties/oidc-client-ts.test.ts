// oidc-client-ts, unmodified, as its package ships it for browsers: a real Chromium with its normal web security signs a
// person in through our forms with PKCE, reads userinfo across origins, and signs out.

import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../support/browser.ts';
import {
  type Application,
  CREDENTIALS,
  openApplication,
  registration,
} from '../support/relying-parties/application.ts';
import { DEMO_ACCOUNTS, type RunningService, startService } from '../support/service.ts';

let service: RunningService;
let application: Application;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  application = await openApplication();
  const callback = `${application.origin}/callback`;
  const logoutUrls = [`${application.origin}/signed-out`];
  const client = await registration('oidc-client-ts', callback, { type: 'browser', logoutUrls });
  [service, browser] = await Promise.all([startService({ clients: [client] }), openBrowser()]);
  const library = createRequire(import.meta.url).resolve('oidc-client-ts/package.json');
  const app = express();
  app.get('/library.js', (_req, res) => res.sendFile('dist/browser/oidc-client-ts.min.js', { root: `${library}/..` }));
  app.get('/application.js', (_req, res) => void res.type('js').send(script(service.issuer)));
  app.get(['/', '/callback', '/signed-out'], (_req, res) => {
    const scripts = '<script src="/library.js"></script><script src="/application.js"></script>';
    res.type('html').send(`<!DOCTYPE html><title>Application</title><pre id="user"></pre>${scripts}`);
  });
  application.answer(app);
  page = await (await browser.newContext({ locale: 'en' })).newPage();
});
afterAll(async () => {
  await browser.close();
  await service.stop();
  await application.close();
});

/** What the documentation of the library shows, on one page. */
function script(issuer: string): string {
  return `
    const manager = new oidc.UserManager({
      authority: ${JSON.stringify(issuer)},
      client_id: 'oidc-client-ts',
      redirect_uri: location.origin + '/callback',
      post_logout_redirect_uri: location.origin + '/signed-out',
      scope: 'openid email profile',
      loadUserInfo: true,
    });
    const show = (value) => { document.getElementById('user').textContent = JSON.stringify(value); };
    if (location.pathname === '/callback') {
      manager.signinRedirectCallback().then(({ profile }) => show(profile), (error) => show({ error: error.message }));
    }
    if (location.pathname === '/signed-out') {
      manager.signoutRedirectCallback().then(() => show({ signedOut: true }), (error) => show({ error: error.message }));
    }`;
}

const shown = async () => JSON.parse((await page.locator('#user:not(:empty)').textContent()) ?? '') as object;

describe('oidc-client-ts in Chromium', () => {
  it('oidc-client-ts signs a person in with PKCE', async () => {
    await page.goto(`${application.origin}/`);
    await page.evaluate('void manager.signinRedirect()');
    await page.locator('#login').fill(CREDENTIALS.login);
    await page.locator('#password').fill(CREDENTIALS.password);
    await page.locator('#sign-in').click();
    await page.locator('#allow').click();
    await page.waitForURL(`${application.origin}/callback?*`);
    expect(await shown()).toMatchObject({ sub: DEMO_ACCOUNTS[0]?.id, email: DEMO_ACCOUNTS[0]?.email });
  });

  it('oidc-client-ts signs the person out and comes back', async () => {
    await page.evaluate('void manager.signoutRedirect()');
    await page.locator('#sign-out').click();
    await page.waitForURL(`${application.origin}/signed-out*`);
    expect(await shown()).toEqual({ signedOut: true });
  });
});
