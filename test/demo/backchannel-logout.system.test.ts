// The demo is told by the service that a session ended, and shows the logout token; its own sign-out leads on.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { axeViolations } from '#support/axe.ts';
import { newVisitor, PERSON, signInToServerApplication, withDemo } from '#support/demo/visitor.ts';
import { until } from '#support/until.ts';

const on = withDemo();

/** The service tells the demo at its own pace. */
async function untilEnded(page: Page): Promise<void> {
  const signedOut = async () => (await page.request.get(`${on.service.issuer}/demo/steps`)).status() === 401;
  await until(signedOut, 'the demo was told');
  await page.goto(`${on.service.issuer}/demo/steps`);
}

describe('a session that ended at the service', () => {
  let elsewhere: Page;
  beforeAll(async () => {
    elsewhere = (await newVisitor(on.browser)).page;
    await signInToServerApplication(elsewhere, on.service.issuer);
  });
  afterAll(() => elsewhere.context().close());

  it.each([
    {
      locale: 'en',
      width: 1440,
      heading: 'Hygie ended your session',
      start: 'Hygie ended your session.',
      again: 'Sign in again',
    },
    {
      locale: 'fr',
      width: 390,
      heading: 'Hygie a fermé votre session',
      start: 'Hygie a fermé votre session.',
      again: 'Se reconnecter',
    },
  ])('ends at the demo, which shows the logout token ($locale, $width px)', async ({ locale, width, ...texts }) => {
    const { page, context } = await newVisitor(on.browser, { locale, viewport: { width, height: 900 } });
    await signInToServerApplication(page, on.service.issuer);
    const sid = await page
      .locator('.claims tr', { hasText: /^\s*sid/ })
      .locator('td code')
      .first()
      .textContent();
    // A token of nobody changes nothing.
    const forged = await page.request.post(`${on.service.issuer}/demo/backchannel-logout`, {
      form: { logout_token: `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify({ sid }))}.` },
    });
    expect([forged.status(), forged.headers()['cache-control']]).toEqual([400, 'no-store']);
    expect((await page.goto(`${on.service.issuer}/demo/steps`))?.status()).toBe(200);

    // The person signs out at the service, in another tab.
    const tab = await context.newPage();
    await tab.goto(`${on.service.issuer}/logout`);
    await tab.click('#sign-out');
    await untilEnded(page);
    expect(await page.textContent('h1')).toBe(texts.heading);

    const claims = page.locator('.claims tbody tr');
    const value = (name: string) =>
      claims
        .filter({ has: page.locator(`th code:text-is("${name}")`) })
        .locator('td')
        .first();
    expect(await value('sid').textContent()).toBe(sid);
    expect(await value('sub').textContent()).toBe(PERSON.id);
    expect(await value('typ').textContent()).toBe('logout+jwt');
    expect(await value('events').textContent()).toContain('event/backchannel-logout');
    expect(await page.locator('.steps > li').first().locator('pre').textContent()).toMatch(
      /logout_token=\S+\.[\w-]{8}…/,
    );
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);

    // The token of the session is gone with it, and the way on stands on every page.
    expect((await page.goto(`${on.service.issuer}/demo/practitioners?name=martin`))?.status()).toBe(401);
    expect(await page.locator('form[action*="/sign-in"] button').textContent()).toBe(texts.again);
    await page.goto(`${on.service.issuer}/demo/`);
    expect(await page.textContent('[role=status]')).toContain(texts.start);
    // Another browser of the same person stays signed in.
    expect((await elsewhere.request.get(`${on.service.issuer}/demo/steps`)).status()).toBe(200);
    await context.close();
  });
});

describe('no dead end', () => {
  it('signing out of the demo ends at its start page, which says so once', async () => {
    const { page, context } = await newVisitor(on.browser, { javaScriptEnabled: false });
    await signInToServerApplication(page, on.service.issuer);
    await page.click('form[action$="/sign-out"] button');
    await page.waitForURL(`${on.service.issuer}/demo/`);
    expect(await page.textContent('[role=status]')).toBe(
      'You are signed out: your session has ended here and at Hygie.',
    );
    expect(await page.locator('form[action$="/sign-in"] button').count()).toBe(1);
    await page.reload();
    expect(await page.locator('[role=status]').count()).toBe(0);
    // Nobody is told so by a link.
    await page.goto(`${on.service.issuer}/demo/?state=undefined`);
    expect(await page.locator('[role=status]').count()).toBe(0);
    await context.close();
  });
});
