// A person ends a session from another browser, in a real Chromium: the application is told, and asks for a sign-in again.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { ALL_RULES, addAxe, axeViolations } from '#support/axe.ts';
import { openBrowser } from '#support/browser.ts';
import { type LogoutReceiver, startLogoutReceiver } from '#support/openid/logout-receiver.ts';
import { authorizationUrl } from '#support/openid/relying-party.ts';
import { openCallbacks } from '#support/openid/sign-in/callbacks.ts';
import { type KeySet, verified } from '#support/openid/verified.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, type RunningService, startService, testClients } from '#support/service.ts';
import { until } from '#support/until.ts';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

let service: RunningService;
let browser: Browser;
let receiver: LogoutReceiver;
let callbacks: Awaited<ReturnType<typeof openCallbacks>>;
beforeAll(async () => {
  [callbacks, receiver, browser] = await Promise.all([openCallbacks(), startLogoutReceiver(), openBrowser()]);
  const clients = (await testClients()).map((client) => ({
    ...client,
    callbackUrls: [`${callbacks.address}/callback`],
    ...(client.id === 'trusted' && { backchannelLogoutUrl: receiver.url }),
  }));
  service = await startService({ clients });
});
afterAll(async () => {
  await browser.close();
  await service.stop();
  await receiver.close();
  await callbacks.close();
});

it.each([
  ['fr', 390, 0, 'Firefox sur Windows'],
  ['en', 1440, 1, 'Firefox on Windows'],
] as const)('in the language %s, on a screen %i px wide', async (locale, width, index, device) => {
  const { id, email } = DEMO_ACCOUNTS[index] ?? { id: '', email: '' };
  const enter = async (page: Page, address: string) => {
    await page.goto(address);
    await page.fill('#login', email);
    await page.fill('#password', DEMO_PASSWORD);
    await page.click('#sign-in');
  };
  const application = (prompt?: string) =>
    authorizationUrl(service, {
      client_id: 'trusted',
      redirect_uri: `${callbacks.address}/callback`,
      prompt,
    }).href;
  const [there, here] = await Promise.all([
    browser.newContext({ locale, userAgent: FIREFOX }),
    browser.newContext({ locale, viewport: { width, height: 900 } }),
  ]);
  await addAxe(here);
  const elsewhere = await there.newPage();
  await enter(elsewhere, application());
  await elsewhere.waitForURL(`${callbacks.address}/callback?**`);

  const page = await here.newPage();
  await enter(page, `${service.issuer}/account/sessions`);
  const session = page.locator('.session', { hasText: device });
  expect(await session.textContent()).toContain('Application de confiance');
  expect(await page.locator('#current-session').textContent()).toContain('Chrome');
  expect(await axeViolations(page, ALL_RULES)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);

  receiver.received.length = 0;
  await session.getByRole('button').click();
  await page.locator('#done:focus').waitFor();
  expect(await page.locator('#done').textContent()).toContain(device);
  expect(await page.locator('.session').count()).toBe(1);
  expect(await axeViolations(page, ALL_RULES)).toEqual([]);

  // OpenID Connect Back-Channel Logout 1.0 section 2.4.
  await until(() => receiver.received.length > 0, 'the application is told');
  const keys = (await (await fetch(`${service.issuer}/.well-known/jwks.json`)).json()) as KeySet;
  const { header, payload } = verified(receiver.received[0]?.get('logout_token') ?? '', keys);
  expect([header.typ, payload]).toMatchObject(['logout+jwt', { sub: id, aud: 'trusted', sid: expect.any(String) }]);
  await elsewhere.goto(application('none'));
  expect(new URL(elsewhere.url()).searchParams.get('error')).toBe('login_required');

  await Promise.all([there.close(), here.close()]);
});
