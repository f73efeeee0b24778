// A visitor of the page to try the directory in a real Chromium.

import type { Page, Request } from 'playwright-core';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#seeds/demo-accounts.ts';

/** Opens the page with a request, and waits for its script. */
export async function openTryPage(page: Page, issuer: string, request = ''): Promise<void> {
  // A change of the part behind # alone would be a press on a link of the page.
  await page.goto('about:blank');
  await page.goto(`${issuer}/directory/try${request && `#${request}`}`);
  await page.waitForSelector('#try:not([hidden])');
}

/** Presses the button of the page, and signs in as the first person of the demonstration. Leaves the visitor before the answer. */
export async function signInAndSend(page: Page): Promise<void> {
  await page.click('#send');
  await page.fill('#login', DEMO_ACCOUNTS[0]?.email ?? '');
  await page.fill('#password', DEMO_PASSWORD);
  await page.click('#sign-in');
  await answered(page, 200);
}

/** Waits for an answer with this status. */
export async function answered(page: Page, status: number): Promise<void> {
  await page.locator('#status', { hasText: `HTTP ${status}` }).waitFor();
}

/** The requests that the page sends from now on. */
export function requestsOf(page: Page): Request[] {
  const requests: Request[] = [];
  page.on('request', (request) => requests.push(request));
  return requests;
}
