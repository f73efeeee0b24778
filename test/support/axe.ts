// Accessibility checks in the pages of a test's browser: axe-core with the rules that are checked, and the size of controls.
// axe-core is loaded once for a context: sending it anew to each page takes three times as long as the check.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';

export const ALL_RULES = "{ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }";
export const CONTRAST = "{ runOnly: ['color-contrast'] }";

/** Every kind of control on the pages of sign-in and account. */
const CONTROLS =
  'button, summary, input:not([type=hidden], [hidden], label *), label:has(input), nav a, .button, .action, .cards a';

/** The elements smaller than 44 x 44 pixels among those that `selectors` match, as `html width x height`. */
export function smallTargets(page: Page, selectors = CONTROLS): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selectors)})]
    .map((target) => [target.outerHTML, target.getBoundingClientRect()])
    .filter(([, { width, height }]) => width < 44 || height < 44)
    .map(([text, { width, height }]) => text + ' ' + width + 'x' + height)`);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Every page that the context opens from now on can be checked; axe itself is loaded by the first check. */
export async function addAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: `globalThis.loadAxe = () => { if (!globalThis.axe) { ${AXE} } };` });
}

/** The violations that axe finds, as `rule: elements`. `options` and `within` are JavaScript, as `axe.run` takes them. */
export function axeViolations(page: Page, options = '{}', within = 'document'): Promise<string[]> {
  return page.evaluate(`(loadAxe(), axe.run(${within}, { ...${options}, resultTypes: ['violations'] })).then(
    ({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`);
}

/** The elements with an icon that forced colours paint like the page. */
const UNSEEN_ICONS = `[...document.querySelectorAll('body *')].flatMap((element) => ['::before', '::after']
  .map((part) => [part, getComputedStyle(element, part)])
  .filter(([, { content, maskImage, backgroundColor }]) => content !== 'none' && maskImage !== 'none'
    && backgroundColor === getComputedStyle(document.body).backgroundColor)
  .map(([part]) => element.className + part))`;

/** Names that several of these have: who hears one of them does not know which it is. */
const SAME_NAMES = `[...document.querySelectorAll('.show-password, summary')].filter((button) => button.checkVisibility())
  .map((button) => button.ariaLabel ?? button.textContent).filter((name, index, all) => all.indexOf(name) < index)`;

/** Doubles the size of the text, as people can in a browser (WCAG 2.2, 1.4.4). */
const LARGE_TEXT = `(() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('html { font-size: 200% }');
  document.adoptedStyleSheets = [sheet];
})()`;

/** Expects that a page fits small and large screens, and that axe finds nothing on it, light and dark, in its French form. */
export async function expectAccessible(page: Page, locale: string): Promise<void> {
  for (const width of [320, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect(await smallTargets(page)).toEqual([]);
  }
  await page.setViewportSize({ width: 390, height: 800 });
  await page.evaluate(LARGE_TEXT);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  await page.evaluate('document.adoptedStyleSheets = []');
  // Elements and colours are the same in every language; lengths are not.
  if (locale === 'fr') {
    expect(await axeViolations(page, ALL_RULES)).toEqual([]);
    expect(await page.evaluate(SAME_NAMES)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    expect(await axeViolations(page, CONTRAST)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference', forcedColors: 'active' });
    expect(await page.evaluate(UNSEEN_ICONS)).toEqual([]);
    await page.emulateMedia({ forcedColors: 'none' });
  }
  expect(await page.getAttribute('html', 'lang')).toBe(locale);
  expect(await page.locator('h1').count()).toBe(1);
}
