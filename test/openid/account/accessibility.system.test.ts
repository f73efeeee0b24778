// The account pages in a real Chromium: accessible (WCAG 2.2 AA as far as axe-core sees), fit for every screen, usable by
// keyboard alone and without any script.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import jsqr from 'jsqr';
import { Secret, TOTP, URI } from 'otpauth';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openConsents } from '#store/oidc/consents.ts';
import { addAxe, expectAccessible } from '#support/axe.ts';
import { openBrowser } from '#support/browser.ts';
import { credentialsOf, idOf } from '#support/openid/account/person-of-account.ts';
import { type RunningService, startService } from '#support/service.ts';

const SUPPORT = { supportUrl: 'https://aide.example/', privacyUrl: 'https://aide.example/donnees' };

let service: RunningService;
let browser: Browser;
beforeAll(async () => {
  service = await startService({
    adjust: (settings) => ({ ...settings, branding: { ...settings.branding, ...SUPPORT } }),
  });
  browser = await openBrowser();
  const consents = openConsents(service.database);
  for (const index of [0, 1, 2]) {
    await consents.give(idOf(index), 'server', ['openid', 'email', 'profile', 'PRACTITIONER_READ'], 1);
    await consents.give(idOf(index), 'narrow', ['openid'], 1);
  }
});
afterAll(async () => {
  await browser.close();
  await service.stop();
});

const open = (page: Page, path = '') => page.goto(`${service.issuer}/account${path}`);

async function signIn(page: Page, index: number): Promise<void> {
  await open(page);
  await page.fill('#login', credentialsOf(index).login);
  await page.fill('#password', credentialsOf(index).password);
  await page.click('#sign-in');
  await page.locator('#sign-out').waitFor();
}

async function keyOn(page: Page): Promise<TOTP> {
  const address = await page.locator('a[href^="otpauth:"]').getAttribute('href');
  const secret = new URL(address ?? '').searchParams.get('secret') ?? '';
  return new TOTP({ secret: Secret.fromBase32(secret) });
}

async function send(page: Page, fields: Record<string, string>, button: string, then: string): Promise<void> {
  for (const [field, value] of Object.entries(fields)) await page.fill(field, value);
  await page.click(button);
  await page.locator(then).waitFor();
}

async function unfold(page: Page): Promise<void> {
  await page.locator('details:not([open]) summary').first().click();
}

/** Of no authenticator: it is to be seen only. */
async function givePasskey(index: number, credential = 'x', id = idOf(index)): Promise<void> {
  const texts = { transports: '[]', aaguid: '', name: 'Mon téléphone', user_handle: 'x', public_key: 'x' };
  const row = { id, account_id: idOf(index), credential_id: `${credential}${index}`, ...texts };
  await service.database('passkeys').insert({ ...row, counter: 0, synced: false, created_at: 1 });
}

/** What is left of a phone's screen above its keyboard. */
const ABOVE_KEYBOARD = { width: 390, height: 600 };

/** Whether the first problem of a field is on that screen, and above its field, which has the focus (15.1); or there is none. */
const PROBLEM_IN_SIGHT = `(() => {
  const problem = document.querySelector('.field-problem');
  if (!problem) return true;
  const [above, field] = [problem, document.activeElement].map((element) => element.getBoundingClientRect());
  return document.activeElement.matches('input') && above.top >= 0 && above.bottom <= field.top && field.bottom <= 600;
})()`;

