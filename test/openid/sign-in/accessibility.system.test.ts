// The pages in a real Chromium: accessible (WCAG 2.2 AA as far as axe-core sees), and fit for every screen.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContext } from 'playwright-core';
import { addAxe, expectAccessible } from '#support/axe.ts';
import { frenchFaults } from '#support/french-typography.ts';
import { blocked, browser, open, openIn, PAGES, withSignInApp } from '#support/openid/sign-in/pages-in-browser.ts';

withSignInApp();

/** What is read on a page, but for what it has in English. */
const FRENCH_TEXT =
  "document.querySelectorAll('body [lang=en]').forEach((part) => part.remove()), document.body.innerText";

describe.each(['fr', 'en'])('in the language %s', (locale) => {
  let context: BrowserContext;
  beforeAll(async () => {
    context = await browser.newContext({ locale });
    await addAxe(context);
  });
  afterAll(() => context.close());

  it.each(Object.keys(PAGES))('%s: no violation axe-core sees, light and dark, on screens small and large', (name) =>
    openIn(context, name, async (page) => {
      await expectAccessible(page, locale);
      if (locale === 'fr') expect(frenchFaults(await page.evaluate(FRENCH_TEXT))).toEqual([]);
      expect(blocked.filter((text) => /content security policy/i.test(text))).toEqual([]);
    }),
  );
});

describe('the consent to five scopes', () => {
  it.each(['fr', 'en'])(
    'on a telephone shows everything asked for, and both answers, without scrolling (%s)',
    (locale) =>
      open('consent', { locale, viewport: { width: 390, height: 844 } }, async (page) => {
        const [list, ...answers] = await Promise.all(
          ['.scopes', '#allow', '#refuse'].map((part) => page.locator(part).boundingBox()),
        );
        const listEnd = (list?.y ?? 0) + (list?.height ?? 0);
        for (const answer of answers) {
          expect(answer?.y).toBeGreaterThanOrEqual(listEnd);
          expect((answer?.y ?? 0) + (answer?.height ?? 0)).toBeLessThanOrEqual(844);
        }
      }),
  );

  it('on a small one keeps both answers in sight, and never over what takes the focus', () =>
    open('consent', { locale: 'fr', viewport: { width: 320, height: 568 } }, async (page) => {
      for (const answer of ['#allow', '#refuse']) {
        const box = await page.locator(answer).boundingBox();
        expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(568);
      }
      await page.focus('#other-account');
      const [other, allow] = await Promise.all(
        ['#other-account', '#allow'].map((part) => page.locator(part).boundingBox()),
      );
      expect((other?.y ?? 0) + (other?.height ?? 0)).toBeLessThanOrEqual(allow?.y ?? 0);
    }));
});

it.each(['fr', 'en'])('the two answers to a sign-out have a line each where one fits (%s)', (locale) =>
  open('sign-out', { locale, viewport: { width: 1280, height: 800 } }, async (page) => {
    const boxes = await Promise.all(['#sign-out', '#stay'].map((answer) => page.locator(answer).boundingBox()));
    expect(boxes.map((box) => box?.height)).toEqual([50, 50]);
  }),
);
