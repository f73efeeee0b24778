// The reference in a real Chromium: its choices work without a script, and the script adds copies, a filter and the mark of the current chapter.

import { describe, expect, it } from '@jest/globals';
import { newVisitor, withDemo } from '#support/demo/visitor.ts';
import { openTryPage } from '#support/directory/try-page.ts';

const on = withDemo();

describe('the reference', () => {
  it.each([true, false])(
    'shows code in the chosen language, and one of two ways to begin (scripts: %s)',
    async (scripts) => {
      const { page, context, errors } = await newVisitor(on.browser, { javaScriptEnabled: scripts });
      await page.goto(`${on.service.issuer}/directory/docs`);
      const shown = () =>
        page
          .locator('pre[data-language]:visible')
          .evaluateAll((all) => [...new Set(all.map((one) => one.getAttribute('data-language')))]);
      expect(await shown()).toEqual(['curl']);
      await page.focus('#in-curl');
      await page.keyboard.press('ArrowRight');
      expect(await shown()).toEqual(['javascript']);
      expect(await page.locator('[data-way=registered]').isVisible()).toBe(false);
      await page.check('#way-registered');
      expect(await page.locator('[data-way=registered]').isVisible()).toBe(true);
      expect(await page.locator('[data-way=machine]').isVisible()).toBe(false);
      expect(await page.locator('#filter').isVisible()).toBe(scripts);
      expect(await page.locator('.copy').count()).toBe(scripts ? await page.locator('.chapters pre').count() : 0);
      expect(errors).toEqual([]);
      await context.close();
    },
  );

  it('copies code, filters criteria, and marks the chapter that is read', async () => {
    const { page, context } = await newVisitor(on.browser, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(`${on.service.issuer}/directory/docs`);
    await page.locator('.copy:visible').first().click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('npm ci && npm start');
    await page.locator('.copy', { hasText: 'Copied' }).waitFor();
    await page.fill('#filter', 'Maïlbox');
    const rows = page.locator('table.parameters tbody tr:visible');
    expect(await rows.count()).toBeGreaterThan(1);
    for (const text of await rows.allTextContents()) expect(text.toLowerCase()).toContain('mailbox');
    expect(await page.textContent('#filtered')).toBe(`parameters: ${await rows.count()}`);
    expect(await page.locator('#start').isVisible()).toBe(false);
    await page.fill('#filter', '');
    expect(await page.locator('#start').isVisible()).toBe(true);
    await page.click('.contents a[href="#errors"]');
    await page.locator('.contents a[href="#errors"][aria-current=true]').waitFor();
    expect(await page.locator('.contents a[aria-current]').count()).toBe(1);
    // On a high screen, the end of one chapter and the beginning of the next one are both where a person reads.
    await page.setViewportSize({ width: 1280, height: 1600 });
    await page.evaluate(
      "scrollBy(0, document.getElementById('limits').getBoundingClientRect().top - innerHeight * 0.24)",
    );
    await page.locator('.contents a[href="#limits"][aria-current=true]').waitFor();
    await page.click('.contents a[href="#errors"]');
    await page.locator('.contents a[href="#errors"][aria-current=true]').waitFor();
    await context.close();
  });

  it('an example leads to the page to try it, with its query', async () => {
    const { page, context } = await newVisitor(on.browser);
    await page.goto(`${on.service.issuer}/directory/docs`);
    await page.click('#Organization .parameters a[href*="address-city="]');
    await page.waitForSelector('#try:not([hidden])');
    expect(await page.inputValue('#request')).toMatch(/^Organization\?address-city=\w/);
    await context.close();
  });
});

describe('a failure on the French page to try the directory', () => {
  it.each([
    ['CodeSystem?_count=1', '/directory/v2/', undefined, /^Le service n’a pas répondu/],
    ['CodeSystem?_count=1', '/directory/v2/', { status: 502, body: 'Bad Gateway' }, /^La requête n’a pas abouti$/],
    [
      'Practitioner?name=m',
      '/.well-known/',
      { status: 500, body: '{}' },
      /^La connexion n’a pas abouti.*annuaire\. .*response/,
    ],
  ])('of %s, at %s with %j, is told in French', async (request, path, answer, told) => {
    const { page, context } = await newVisitor(on.browser, { locale: 'fr' });
    await openTryPage(page, on.service.issuer, request);
    await page.route(`${on.service.issuer}${path}**`, (route) => (answer ? route.fulfill(answer) : route.abort()));
    await page.click('#send');
    await page.locator('#problem:not([hidden]), #issues strong', { hasText: told }).first().waitFor();
    await context.close();
  });
});