/** The pages one after the other, in the order in which a person meets them. */
const PAGES: Record<string, (page: Page, index: number) => Promise<unknown>> = {
  profile: (page) => open(page),
  'security, without a second factor': (page) => open(page, '/security'),
  'changing the password': (page) => open(page, '/password'),
  'changing the password, wrong one': (page) =>
    send(
      page,
      { '#password': 'x', '#new-password': 'tortue violette 87', '#new-password-again': 'tortue violette 87' },
      '#save-password',
      '#password-problem',
    ),
  sessions: (page) => open(page, '/sessions'),
  'signing out elsewhere': (page) => open(page, '/sessions/others'),
  'signed out elsewhere': (page) => send(page, {}, '#end-sessions', '#done'),
  'setting up': async (page) => {
    await open(page, '/security');
    await page.click('#add-second-factor');
    await unfold(page);
  },
  'setting up, wrong code': (page) => send(page, { '#code': '12' }, '#set-up', '#code-problem'),
  'recovery codes': async (page) => send(page, { '#code': (await keyOn(page)).generate() }, '#set-up', '#continue'),
  'security, with a second factor': async (page) => {
    await page.check('#saved');
    await send(page, {}, '#continue', '#done');
  },
  'recovery codes, opened again': (page) => open(page, '/second-factor/recovery-codes/saved'),
  'security, once more': (page) => open(page, '/security'),
  'new recovery codes': (page) => page.click('#new-recovery-codes'),
  'new recovery codes, wrong recovery code': async (page) => {
    await unfold(page);
    await send(page, { '#recovery': 'wrong' }, '#renew-recovery', '#recovery-problem');
  },
  removal: (page) => open(page, '/second-factor/remove'),
  activity: (page) => open(page, '/activity'),
  applications: (page) => open(page, '/applications'),
  'an access withdrawn': async (page) => {
    await page.click('li:has(#withdraw-narrow) summary');
    await send(page, {}, '#withdraw-narrow', '#done');
  },
  'editing the profile, wrong': async (page) => {
    await open(page, '/profile');
    await send(page, { '#name': '', '#nickname': '--' }, '#save-profile', '#name-problem');
  },
  'own data': (page) => open(page, '/data'),
  'the place of work, none chosen': async (page) => {
    await open(page, '/workspace');
    await page.evaluate("document.querySelector(':checked').checked = false");
    await send(page, {}, '#save-workspace', '#workspace-problem');
  },
  'a passkey without a name': async (page, index) => {
    await givePasskey(index);
    await open(page, '/passkeys');
    await unfold(page);
    await send(page, { '.passkeys [name=name]': '' }, 'details[open] button', '.passkeys .field-problem');
  },
  'two passkeys, names without a blank': async (page, index) => {
    await open(page, '/profile');
    await send(page, { '#name': 'W'.repeat(200) }, '#save-profile', '#done');
    await givePasskey(index, 'other', randomUUID());
    await open(page, '/passkeys');
    await unfold(page);
    await send(page, { '.passkeys [name=name]': 'W'.repeat(60) }, 'details[open] button', '#done');
    await unfold(page);
    await unfold(page);
  },
  problem: async (page) => {
    await page.context().clearCookies();
    await open(page, '/signed-in?state=of-nobody');
  },
};

describe.each([
  ['fr', 0],
  ['en', 1],
] as const)('in the language %s', (locale, index) => {
  let context: BrowserContext;
  let page: Page;
  let blocked: string[];
  beforeAll(async () => {
    context = await browser.newContext({ locale });
    await addAxe(context);
    page = await context.newPage();
    page.on('console', (message) => void (message.type() === 'error' && blocked.push(message.text())));
    await signIn(page, index);
  });
  afterAll(() => context.close());

  it.each(Object.keys(PAGES))('%s: no problem to be seen, on screens small and large', async (name) => {
    blocked = [];
    await page.setViewportSize(ABOVE_KEYBOARD);
    await PAGES[name]?.(page, index);
    expect(await page.evaluate(PROBLEM_IN_SIGHT)).toBe(true);
    await expectAccessible(page, locale);
    expect(blocked.filter((text) => /content security policy/i.test(text))).toEqual([]);
  });
});

