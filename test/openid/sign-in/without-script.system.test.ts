// The pages in a real Chromium without any script, by keyboard, and under their own content security policy.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { InteractionDetails } from '#openid/sign-in/describe-interaction.ts';
import { openCallbacks } from '#support/openid/sign-in/callbacks.ts';
import {
  blocked,
  comeToSetUp,
  open,
  server,
  signInApp,
  withSignInApp,
} from '#support/openid/sign-in/pages-in-browser.ts';
import { CODE, PASSWORD, PERSON, RECOVERY_CODES, waitingRequest } from '#support/openid/sign-in/sign-in-app.ts';

withSignInApp();

/** The sign-in has sent the browser on, and it has arrived. */
async function atTheEnd(page: Page): Promise<void> {
  await page.locator('h1', { hasText: 'The sign-in goes on' }).waitFor();
}

describe('without script', () => {
  const scriptless = { locale: 'fr', javaScriptEnabled: false };

  it('a person signs in, in the language of choice, by keyboard alone', async () => {
    signInApp.outcomes.length = 0;
    await open('sign-in', scriptless, async (page) => {
      await page.locator('#login:focus').waitFor();
      await page.keyboard.type(PERSON.email);
      await page.keyboard.press('Tab');
      await page.keyboard.type('not kept');
      await page.click('text=English');
      await page.locator('html[lang=en] #password:focus').waitFor();
      expect(await page.inputValue('#login')).toBe(PERSON.email);
      expect(await page.inputValue('#password')).toBe('');
      expect(page.url()).not.toContain('perrin');
      await page.keyboard.type(PASSWORD);
      await page.keyboard.press('Enter');
      await atTheEnd(page);
    });
    expect(signInApp.outcomes).toEqual(['signed in account-1']);
  });

  it('a second factor is set up, and shown at the second step, by keyboard alone', async () => {
    signInApp.outcomes.length = 0;
    await open('/interaction/set-up-1', scriptless, async (page) => {
      await comeToSetUp(page);
      await page.focus('#code');
      await page.keyboard.type(CODE);
      await page.keyboard.press('Enter');
      await page.locator('.recovery-codes').waitFor();
      // The box is asked for first.
      await page.focus('#continue');
      await page.keyboard.press('Enter');
      await page.locator('#saved:focus').waitFor();
      await page.keyboard.press('Space');
      await page.focus('#continue');
      await page.keyboard.press('Enter');
      await atTheEnd(page);
    });
    await open('/interaction/second', scriptless, async (page) => {
      await page.locator('#code:focus').waitFor();
      // Past its button.
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      await page.locator('#recovery:focus').waitFor();
      await page.keyboard.type(RECOVERY_CODES[0] ?? '');
      await page.keyboard.press('Enter');
      await atTheEnd(page);
    });
    expect(signInApp.outcomes).toEqual([
      'signed in account-1 with two factors',
      'signed in account-2 with two factors',
    ]);
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
    ['Enter', 'same account'],
    ['Tab Enter', 'other account'],
    ['Tab Tab Enter', 'refused'],
  ])('an account is chosen by keyboard alone: %s', async (keys, outcome) => {
    signInApp.outcomes.length = 0;
    await open('choice of an account', scriptless, async (page) => {
      await page.locator('#continue:focus').waitFor();
      for (const key of keys.split(' ')) await page.keyboard.press(key);
      await atTheEnd(page);
    });
    expect(signInApp.outcomes).toEqual([outcome]);
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
  async function allowAndFollow(next: string, request: Partial<InteractionDetails>): Promise<string[]> {
    callbacks.asked.length = 0;
    signInApp.requests.set('chain', waitingRequest('chain', { prompt: 'consent', ...request }));
    signInApp.next = next;
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
