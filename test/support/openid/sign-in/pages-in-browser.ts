// The pages of `sign-in-app.ts` in a real Chromium: how to come to each, and what the browser reports of it.

import { afterAll, beforeAll } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from '#support/browser.ts';
import {
  CODE,
  createSignInApp,
  listen,
  OPERATORS_PASSWORD,
  PASSWORD,
  PERSON,
  type SignInApp,
  waitingRequest,
} from './sign-in-app.ts';

const MISMATCH = "redirect_uri did not match any of the client's registered redirect_uris";

/** An account that has failed too often already. */
const WAITING = 'waiting@cabinet.example';

/** What is wrong: with a form, or beside a field of it. */
export const PROBLEM = '#problem, .field-problem';

/** Every page, and what to do on it before it is looked at. */
export const PAGES: Record<string, { path: string; act?: (page: Page) => Promise<unknown> }> = {
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
  'recovery codes, opened again': {
    path: '/interaction/set-up-4',
    act: async (page) => {
      await comeToRecoveryCodes(page);
      await page.goto(`${server.address}/interaction/set-up-4`);
    },
  },
  'new password': { path: '/interaction/new-password-1', act: comeToNewPassword },
  'new password, too common': {
    path: '/interaction/new-password-2',
    act: async (page) => {
      await comeToNewPassword(page);
      for (const field of ['#new-password', '#new-password-again']) await page.fill(field, 'manchesterunited');
      await page.click('#save-password');
      await page.locator('#new-password-problem').waitFor();
    },
  },
  'choice of an account': { path: '/interaction/choice' },
  'choice of an account of many words': { path: '/interaction/long-choice' },
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
  'expired, of a known application': { path: '/interaction/over' },
  'signed in already': { path: '/interaction/signed-in' },
  'sign-in refused': { path: '/interaction/refused' },
};

export let signInApp: SignInApp;
export let server: Awaited<ReturnType<typeof listen>>;
export let browser: Browser;
/** Errors on the console of the page. */
export let blocked: string[];

/** To be called at the top of a test file: one signInApp and one browser for all of it. */
export function withSignInApp(): void {
  beforeAll(prepare);
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
}

async function prepare(): Promise<void> {
  browser = await openBrowser();
  signInApp = createSignInApp({ limits: { accountFailures: 1000, addressFailures: 1000, failureWindow: 900 } });
  for (let times = 0; times < 1000; times += 1) await signInApp.throttle.begin(WAITING, '192.0.2.1');
  server = await listen(signInApp.app);
  signInApp.requests.set('login', waitingRequest('login'));
  const application = { name: 'Portail patient', home: 'https://portail.example/' };
  for (const outcome of ['over', 'signed-in', 'refused'] as const) {
    signInApp.finished.set(outcome, { outcome, application });
  }
  signInApp.requests.set('consent', waitingRequest('consent', { prompt: 'consent', account: PERSON }));
  const missing = { passwordProved: true, secondFactorRequired: true };
  signInApp.requests.set('second', waitingRequest('second', { ...missing, account: { ...PERSON, id: 'account-2' } }));
  const throttled = { ...missing, account: { ...PERSON, id: 'account-3' } };
  signInApp.requests.set('second-throttled', waitingRequest('second-throttled', throttled));
  signInApp.withSecondFactor.add('account-3');
  for (let times = 0; times < 1000; times += 1) await signInApp.throttle.beginCode('account-3', '192.0.2.2');
  // One each: a browser that has come to the second step of a sign-in is there again when it comes back.
  for (const uid of ['set-up-1', 'set-up-2', 'set-up-3', 'set-up-4']) {
    signInApp.requests.set(uid, waitingRequest(uid, { secondFactorRequired: true }));
  }
  for (const uid of ['new-password-1', 'new-password-2']) signInApp.requests.set(uid, waitingRequest(uid));
  const longWord = 'x'.repeat(60);
  const long = {
    client: { id: 'long', name: `Application ${longWord}` },
    account: { id: 'long', name: `Dr ${longWord}`, email: `${longWord}@${longWord}.example` },
  };
  signInApp.requests.set('long', waitingRequest('long', { ...long, prompt: 'consent', scopes: ['openid', longWord] }));
  signInApp.requests.set('long-choice', waitingRequest('long-choice', { ...long, prompt: 'select_account' }));
  signInApp.requests.set('choice', waitingRequest('choice', { prompt: 'select_account', account: PERSON }));
}

/** Opens a page in a browser context of its own. */
export async function open(
  name: string,
  options: BrowserContextOptions,
  look: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext(options);
  try {
    await openIn(context, name, look);
  } finally {
    await context.close();
  }
}

export async function openIn(
  context: BrowserContext,
  name: string,
  look: (page: Page) => Promise<void>,
): Promise<void> {
  // In the same page as before: only the first of a context has to be made.
  const page = context.pages()[0] ?? (await context.newPage());
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' });
  blocked = [];
  page.removeAllListeners('console');
  page.on('console', (message) => void (message.type() === 'error' && blocked.push(message.text())));
  // Whatever was set up on the page before.
  signInApp.withSecondFactor.delete(PERSON.id);
  const { path, act } = PAGES[name] ?? { path: name };
  // A form that posts itself is under way before the page is complete.
  await page.goto(server.address + path, { waitUntil: path.startsWith('/authorize/form') ? 'commit' : 'load' });
  await act?.(page);
  await look(page);
}

async function meetFullQueue(page: Page): Promise<void> {
  signInApp.busy = true;
  try {
    await fillIn(page, PASSWORD);
  } finally {
    signInApp.busy = false;
  }
}

/** Types a code, and waits until the page has come back with what is wrong. */
async function sendCode(page: Page, field: string, code: string, button = '#verify') {
  await page.fill(field, code);
  await page.click(button);
  await page.locator(PROBLEM).first().waitFor();
}

async function sendRecoveryCode(page: Page) {
  await page.click('summary');
  await sendCode(page, '#recovery', '000000', '#verify-recovery');
}

async function comeToNewPassword(page: Page) {
  await page.fill('#login', PERSON.email);
  await page.fill('#password', OPERATORS_PASSWORD);
  await page.click('#sign-in');
  await page.locator('#save-password').waitFor();
}

export async function comeToSetUp(page: Page) {
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
  await page.locator(PROBLEM).first().waitFor();
}
