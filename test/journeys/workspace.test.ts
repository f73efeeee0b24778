// A person with several places of work changes the current one in a real Chromium: the next ID token says so.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import type { Browser } from 'playwright-core';
import { ALL_RULES, addAxe, axeViolations } from '../support/axe.ts';
import { openBrowser } from '../support/browser.ts';
import { authorizationUrl, discover } from '../support/oidc/relying-party.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, type RunningService, startService } from '../support/service.ts';

let service: RunningService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
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
  let answer: URL | undefined;
  await page.route('https://application.example/**', (route) => {
    answer = new URL(route.request().url());
    return route.fulfill({ body: 'the application' });
  });
  const state = oidc.randomState();
  const ask = (prompt: string) =>
    page.goto(authorizationUrl(service, { client_id: 'trusted', scope: 'openid profile', state, prompt }).href);
  const told = async () => {
    const tokens = await oidc.authorizationCodeGrant(await discover(service, 'trusted'), answer as URL, {
      expectedState: state,
    });
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
  await page.click('#continue');
  await page.waitForURL('https://application.example/**');
  expect(await told()).toMatchObject({ currentWorkspaceId: `Organization/${workspaces[1]}` });

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
  await page.keyboard.press('Enter');
  await page.waitForURL('https://application.example/**');
  expect(await told()).toMatchObject({ currentWorkspaceId: `Organization/${workspaces[0]}` });
  await context.close();
});
