// The journey of the search in a real Chromium on a phone: type as one speaks, see the first result without scrolling, copy the mailbox.

import { describe, expect, it } from '@jest/globals';
import { newVisitor, signInToServerApplication, withDemo } from '#support/demo/visitor.ts';

const on = withDemo();
const PHONE = { viewport: { width: 390, height: 844 } };
const MAILBOX = 'vincent.beldes.a4@masseur-kinesitherapeute.mssante.example';

describe.each([
  { locale: 'fr', who: 'M. Beldes kiné', copy: 'Copier', copied: 'Copié' },
  { locale: 'en', who: 'beldes physiotherapist', copy: 'Copy', copied: 'Copied' },
])('the search on a phone ($locale)', ({ locale, who, copy, copied }) => {
  it('brings telephone and mailbox of the right place by the keyboard, ready to copy', async () => {
    const { page, errors, context } = await newVisitor(on.browser, { ...PHONE, locale });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: on.service.issuer });
    await signInToServerApplication(page, on.service.issuer);
    await page.goto(`${on.service.issuer}/demo/practitioners`);
    await page.focus('#name');
    await page.keyboard.type(who);
    await page.keyboard.press('Tab');
    await page.keyboard.type('80510');
    await page.keyboard.press('Enter');
    const card = page.locator('.card').first();
    await card.waitFor();
    // Within the first screen.
    expect((await card.boundingBox())?.y).toBeLessThan(PHONE.viewport.height);
    expect(await card.locator('mark').textContent()).toBe('80510 Saint-Loup');
    expect(await card.locator('.place').first().locator('a.phone').getAttribute('href')).toMatch(/^tel:\+33\d{9}$/);
    const button = card.locator('button.copy').first();
    expect(await button.textContent()).toBe(copy);
    await button.focus();
    await page.keyboard.press('Enter');
    await page.locator('#copied', { hasText: copied }).waitFor({ state: 'attached' });
    expect(await button.textContent()).toBe(copied);
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(MAILBOX);
    expect(errors).toEqual([]);
    await context.close();
  });

  it('shows the first result within the first screen for many names, too', async () => {
    const { page, context } = await newVisitor(on.browser, { ...PHONE, locale });
    await signInToServerApplication(page, on.service.issuer);
    for (const path of ['practitioners?name=martin', 'organizations?name=hopital', 'practitioners?address=Angers']) {
      await page.goto(`${on.service.issuer}/demo/${path}`);
      const { y = 0 } = (await page.locator('.card').first().boundingBox()) ?? {};
      expect([path, y > 0 && y < PHONE.viewport.height]).toEqual([path, true]);
    }
    await context.close();
  });
});

describe('the town', () => {
  it('is completed while somebody types, without an error of the policy', async () => {
    const { page, errors, context } = await newVisitor(on.browser, PHONE);
    await signInToServerApplication(page, on.service.issuer);
    await page.goto(`${on.service.issuer}/demo/practitioners`);
    const town = page.locator('#towns option[value="Pontval-sur-Orge"]');
    expect(await town.count()).toBe(0);
    await page.fill('#address', 'pontv');
    await town.waitFor({ state: 'attached' });
    expect(errors).toEqual([]);
    await context.close();
  });
});

describe('without a script', () => {
  it('everything is there but the buttons that copy', async () => {
    const { page, context } = await newVisitor(on.browser, { ...PHONE, javaScriptEnabled: false });
    await signInToServerApplication(page, on.service.issuer);
    await page.goto(`${on.service.issuer}/demo/practitioners?name=beldes`);
    expect(await page.locator('.card .mailbox').first().textContent()).toBe(MAILBOX);
    await page.click('.card h3 a');
    await page.locator('.record').waitFor();
    expect(await page.locator('.mailbox').count()).toBeGreaterThan(1);
    expect(await page.locator('button.copy').count()).toBeGreaterThan(1);
    for (const button of await page.locator('button.copy').all()) expect(await button.isVisible()).toBe(false);
    await page.click('.request summary');
    expect(await page.locator('.request pre').first().isVisible()).toBe(true);
    await context.close();
  });
});
