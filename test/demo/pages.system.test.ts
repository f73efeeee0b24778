// The demo's pages in a real Chromium: accessible in both languages and on both screens, in the language that was chosen.

import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ALL_RULES, axeViolations } from '#support/axe.ts';
import { newVisitor, signInToServerApplication, withDemo } from '#support/demo/visitor.ts';

const on = withDemo();

async function faultsOf(page: Page): Promise<string[]> {
  const tooWide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  return [
    ...(await axeViolations(page, ALL_RULES)),
    ...(tooWide > 0 ? [`${page.url()} is ${tooWide} px too wide`] : []),
  ];
}

const PAGES = [
  'practitioners',
  'practitioners?name=martin',
  'practitioners?name=m',
  'practitioners?name=p%C3%A9diatre&address=69003',
  'practitioners?organization=Organization/F694000027',
  'practitioners/819082680976',
  'practitioners/819050642552',
  'practitioners/nobody',
  'organizations/F694000027',
  'practitioners?name=xqxq',
  'practitioners?name=',
  'organizations?name=hopital',
  'callback?code=x&state=x',
];

describe.each([
  { locale: 'fr', viewport: { width: 390, height: 844 } },
  { locale: 'en', viewport: { width: 1440, height: 900 } },
  // A desktop's page at 400 % has 320 pixels (WCAG 2.2, 1.4.10), a tablet upright 768.
  { locale: 'fr', viewport: { width: 320, height: 640 } },
  { locale: 'fr', viewport: { width: 768, height: 1024 } },
])('the demo in $locale at $viewport.width px', (visitor) => {
  it('has accessible pages that fit the screen', async () => {
    const { page, context } = await newVisitor(on.browser, visitor);
    await page.goto(`${on.service.issuer}/demo/`);
    expect(await page.getAttribute('html', 'lang')).toBe(visitor.locale);
    expect(await faultsOf(page)).toEqual([]);
    await signInToServerApplication(page, on.service.issuer);
    expect(await faultsOf(page)).toEqual([]);
    for (const path of PAGES) {
      await page.goto(`${on.service.issuer}/demo/${path}`);
      expect([path, await faultsOf(page)]).toEqual([path, []]);
    }
    await context.close();
  });
});

describe('the language of the demo', () => {
  it('can be chosen, and stays chosen', async () => {
    const { page, context } = await newVisitor(on.browser, { locale: 'en' });
    await page.goto(`${on.service.issuer}/demo/`);
    await page.click('a.language');
    await page.locator('html[lang=fr]').waitFor();
    await page.goto(`${on.service.issuer}/demo/practitioners`);
    expect(await page.getAttribute('html', 'lang')).toBe('fr');
    await context.close();
  });

  it('goes along to the sign-in pages', async () => {
    const { page, context } = await newVisitor(on.browser, { locale: 'en' });
    await page.goto(`${on.service.issuer}/demo/?lang=fr`);
    await page.click('form[action$="/sign-in"] button');
    await page.waitForSelector('#login');
    expect(await page.getAttribute('html', 'lang')).toBe('fr');
    await context.close();
  });
});