describe('without script, by keyboard alone', () => {
  /** Goes to an element with the key that everybody has for it. */
  async function tabTo(page: Page, selector: string): Promise<void> {
    const there = page.locator(`${selector}:focus`);
    for (let presses = 0; presses < 40 && (await there.count()) === 0; presses += 1) await page.keyboard.press('Tab');
    expect(await there.count()).toBe(1);
  }
  const press = async (page: Page, selector: string, then: string) => {
    await tabTo(page, selector);
    await page.keyboard.press('Enter');
    await page.locator(then).waitFor();
  };
  const type = async (page: Page, selector: string, text: string) => {
    await tabTo(page, selector);
    await page.keyboard.type(text);
  };

  it('a person sets up an app by its QR code, withdraws an access and removes the second factor again', async () => {
    const context = await browser.newContext({ locale: 'fr', javaScriptEnabled: false });
    const page = await context.newPage();
    try {
      await open(page);
      await page.locator('#login:focus').waitFor();
      await page.keyboard.type(credentialsOf(2).login);
      await type(page, '#password', credentialsOf(2).password);
      await page.keyboard.press('Enter');
      // Who cannot create a passkey here is not warned of what one changes.
      await press(page, 'a[href="/account/security"]', '#passkeys-page');
      await press(page, '#passkeys-page', '[data-without-passkey]');
      expect([await page.locator('.caution').count(), await page.locator('.caution').isVisible()]).toEqual([1, false]);
      await press(page, 'a[href="/account/security"]', '#add-second-factor');

      await press(page, '#add-second-factor', '.qr');
      const app = URI.parse((await readQrCode(browser, page)) ?? '') as TOTP;
      expect([app.issuer, app.label]).toEqual(['Hygie', credentialsOf(2).login]);
      // A wrong code: typing goes on in the field.
      await type(page, '#code', '12');
      await page.keyboard.press('Enter');
      await page.locator('#code-problem').waitFor();
      await page.locator('#code:focus').waitFor();
      await page.keyboard.type(app.generate());
      await page.keyboard.press('Enter');
      await page.locator('.recovery-codes').waitFor();
      const codes = await page.locator('.recovery-codes code').allTextContents();
      expect(codes).toHaveLength(8);

      await tabTo(page, '#saved');
      await page.keyboard.press('Space');
      await press(page, '#continue', '#remove-second-factor');
      // What was done is read first, and said once.
      await press(page, 'a[href="/account/applications"]', 'li:has(#withdraw-narrow) summary');
      await press(page, 'li:has(#withdraw-narrow) summary', '#withdraw-narrow');
      await press(page, '#withdraw-narrow', '#done:focus');
      expect(await page.locator('#done').textContent()).toContain('Peu de droits');
      expect(await page.locator('#withdraw-narrow').count()).toBe(0);

      await press(page, 'a[href="/account/security"]', '#remove-second-factor');
      await press(page, '#remove-second-factor', '#code:focus');
      await press(page, 'summary', 'details[open]');
      await type(page, '#recovery', codes[0] ?? '');
      await page.keyboard.press('Enter');
      await page.locator('#done:focus').waitFor();
      expect(await page.locator('#add-second-factor').count()).toBe(1);

      await press(page, '#sign-out', 'h1:has-text("Votre session est fermée")');
    } finally {
      await context.close();
    }
  });
});

// The module is CommonJS; its types are not.
const readCode = jsqr as unknown as typeof jsqr.default;

/** The text of the QR code, read from its pixels as a telephone does; undefined when it cannot be read. */
async function readQrCode(browser: Browser, page: Page): Promise<string | undefined> {
  const picture = (await page.locator('.qr').screenshot()).toString('base64');
  // By another page, where scripts run and no policy stands in the way.
  const reader = await browser.newPage();
  try {
    const { pixels, width, height } = await reader.evaluate<{
      pixels: string;
      width: number;
      height: number;
    }>(`(async () => {
      const file = await (await fetch('data:image/png;base64,${picture}')).blob();
      const image = await createImageBitmap(file);
      const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
      canvas.drawImage(image, 0, 0);
      const { data, width, height } = canvas.getImageData(0, 0, image.width, image.height);
      return { pixels: Array.from(data, (part) => String.fromCharCode(part)).join(''), width, height };
    })()`);
    const bytes = Uint8ClampedArray.from(Buffer.from(pixels, 'latin1'));
    return readCode(bytes, width, height)?.data;
  } finally {
    await reader.close();
  }
}
