// A person with several places of work changes the current one in a real Chromium: the next ID token says so.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import type { Browser } from 'playwright-core';
import { ALL_RULES, addAxe, axeViolations } from '#support/axe.ts';
import { openBrowser } from '#support/browser.ts';
import { authorizationUrl, discover } from '#support/openid/relying-party.ts';
import { openCallbacks } from '#support/openid/sign-in/callbacks.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, type RunningService, startService, testClients } from '#support/service.ts';

let service: RunningService;
let browser: Browser;
let callbacks: Awaited<ReturnType<typeof openCallbacks>>;
const callback = () => `${callbacks.address}/callback`;
beforeAll(async () => {
  callbacks = await openCallbacks();
  const clients = (await testClients()).map((client) => ({ ...client, callbackUrls: [callback()] }));
  [service, browser] = await Promise.all([startService({ clients }), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await callbacks.close();
  await service.stop();
});

it.each([
  ['fr', { width: 390, height: 800 }, 0],
  ['en', { width: 1440, height: 900 }, 1],
] as const)('in the language %s, on a screen of %j', async (locale, viewport, index) => {
  const account = DEMO_ACCOUNTS[index];
  const context = await browser.newContext({ locale, viewport });
  await addAxe(context);
  const page = await context.newPage();
  const state = oidc.randomState();
  const ask = (prompt: string) =>
    page.goto(
      authorizationUrl(service, {
        client_id: 'trusted',
        scope: 'openid profile',
        redirect_uri: callback(),
        state,
        prompt,
      }).href,
    );
  /** What the application is told once `act` has sent the browser back to it. */
  const told = async (act: () => Promise<unknown>) => {
    await Promise.all([page.waitForURL(`${callback()}?**`), act()]);
    const configuration = await discover(service, 'trusted');
    const tokens = await oidc.authorizationCodeGrant(configuration, new URL(page.url()), { expectedState: state });
    return tokens.claims()?.[`${service.settings.namespace}/userInfo`];
  };
  const workspaces = account?.workspaces ?? [];

  await ask('select_account');
  await page.fill('#login', account?.email ?? '');
  await page.fill('#password', DEMO_PASSWORD);
  await page.click('#sign-in');
  await page.locator('[name=workspace]:focus').waitFor();
  expect(await page.locator('[name=workspace]:checked').getAttribute('value')).toBe(workspaces[0]);
  expect(await axeViolations(page, ALL_RULES)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
  await page.locator(`[name=workspace][value="${workspaces[1]}"]`).check();
  expect(await told(() => page.click('#continue'))).toMatchObject({
    currentWorkspaceId: `Organization/${workspaces[1]}`,
  });

  // Back in the account space: the next token follows.
  await page.goto(`${service.issuer}/account`);
  await page.click('#change-workspace');
  await page.locator('[name=workspace]:focus').waitFor();
  expect(await axeViolations(page, ALL_RULES)).toEqual([]);
  await page.locator(`[name=workspace][value="${workspaces[0]}"]`).check();
  await page.click('#save-workspace');
  await page.locator('#done').waitFor();
  expect(await axeViolations(page, ALL_RULES)).toEqual([]);
  await ask('select_account');
  // By keyboard: the page opens in the current place, Enter goes on.
  await page.locator('[name=workspace]:focus').waitFor();
  expect(await told(() => page.keyboard.press('Enter'))).toMatchObject({
    currentWorkspaceId: `Organization/${workspaces[0]}`,
  });
  await context.close();
});
