// The reference page and the outbox of development in a real Chromium: accessible (WCAG 2.2 AA as far as axe-core sees), and fit for every
// screen.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { ALL_RULES, addAxe, axeViolations, CONTRAST, smallTargets } from '#support/axe.ts';
import { openBrowser } from '#support/browser.ts';
import { credentialsOf } from '#support/openid/account/person-of-account.ts';
import { createPerson } from '#support/person.ts';
import { type RunningService, startService } from '#support/service.ts';
import { until } from '#support/until.ts';

const LANGUAGES = ['fr', 'en'] as const;

let service: RunningService;
let browser: Browser;
beforeAll(async () => {
  service = await startService();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await service.stop();
});

// Contrast is the one rule that takes long on a page of this length.
const ALL_BUT_CONTRAST = `{
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  rules: { 'color-contrast': { enabled: false } },
}`;
const PARTS =
  "{ include: [['header'], ['nav'], ['main > .facts'], ['#start'], ['#PractitionerRole'], ['#modifiers']] }";

describe('the reference page', () => {
  it.each(LANGUAGES)(
    'has no fault that axe-core sees, light and dark, on screens small and large (%s)',
    async (locale) => {
      const context = await browser.newContext({ locale });
      await addAxe(context);
      const page = await context.newPage();
      const errors: string[] = [];
      page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
      page.on(
        'request',
        (request) => void (new URL(request.url()).origin !== service.issuer && errors.push(request.url())),
      );
      await page.goto(`${service.issuer}/directory/docs`);
      for (const width of [320, 1280, 390]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        expect(await smallTargets(page, 'nav a, .facts a, .after a')).toEqual([]);
      }
      const faults = async (colorScheme: 'light' | 'dark', context: string, options: string) => {
        await page.emulateMedia({ colorScheme });
        return axeViolations(page, options, context);
      };
      expect(await faults('light', 'document', ALL_BUT_CONTRAST)).toEqual([]);
      // What is drawn in these parts is drawn so everywhere.
      for (const scheme of ['light', 'dark'] as const) expect(await faults(scheme, PARTS, CONTRAST)).toEqual([]);
      expect(await page.getAttribute('html', 'lang')).toBe(locale);
      expect(errors).toEqual([]);
      await context.close();
    },
  );
});

const CUT = `[...document.querySelectorAll('div, p, dd')].filter((part) => part.scrollWidth > part.clientWidth).map((part) => part.textContent)`;

describe('the outbox', () => {
  it('is accessible, as are the mails, in both languages and colours, on a screen of 320 px', async () => {
    const person = createPerson(service.issuer);
    const asking = await person.visit('/account-link/password-reset');
    await person.press(asking, 'send-link', { login: credentialsOf(0).login });
    await until(async () => (await person.visit('/outbox')).html.includes('/outbox/'), 'a mail in the outbox');
    for (const locale of ['fr', 'en']) {
      const context = await browser.newContext({ locale, viewport: { width: 320, height: 800 } });
      await addAxe(context);
      const page = await context.newPage();
      const look = async (scheme: 'light' | 'dark', rules = ALL_RULES) => {
        await page.emulateMedia({ colorScheme: scheme });
        expect(await axeViolations(page, rules)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
      };
      await page.goto(`${service.issuer}/outbox`);
      await look('light');
      await look('dark');
      await page.click('#mails a');
      await look('dark');
      await page.click('#as-html');
      // A mail stands within the page of a mail program: landmarks are that one's.
      await look('light', ALL_RULES.replace(", 'best-practice'", ''));
      // A long address goes on in the next line: the frame of a mail cuts what is wider.
      expect(await page.evaluate(CUT)).toEqual([]);
      await context.close();
    }
  });
});
