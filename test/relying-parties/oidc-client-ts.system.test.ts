// oidc-client-ts, unmodified, as its package ships it for browsers: a real Chromium with its normal web security signs a
// person in through our forms with PKCE, reads userinfo across origins, and signs out. Every request of its page is traced, as by
// OpenTelemetry and Sentry, and reads headers of the answers.

import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '#support/browser.ts';
import { type Application, CREDENTIALS, openApplication, registration } from '#support/relying-parties/application.ts';
import { DEMO_ACCOUNTS, type RunningService, startService } from '#support/service.ts';

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
    const untraced = window.fetch;
    window.fetch = (address, init = {}) => {
      const headers = new Headers(init.headers);
      headers.set('traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
      headers.set('tracestate', 'vendor=1');
      headers.set('baggage', 'tenant=one');
      headers.set('sentry-trace', '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1');
      return untraced(address, { ...init, headers });
    };
    const manager = new oidc.UserManager({
      authority: ${JSON.stringify(issuer)},
      client_id: 'oidc-client-ts',
      redirect_uri: location.origin + '/callback',
      post_logout_redirect_uri: location.origin + '/signed-out',
      scope: 'openid email profile PRACTITIONER_READ',
      loadUserInfo: true,
    });
    const show = (value) => { document.getElementById('user').textContent = JSON.stringify(value); };
    if (location.pathname === '/callback') {
      manager.signinCallback().then((user) => user && show(user.profile), (error) => show({ error: error.message }));
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

  /** Status and headers of an answer, as the script of the page sees them; null for those that it may not see. */
  const seen = (path: string, init: object, headers: readonly string[]) =>
    page.evaluate(
      `manager.getUser().then(async ({ access_token }) => {
        const init = ${JSON.stringify(init)};
        init.headers = { Authorization: 'Bearer ' + access_token, ...init.headers };
        const answer = await fetch(${JSON.stringify(service.issuer)} + ${JSON.stringify(path)}, init);
        return [answer.status, ...${JSON.stringify(headers)}.map((name) => answer.headers.get(name))];
      })`,
    ) as Promise<[status: number, ...headers: (string | null)[]]>;
  const REQUEST_ID = expect.stringMatching(/^[\w-]+$/);

  it('W3C Fetch: a traced page of another origin asks the directory, and reads what it needs of the answers', async () => {
    const ofLibraries = { 'X-Requested-With': 'XMLHttpRequest', 'Cache-Control': 'no-cache', Pragma: 'no-cache' };
    const search = { headers: { ...ofLibraries, Prefer: 'handling=lenient' } };
    expect(await seen('/directory/v2/Practitioner?name=ma&x=1', search, ['X-Request-Id'])).toEqual([200, REQUEST_ID]);
    const found = await seen('/directory/v2/SearchParameter/Organization-part-of', {}, ['ETag', 'Content-Location']);
    expect(found).toEqual([200, expect.stringMatching(/^W\/"/), expect.stringContaining('/_history/')]);
    const again = { headers: { 'If-None-Match': found[1] }, cache: 'no-store' };
    const [status, id] = await seen('/directory/v2/SearchParameter/Organization-part-of', again, ['X-Request-Id']);
    expect([status, id]).toEqual([304, REQUEST_ID]);
    const refused = await seen('/directory/v2/Organization?name=ma', {}, ['X-Request-Id', 'WWW-Authenticate']);
    expect(refused).toEqual([403, REQUEST_ID, expect.stringContaining('insufficient_scope')]);
  });

  it('SEC-45 W3C Fetch: it reads the id of a request at userinfo and at the token endpoint, refusals included', async () => {
    expect(await seen('/userinfo', {}, ['X-Request-Id'])).toEqual([200, REQUEST_ID]);
    const wrong = { headers: { Authorization: 'Bearer x' } };
    const challenge = expect.stringContaining('invalid_token');
    expect(await seen('/userinfo', wrong, ['X-Request-Id', 'WWW-Authenticate'])).toEqual([401, REQUEST_ID, challenge]);
    const body = 'grant_type=authorization_code&code=x&client_id=oidc-client-ts&redirect_uri=x';
    const token = { method: 'POST', body, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } };
    // A client of the page's origin, which sends no Authorization.
    const sent = { ...token, headers: { ...token.headers, Authorization: '' } };
    expect(await seen('/oauth/token', sent, ['X-Request-Id'])).toEqual([400, REQUEST_ID]);
  });

  it('oidc-client-ts signs in again in a hidden frame, and revokes the token that it got', async () => {
    expect(await page.evaluate('manager.signinSilent().then(({ profile }) => profile.sub)')).toBe(DEMO_ACCOUNTS[0]?.id);
    await page.evaluate("manager.revokeTokens(['access_token'])");
    expect(await seen('/userinfo', {}, [])).toEqual([401]);
  });

  it('oidc-client-ts signs the person out and comes back', async () => {
    await page.evaluate('void manager.signoutRedirect()');
    await page.waitForURL(`${application.origin}/signed-out*`);
    expect(await shown()).toEqual({ signedOut: true });
  });
});
