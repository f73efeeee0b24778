// The fields of the forms in a real Chromium: what is wrong stays on a phone's screen beside its field, a password can be shown, a new one is
// rated, and recovery codes are kept before the sign-in goes on.

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { browser, open, openIn, PROBLEM, withSignInApp } from '#support/openid/sign-in/pages-in-browser.ts';
import { PASSWORD, PERSON, RECOVERY_CODES } from '#support/openid/sign-in/sign-in-app.ts';

withSignInApp();

/** What is left of a phone's screen above its keyboard. */
const ABOVE_KEYBOARD = { width: 390, height: 600 };

/** Whether all of it is on the screen. */
const isOnScreen = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element: { getBoundingClientRect(): { top: number; bottom: number } }) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= 600;
  });

describe('15.1 what is wrong stays in sight, beside its field', () => {
  let context: BrowserContext;
  beforeAll(async () => {
    context = await browser.newContext({ locale: 'fr', viewport: ABOVE_KEYBOARD });
  });
  afterAll(() => context.close());

  it.each([
    ['sign-in, wrong password', 'password'],
    ['second step, wrong code', 'code'],
    ['second step, wrong recovery code', 'recovery'],
    ['setting up, wrong code', 'code'],
    ['new password, too common', 'new-password'],
  ])('%s: label, problem and field %s are on the screen, the border is red while it has the focus', (name, field) =>
    openIn(context, name, async (page) => {
      await page.locator(`#${field}:focus`).waitFor();
      for (const part of [`label[for=${field}]`, `#${field}-problem`, `#${field}`]) {
        expect([part, await isOnScreen(page, part)]).toEqual([part, true]);
      }
      const input = page.locator(`#${field}`);
      expect(await input.getAttribute('aria-invalid')).toBe('true');
      expect((await input.getAttribute('aria-describedby'))?.split(' ')).toContain(`${field}-problem`);
      const [border, problem] = await page.evaluate<string[]>(
        `['${field}', '${field}-problem'].map((id) => getComputedStyle(document.getElementById(id)))
          .map(({ borderTopColor, color }, index) => (index ? color : borderTopColor))`,
      );
      expect(border).toBe(problem);
    }),
  );

  it.each(['sign-in, throttled', 'second step, throttled'])(
    '%s: the notice has the focus and is on the screen',
    (name) =>
      openIn(context, name, async (page) => {
        await page.locator('#problem:focus').waitFor();
        expect(await isOnScreen(page, '#problem')).toBe(true);
      }),
  );

  it('where two fields fail, a summary leads to each', () =>
    openIn(context, 'sign-in', async (page) => {
      await page.click('#sign-in');
      await page.locator('#login:focus').waitFor();
      expect(await page.locator(PROBLEM).count()).toBe(3);
      await page.click('#problem a[href="#password"]');
      await page.locator('#password:focus').waitFor();
      expect(await isOnScreen(page, '#password-problem')).toBe(true);
    }));
});

describe('15.5 a typed password can be shown', () => {
  const shown = async (page: Page) =>
    [await page.getAttribute('#password', 'type'), await page.getAttribute('.show-password', 'aria-pressed')].join();

  it('and hidden again; it is sent as a password', () =>
    open('sign-in', { locale: 'fr' }, async (page) => {
      await page.fill('#password', PASSWORD);
      await page.click('.show-password');
      expect(await shown(page)).toBe('text,true');
      expect([await page.inputValue('#password'), await page.locator('#sign-in').count()]).toEqual([PASSWORD, 1]);
      await page.click('.show-password');
      expect(await shown(page)).toBe('password,false');
      await page.click('.show-password');
      await page.evaluate(`document.addEventListener('submit', (event) => event.preventDefault())`);
      await page.click('#sign-in');
      expect(await shown(page)).toBe('password,false');
    }));

  it('without script there is no such button', () =>
    open('sign-in', { locale: 'fr', javaScriptEnabled: false }, async (page) => {
      expect(await page.locator('.show-password').isVisible()).toBe(false);
    }));
});

it('15.5 a new password is rated while it is typed', () =>
  open('new password', { locale: 'en' }, async (page) => {
    for (const [typed, said] of [
      ['short', 'Too short: 5 of 12 characters'],
      [PERSON.email, 'your name or your address'],
      ['azertyuiop123456', 'a sequence or a repetition'],
      ['tortuetortuetortue', 'a sequence or a repetition'],
      ['tortue-verte', 'Fair'],
      ['tortue violette', 'Strong'],
      ['tortue violette sous un parapluie', 'Very strong'],
    ] as const) {
      await page.fill('#new-password', typed);
      await page.locator('#strength [role=status]', { hasText: said }).waitFor();
    }
    await page.fill('#new-password', '');
    expect(await page.locator('#strength').isVisible()).toBe(false);
  }));

it('15.5 where an app is set up, the button that opens it stands above the QR code on a phone, and below it on a desktop', () =>
  open('/interaction/set-up-1', { locale: 'fr', viewport: ABOVE_KEYBOARD }, async (page) => {
    await page.fill('#login', PERSON.email);
    await page.fill('#password', PASSWORD);
    await page.click('#sign-in');
    for (const [width, above] of [
      [390, true],
      [1440, false],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      const [button, code] = await Promise.all(['.open-app', '.qr'].map((part) => page.locator(part).boundingBox()));
      expect([width, (button?.y ?? 0) < (code?.y ?? 0)]).toEqual([width, above]);
    }
    // It says beforehand what follows.
    expect(await page.locator('form .fine').textContent()).toContain('une seule fois');
  }));

it('recovery codes are printed with whose they are and nothing else, copied, downloaded, and kept before the sign-in goes on', () =>
  open('recovery codes', { locale: 'en', permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    const codes = RECOVERY_CODES.join('\n');
    await page.click('#copy-codes');
    await page.locator('[role=status]', { hasText: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(codes);

    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#download-codes')]);
    expect(download.suggestedFilename()).toBe('recovery-codes-hygie.txt');
    const text = await readFile(await download.path(), 'utf8');
    const [title, account, day, address, ...rest] = text.split('\r\n');
    expect([title, account]).toEqual(['Hygie – Recovery codes', `Account: ${PERSON.email}`]);
    expect(day).toMatch(/^Created on \d{1,2}\u00a0\w+\u00a0\d{4}$/);
    expect(address).toBe('For signing in at localhost');
    expect(rest).toEqual(['', ...RECOVERY_CODES, '']);

    await page.evaluate('window.print = () => { document.title = "printed"; }');
    await page.click('#print-codes');
    expect(await page.title()).toBe('printed');
    await page.emulateMedia({ media: 'print' });
    const printed = await page.evaluate<string>(
      `[...document.body.querySelectorAll('*')].filter((one) => one.children.length === 0 && one.checkVisibility({ visibilityProperty: true }))
          .map((one) => one.textContent.trim()).filter(Boolean).join('\\n')`,
    );
    expect(printed).toBe([title, account, day, address, codes].join('\n'));
    await page.emulateMedia({ media: 'screen' });

    await page.click('#continue');
    await page.locator('#saved:focus').waitFor();
    await page.check('#saved');
    await page.click('#continue');
    await page.locator('h1', { hasText: 'The sign-in goes on' }).waitFor();
  }));
