// A person edits their profile in a real Chromium: names, language, picture, their data, the deletion of the account.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { ALL_RULES, addAxe, axeViolations, smallTargets } from '#support/axe.ts';
import { openBrowser } from '#support/browser.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, type RunningService, startService } from '#support/service.ts';

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
  ['fr', { width: 390, height: 800 }, 0, 'en'],
  ['en', { width: 1440, height: 900 }, 1, 'fr'],
] as const)('in the language %s, on a screen of %j', async (locale, viewport, index, other) => {
  const account = DEMO_ACCOUNTS[index];
  const context = await browser.newContext({ locale, viewport });
  await addAxe(context);
  const page = await context.newPage();
  const look = async () => {
    expect(await axeViolations(page, ALL_RULES)).toEqual([]);
    await page.setViewportSize({ ...viewport, width: Math.min(viewport.width, 320) });
    expect(await smallTargets(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    await page.setViewportSize(viewport);
  };

  await page.goto(`${service.issuer}/account`);
  await page.fill('#login', account?.email ?? '');
  await page.fill('#password', DEMO_PASSWORD);
  await page.click('#sign-in');
  await page.click('#edit-profile');
  await page.fill('#name', '');
  await page.click('#save-profile');
  await page.locator('#name:focus').waitFor();
  await look();
  await page.fill('#name', 'Dr Camille Exemple');
  await page.locator(`[name=language][value="${other}"]`).check();
  await page.click('#save-profile');
  await page.locator('#done').waitFor();
  expect(await page.getAttribute('html', 'lang')).toBe(other);
  expect(await page.locator('.about').textContent()).toContain('Dr Camille Exemple');
  await look();

  await page.waitForFunction('document.querySelector(".portrait").naturalWidth === 256');

  await page.click('#own-data-link');
  const waiting = page.waitForEvent('download');
  await page.click('#download-data');
  const download = await waiting;
  expect(download.suggestedFilename()).toBe('account.json');

  await page.goto(`${service.issuer}/account`);
  await page.click('#delete-account');
  await look();
  await page.click('#request-deletion');
  await page.locator('#withdraw-deletion').waitFor();
  await look();
  await page.click('#withdraw-deletion');
  await page.locator('#delete-account').waitFor();
  await context.close();
});
