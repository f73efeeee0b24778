// Proves in a real Chromium that the pages are accessible (WCAG 2.2 AA as far as axe-core sees), fit every screen, and work
// without any script, under their own policy. The dialogue behind them is that of `stage.ts`.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { SignInRequest } from '../../src/signin/dialogue.ts';
import { keyOfAccount, keyOfSecondFactor } from '../../src/signin/throttle.ts';
import { axeFaults, bringAxe } from '../axe.ts';
import { openBrowser } from '../browser.ts';
import { openCallbacks } from './callbacks.ts';
import { CODE, createStage, listen, PASSWORD, PERSON, RECOVERY_CODES, type Stage, waitingRequest } from './stage.ts';

const MISMATCH = "redirect_uri did not match any of the client's registered redirect_uris";

/** An account that has failed too often already. */
const WAITING = 'waiting@cabinet.example';

/** Every page, and what to do on it before it is looked at. */
const PAGES: Record<string, { path: string; act?: (page: Page) => Promise<unknown> }> = {
  home: { path: '/' },
  'sign-in': { path: '/interaction/login' },
  'sign-in, incomplete': { path: '/interaction/login', act: (page) => fillIn(page, '', '') },
  'sign-in, wrong password': { path: '/interaction/login', act: (page) => fillIn(page, 'wrong') },
  'sign-in, throttled': { path: '/interaction/login', act: (page) => fillIn(page, 'wrong', WAITING) },
  'sign-in, too many at once': { path: '/interaction/login', act: meetFullQueue },
  'second step': { path: '/interaction/second' },
  'second step, wrong code': { path: '/interaction/second', act: (page) => sendCode(page, '#code', '000000') },
  'second step, wrong recovery code': { path: '/interaction/second', act: sendRecoveryCode },
  'second step, throttled': { path: '/interaction/second-throttled', act: (page) => sendCode(page, '#code', CODE) },
  'setting up a second factor': { path: '/interaction/set-up-1', act: setUpUnfolded },
  'setting up, wrong code': {
    path: '/interaction/set-up-2',
    act: async (page) => {
      await comeToSetUp(page);
      await sendCode(page, '#code', '000000', '#set-up');
    },
  },
  'recovery codes': { path: '/interaction/set-up-3', act: comeToRecoveryCodes },
  consent: { path: '/interaction/consent' },
  'consent of many words': { path: '/interaction/long' },
  'answer in a form': { path: '/authorize/form', act: (page) => page.locator('#continue').waitFor() },
  'sign-out': { path: '/logout' },
  'sign-out without client': { path: '/logout/alone' },
  'signed out': { path: '/logout/success' },
  'signed out of a client': { path: '/logout/partly' },
  'nobody to sign out': { path: '/logout/nobody' },
  'sign-out refused': { path: '/logout/refused?session=1' },
  'sign-out refused, nobody signed in': { path: '/logout/refused' },
  error: { path: `/authorize?error=invalid_request&description=${encodeURIComponent(MISMATCH)}` },
  'error of a callback': { path: '/authorize/callback' },
  expired: { path: '/interaction/unknown' },
};

let stage: Stage;
let server: Awaited<ReturnType<typeof listen>>;
let browser: Browser;
let blocked: string[];

