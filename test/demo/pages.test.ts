// The demo's pages as such: accessible in both languages and on both screens, no page wider than the screen, SEC-30 and
// SEC-31 headers, the language switch.

import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { en } from '#demo/messages/en.ts';
import { fr } from '#demo/messages/fr.ts';
import { axeViolations } from '#support/axe.ts';
import { newVisitor, signInToBrowserApplication, signInToServerApplication, withDemo } from '#support/demo/visitor.ts';

const on = withDemo();

async function faultsOf(page: Page): Promise<string[]> {
  const tooWide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  return [...(await axeViolations(page)), ...(tooWide > 0 ? [`${page.url()} is ${tooWide} px too wide`] : [])];
}

const PAGES = [
  'practitioners',
  'practitioners?name=martin',
  'practitioners?name=m',
  'practitioners?name=xqxq',
  'practitioners?name=',
  'organizations?name=hopital',
  'callback?code=x&state=x',
];

/** Every text of a catalogue; those with something to fill in, with a letter in its place. */
function sentencesOf(messages: unknown): string[] {
  if (typeof messages === 'string') return [messages];
  if (typeof messages === 'function') return [String(messages('x', 'x'))];
  return Object.values(messages as object).flatMap(sentencesOf);
}

describe.each([
  { locale: 'fr', viewport: { width: 390, height: 844 } },
  { locale: 'en', viewport: { width: 1440, height: 900 } },
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

  it('has an accessible browser application', async () => {
    const { page, context } = await newVisitor(on.browser, visitor);
    await signInToBrowserApplication(page, on.service.issuer);
    await page.fill('#name', 'martin');
    await page.click('#search-form button');
    await page.waitForSelector('.card');
    expect(await faultsOf(page)).toEqual([]);
    await context.close();
  });
});

describe('the words of the demo', () => {
  it.each(['fr', 'en'])('name the page and the brand in the title as the service does (%s)', async (language) => {
    const text = await (await fetch(`${on.service.issuer}/demo/?lang=${language}`)).text();
    expect(text).toMatch(/<title>[^<]+ – Mirabelle<\/title>/);
  });

  it('call an e-mail address by one name, and nobody by a form of one sex alone', () => {
    const french = JSON.stringify(fr, (_name, value) => (typeof value === 'function' ? String(value) : value));
    expect(french).not.toMatch(/courriel|adresse électronique|·e|\b(connecté|redirigé|renvoyé)\b/i);
  });

  it('have the no-break spaces of French, and none in English', async () => {
    expect(
      sentencesOf(fr).filter((text) => /(^|[^\u00a0])[;!?»]|[^\u00a0] ?:( |$)|«(?!\u00a0)|[“”"']/.test(text)),
    ).toEqual([]);
    expect(sentencesOf(en).filter((text) => /\u00a0[:;!?]|[«»"']/.test(text))).toEqual([]);
    // In the texts of the page itself, too, and in the notes on people.
    const page = await (await fetch(`${on.service.issuer}/demo/?lang=fr`)).text();
    expect(page.replaceAll(/<[^>]*>/g, '')).not.toMatch(/[^\u00a0][:;!?»](\s|$)(?<!&\w+;.)/m);
  });
});

describe('SEC-30, SEC-31 the demo’s headers', () => {
  it.each([
    ['/demo/', false],
    ['/demo/browser', true],
  ])('%s loads nothing foreign, cannot be framed, sends no referrer', async (path, hasScript) => {
    const { headers } = await fetch(on.service.issuer + path);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(policy.includes("script-src 'self'")).toBe(hasScript);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

describe('the language of the demo', () => {
  it('can be chosen, and stays chosen', async () => {
    const { page, context } = await newVisitor(on.browser, { locale: 'en' });
    await page.goto(`${on.service.issuer}/demo/`);
    await page.click('a.language');
    await page.locator('html[lang=fr]').waitFor();
    await page.goto(`${on.service.issuer}/demo/browser`);
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

  it('is changed on the browser application itself, after a sign-in too', async () => {
    const { page, context } = await newVisitor(on.browser, { locale: 'en' });
    await signInToBrowserApplication(page, on.service.issuer);
    await page.click('a.language');
    await page.locator('html[lang=fr] #sign-in:not([hidden])').waitFor();
    expect(page.url()).toBe(`${on.service.issuer}/demo/browser?lang=fr`);
    await context.close();
  });

  it('never puts a code into a link', async () => {
    const text = await (await fetch(`${on.service.issuer}/demo/browser/callback?code=kept-out&state=x`)).text();
    expect(text).not.toContain('kept-out');
    expect(text).toMatch(/class="language" href="[^"]*\/demo\/browser\?lang=/);
  });
});
