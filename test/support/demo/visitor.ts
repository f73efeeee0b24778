// A visitor of the demo in a real Chromium: signs in and consents on the service's pages.

import { afterAll, beforeAll } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { addAxe } from '#support/axe.ts';
import { openBrowser } from '#support/browser.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, type RunningService, startService } from '#support/service.ts';

const [account] = DEMO_ACCOUNTS;
if (!account) throw new Error('The demonstration has no people.');

/** The demo person that every visitor signs in as. */
export const PERSON = account;

/** What is there once the tests run, and not before. */
export interface Demo {
  readonly service: RunningService;
  readonly browser: Browser;
}

/** To be called at the top of a test file: a service with its demo, and a browser. */
export function withDemo(): Demo {
  const on = {} as { service: RunningService; browser: Browser };
  beforeAll(async () => {
    [on.service, on.browser] = await Promise.all([startService(), openBrowser()]);
  });
  afterAll(async () => {
    await on.browser.close();
    await on.service.stop();
  });
  return on;
}

/** A page in a browser profile of its own; errors of its scripts and refusals of its policy are collected. */
export async function newVisitor(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ locale: 'en', ...options });
  await addAxe(context);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => /Content Security Policy|CORS/.test(message.text()) && errors.push(message.text()));
  return { page, errors, context };
}

/** Answers the service's own pages, from a click that leads there until the browser is back at `back`. */
export async function signInAtTheService(page: Page, back: string): Promise<void> {
  await page.fill('#login', PERSON.email);
  await page.fill('#password', DEMO_PASSWORD);
  await page.click('#sign-in');
  // The service remembers a consent: only the first sign-in to an application asks for it.
  await page.waitForSelector(`#allow, a[href="/demo/"]`);
  if (await page.locator('#allow').isVisible()) await page.click('#allow');
  await page.waitForURL(back);
}

/** Signs in to the server application; leaves the visitor on the page of the six steps. */
export async function signInToServerApplication(page: Page, issuer: string): Promise<void> {
  await page.goto(`${issuer}/demo/`);
  await page.click('form[action$="/sign-in"] button');
  await signInAtTheService(page, `${issuer}/demo/steps`);
}