beforeAll(async () => {
  browser = await openBrowser();
  stage = createStage({ limits: { accountFailures: 1000, addressFailures: 1000, failureWindow: 900 } });
  stage.failures.set(keyOfAccount(WAITING), 1000);
  server = await listen(stage.app);
  stage.requests.set('login', waitingRequest('login'));
  stage.requests.set('consent', waitingRequest('consent', { prompt: 'consent', account: PERSON }));
  const missing = { passwordProved: true, secondFactorRequired: true };
  stage.requests.set('second', waitingRequest('second', { ...missing, account: { ...PERSON, id: 'account-2' } }));
  const throttled = { ...missing, account: { ...PERSON, id: 'account-3' } };
  stage.requests.set('second-throttled', waitingRequest('second-throttled', throttled));
  stage.withSecondFactor.add('account-3');
  stage.failures.set(keyOfSecondFactor('account-3'), 1000);
  // One each: a browser that has come to the second step of a sign-in is there again when it comes back.
  for (const uid of ['set-up-1', 'set-up-2', 'set-up-3']) {
    stage.requests.set(uid, waitingRequest(uid, { secondFactorRequired: true }));
  }
  const longWord = 'x'.repeat(60);
  stage.requests.set(
    'long',
    waitingRequest('long', {
      prompt: 'consent',
      client: { id: 'long', name: `Application ${longWord}` },
      account: { id: 'long', name: `Dr ${longWord}`, email: `${longWord}@${longWord}.example` },
      scopes: ['openid', longWord],
    }),
  );
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

/** Opens a page in a browser context of its own. */
async function open(name: string, options: BrowserContextOptions, look: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext(options);
  try {
    await openIn(context, name, look);
  } finally {
    await context.close();
  }
}

async function openIn(context: BrowserContext, name: string, look: (page: Page) => Promise<void>): Promise<void> {
  // In the same page as before: only the first of a context has to be made.
  const page = context.pages()[0] ?? (await context.newPage());
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' });
  blocked = [];
  page.removeAllListeners('console');
  page.on('console', (message) => void (message.type() === 'error' && blocked.push(message.text())));
  // Whatever was set up on the page before.
  stage.withSecondFactor.delete(PERSON.id);
  const { path, act } = PAGES[name] ?? { path: name };
  // A form that posts itself is under way before the page is complete.
  await page.goto(server.address + path, { waitUntil: path.startsWith('/authorize/form') ? 'commit' : 'load' });
  await act?.(page);
  await look(page);
}

async function meetFullQueue(page: Page): Promise<void> {
  stage.busy = true;
  try {
    await fillIn(page, PASSWORD);
  } finally {
    stage.busy = false;
  }
}

/** Types a code, and waits until the page has come back with what is wrong. */
async function sendCode(page: Page, field: string, code: string, button = '#verify') {
  await page.fill(field, code);
  await page.click(button);
  await page.locator('#problem').waitFor();
}

async function sendRecoveryCode(page: Page) {
  await page.click('summary');
  await sendCode(page, '#recovery', '000000');
}

async function comeToSetUp(page: Page) {
  await page.fill('#login', PERSON.email);
  await page.fill('#password', PASSWORD);
  await page.click('#sign-in');
  await page.locator('#set-up').waitFor();
}

async function setUpUnfolded(page: Page) {
  await comeToSetUp(page);
  await page.click('summary');
}

async function comeToRecoveryCodes(page: Page) {
  await comeToSetUp(page);
  await page.fill('#code', CODE);
  await page.click('#set-up');
  await page.locator('#continue').waitFor();
}

/** Sends the sign-in form, and waits until the page has come back with what is wrong. */
async function fillIn(page: Page, password: string, login = PERSON.email) {
  await page.fill('#login', login);
  await page.fill('#password', password);
  await page.click('#sign-in');
  await page.locator('#problem').waitFor();
}

const ALL_RULES = "{ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }";

describe.each(['fr', 'en'])('in the language %s', (locale) => {
  let context: BrowserContext;
  beforeAll(async () => {
    context = await browser.newContext({ locale });
    await bringAxe(context);
  });
  afterAll(() => context.close());

  it.each(Object.keys(PAGES))('%s: no fault that axe-core sees, light and dark, on screens small and large', (name) =>
    openIn(context, name, async (page) => {
      for (const width of [320, 390, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
      }
      expect(await axeFaults(page, ALL_RULES)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
      expect(await axeFaults(page, "{ runOnly: ['color-contrast'] }")).toEqual([]);
      expect(await page.getAttribute('html', 'lang')).toBe(locale);
      expect(await page.locator('h1').count()).toBe(1);
      expect(blocked.filter((text) => /content security policy/i.test(text))).toEqual([]);
    }),
  );
});

const SMALL_TARGETS = `[...document.querySelectorAll('button, input:not([type=hidden]), nav a, .button, .cards a')]
  .map((target) => [target.outerHTML, target.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < 44 || height < 44)
  .map(([text, { width, height }]) => text + ' ' + width + 'x' + height)`;

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

/** The dialogue has sent the browser on, and it has arrived. */
async function atTheEnd(page: Page): Promise<void> {
  await page.locator('h1', { hasText: 'The dialogue goes on' }).waitFor();
}

describe('the two answers to a sign-out', () => {
  it.each(['fr', 'en'])('have a line each where there is room for one (%s)', (locale) =>
    open('sign-out', { locale, viewport: { width: 1280, height: 800 } }, async (page) => {
      const boxes = await Promise.all(['#sign-out', '#stay'].map((answer) => page.locator(answer).boundingBox()));
      expect(boxes.map((box) => box?.height)).toEqual([50, 50]);
    }),
  );
});

describe('without script', () => {
  const scriptless = { locale: 'fr', javaScriptEnabled: false };

  it('a person signs in, in the language of choice, by keyboard alone', async () => {
    stage.told.length = 0;
    await open('sign-in', scriptless, async (page) => {
      await page.click('text=English');
      await page.locator('html[lang=en] #login:focus').waitFor();
      await page.keyboard.type(PERSON.email);
      await page.keyboard.press('Tab');
      await page.keyboard.type(PASSWORD);
      await page.keyboard.press('Enter');
      await atTheEnd(page);
    });
    expect(stage.told).toEqual(['signed in account-1']);
  });

  it('a second factor is set up, and shown at the second step, by keyboard alone', async () => {
    stage.told.length = 0;
    await open('/interaction/set-up-1', scriptless, async (page) => {
      await comeToSetUp(page);
      await page.focus('#code');
      await page.keyboard.type(CODE);
      await page.keyboard.press('Enter');
      await page.locator('.recovery-codes').waitFor();
      await page.focus('#continue');
      await page.keyboard.press('Enter');
      await atTheEnd(page);
    });
    await open('/interaction/second', scriptless, async (page) => {
      await page.locator('#code:focus').waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      await page.locator('#recovery:focus').waitFor();
      await page.keyboard.type(RECOVERY_CODES[0] ?? '');
      await page.keyboard.press('Enter');
      await atTheEnd(page);
    });
    expect(stage.told).toEqual(['signed in account-1 with two factors', 'signed in account-2 with two factors']);
  });

  it('an answer in a form goes on by a button, and by itself where scripts run', async () => {
    const callbacks = await openCallbacks();
    try {
      for (const javaScriptEnabled of [false, true]) {
        callbacks.asked.length = 0;
        await open(
          `/authorize/form?to=${callbacks.address}/callback`,
          { ...scriptless, javaScriptEnabled },
          async (page) => {
            if (!javaScriptEnabled) {
              expect(await page.locator('main').textContent()).toContain('appuyez sur Continuer');
              await page.click('#continue');
            }
            await page.waitForURL(`${callbacks.address}/callback`);
          },
        );
        expect(callbacks.asked).toEqual(['/callback']);
        expect(blocked).toEqual([]);
      }
    } finally {
      await callbacks.close();
    }
  });

  it.each([
    ['#allow', 'allowed'],
    ['#refuse', 'refused'],
    ['#other-account', 'other account'],
  ])('consent is answered with %s', async (button, told) => {
    stage.told.length = 0;
    await open('consent', scriptless, async (page) => {
      await page.click(button);
      await atTheEnd(page);
    });
    expect(stage.told).toEqual([told]);
  });

  it('after a wrong password the login stays, and typing goes on in the password', async () => {
    await open('sign-in, wrong password', scriptless, async (page) => {
      await page.locator('#password:focus').waitFor();
      expect(await page.inputValue('#login')).toBe(PERSON.email);
      await page.keyboard.type(PASSWORD);
      expect(await page.inputValue('#password')).toBe(PASSWORD);
      expect(await page.title()).toBe('Un problème est survenu – Connexion – Hygie');
    });
  });
});

describe('SEC-31 the policy for forms, as Chromium holds the chain of redirects against it', () => {
  let callbacks: { address: string; asked: string[]; close(): Promise<void> };
  beforeAll(async () => {
    callbacks = await openCallbacks();
  });
  afterAll(() => callbacks.close());

  /** Which paths of the client the browser asked for, from the consent to where it arrived or was stopped. */
  async function allowAndFollow(next: string, request: Partial<SignInRequest>): Promise<string[]> {
    callbacks.asked.length = 0;
    stage.requests.set('chain', waitingRequest('chain', { prompt: 'consent', ...request }));
    stage.next = next;
    await open('/interaction/chain', {}, async (page) => {
      const stopped = page.waitForEvent('console', (message) => message.text().includes('form-action'));
      const arrived = page.waitForURL((url) => url.host !== new URL(server.address).host);
      await page.click('#allow', { noWaitAfter: true });
      await Promise.any([stopped, arrived]);
      // The other one ends with the page; nobody waits for it any more.
      Promise.allSettled([stopped, arrived]);
    });
    return callbacks.asked;
  }

  it('the browser reaches the callback of the client', async () => {
    const callback = `${callbacks.address}/callback`;
    expect(await allowAndFollow(callback, { callback })).toEqual(['/callback']);
  });

  it('and whatever other address of the client the callback sends it on to', async () => {
    const callback = `${callbacks.address}/callback`;
    const home = `${callbacks.address.replace('127.0.0.1', 'localhost')}/home`;
    const onward = `${callback}?to=${home}`;
    expect(await allowAndFollow(onward, { callback, addresses: [home] })).toEqual(['/callback', '/home']);
    expect(await allowAndFollow(onward, { callback })).toEqual(['/callback']);
    expect(blocked.join()).toMatch(/form-action/);
  });

  it('and no other place', async () => {
    expect(await allowAndFollow(`${callbacks.address}/callback`, {})).toEqual([]);
    expect(blocked.join()).toMatch(/form-action/);
  });
});
