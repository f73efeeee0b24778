// A person and an application in a real Chromium: consent given, shown and withdrawn; Back after a sign-in; attempts of strangers paused,
// but not those of the person's own browser; a sign-in without any script.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { ALL_RULES, addAxe, axeViolations } from '#support/axe.ts';
import { openBrowser } from '#support/browser.ts';
import { authorizationUrl } from '#support/openid/relying-party.ts';
import { openCallbacks } from '#support/openid/sign-in/callbacks.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, type RunningService, startService, testClients } from '#support/service.ts';
import { scopeLabel } from '#web/labels.ts';
import { formatDate } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';

const FAILURES = 3;

let service: RunningService;
let browser: Browser;
let callbacks: Awaited<ReturnType<typeof openCallbacks>>;
beforeAll(async () => {
  [callbacks, browser] = await Promise.all([openCallbacks(), openBrowser()]);
  const clients = (await testClients()).map((client) => ({
    ...client,
    callbackUrls: [`${callbacks.address}/callback`],
  }));
  service = await startService({
    clients,
    adjust: (settings) => ({ ...settings, limits: { ...settings.limits, accountFailures: FAILURES } }),
  });
});
afterAll(async () => {
  await browser.close();
  await service.stop();
  await callbacks.close();
});

describe.each([
  ['fr', 390, 0],
  ['en', 1440, 1],
] as const)('in the language %s, on a screen %i px wide', (locale, width, index) => {
  const { account, finished, pause } = messagesIn(locale);
  const mayDo = scopeLabel('PRACTITIONER_READ', locale);
  const request = () =>
    authorizationUrl(service, { client_id: 'server', redirect_uri: `${callbacks.address}/callback` }).href;
  const send = async (page: Page, password: string, nth: number = index) => {
    await page.fill('#login', DEMO_ACCOUNTS[nth]?.email ?? '');
    await page.fill('#password', password);
    const answer = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.click('#sign-in');
    const status = (await answer).status();
    await page.waitForLoadState();
    return status;
  };
  const arrived = (page: Page) => page.waitForURL(`${callbacks.address}/callback?**`);
  const isSound = async (page: Page) => {
    expect(await axeViolations(page, ALL_RULES)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  };

  let own: BrowserContext;
  beforeAll(async () => {
    own = await browser.newContext({ locale, viewport: { width, height: 844 } });
    await addAxe(own);
  });
  afterAll(() => own.close());

  it('SEC-36 consent is given, shown and withdrawn; Back in between says who is signed in, and leads on', async () => {
    const page = await own.newPage();
    await page.goto(request());
    await send(page, DEMO_PASSWORD);
    await page.locator('#allow').waitFor();
    expect(await page.locator('main').textContent()).toContain(mayDo);
    await isSound(page);
    await page.click('#allow');
    await arrived(page);

    // Item 2 of the tries: it said that the page had expired and nothing was transmitted.
    await page.goBack();
    expect(await page.locator('h1').textContent()).toBe(finished['signed-in'].title);
    expect(await page.getAttribute('#application', 'href')).toBe(`${callbacks.address}/`);
    await isSound(page);

    await page.click('#account');
    await page.click('nav a[href="/account/applications"]');
    const allowed = page.locator('.allowed > li', { hasText: 'Dossier de test' });
    const shown = await allowed.textContent();
    expect(shown).toContain(mayDo);
    expect(shown).toContain(account.allowedSince(formatDate(Date.now() / 1000, locale)));
    await allowed.locator('summary').click();
    await isSound(page);
    await page.click('#withdraw-server');
    expect(await page.locator('#done:focus').textContent()).toContain(account.revoked('Dossier de test'));
    expect(await page.locator('#withdraw-server').count()).toBe(0);
    await isSound(page);

    await page.goto(request());
    await page.locator('#allow').waitFor();
    await page.close();
  });

  it('SEC-39 SEC-59 strangers who guess are told whose attempts wait, until when and what helps; the person gets in', async () => {
    const strange = await browser.newContext({ locale, viewport: { width, height: 844 } });
    await addAxe(strange);
    const page = await strange.newPage();
    await page.goto(request());
    for (let times = 0; times < FAILURES; times += 1) {
      expect(await send(page, `guess ${times}`)).toBe(422);
    }
    expect(await send(page, DEMO_PASSWORD)).toBe(429);
    const notice = page.locator('#problem:focus');
    const said = await notice.textContent();
    expect(said).toContain(pause.account.title);
    expect(said).toMatch(/\d{2}(:|\u00a0h\u00a0)\d{2}/);
    expect(await notice.locator('li').count()).toBeGreaterThan(0);
    await isSound(page);
    await strange.close();

    await own.clearCookies({ name: /session/ });
    const again = await own.newPage();
    await again.goto(request());
    await send(again, DEMO_PASSWORD);
    await again.locator('#allow').waitFor();
  });

  it('without script a person signs in and allows the application', async () => {
    const plain = await browser.newContext({ locale, viewport: { width, height: 844 }, javaScriptEnabled: false });
    const page = await plain.newPage();
    await page.goto(request());
    await send(page, DEMO_PASSWORD, index + 2);
    await page.click('#allow');
    await arrived(page);
    expect(new URL(page.url()).searchParams.get('code')).toBeTruthy();
    await plain.close();
  });
});
