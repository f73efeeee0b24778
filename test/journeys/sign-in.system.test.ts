// A person and an application in a real Chromium: consent given, shown and withdrawn; Back after a sign-in; attempts of strangers paused,
// but not those of the person's own browser.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import * as oidc from 'openid-client';
import type { BrowserContext, Page } from 'playwright-core';
import { SECOND_FACTOR_ACR } from '#openid/tokens/authentication-context.ts';
import { ALL_RULES, addAxe, axeViolations } from '#support/axe.ts';
import { withJourney } from '#support/openid/journey.ts';
import { authorizationUrl, discover } from '#support/openid/relying-party.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#support/service.ts';
import { virtualAuthenticator } from '#support/webauthn/virtual-authenticator.ts';
import { formatDate } from '#web/dates.ts';
import { messagesIn, scopeLabel } from '#web/messages.ts';

const FAILURES = 3;

describe('a password', () => {
  const on = withJourney(() => ({
    adjust: (settings) => ({ ...settings, limits: { ...settings.limits, accountFailures: FAILURES } }),
  }));

  describe.each([
    ['fr', 390, 0],
    ['en', 1440, 1],
  ] as const)('in the language %s, on a screen %i px wide', (locale, width, index) => {
    const { account, finished, pause } = messagesIn(locale);
    const mayDo = scopeLabel('PRACTITIONER_READ', locale);
    const request = () => authorizationUrl(on.service, { client_id: 'server', redirect_uri: on.callback }).href;
    const send = async (page: Page, password: string, nth: number = index) => {
      await page.fill('#login', DEMO_ACCOUNTS[nth]?.email ?? '');
      await page.fill('#password', password);
      const answer = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.click('#sign-in');
      const status = (await answer).status();
      await page.waitForLoadState();
      return status;
    };
    const arrived = (page: Page) => page.waitForURL(`${on.callback}?**`);
    const isSound = async (page: Page) => {
      expect(await axeViolations(page, ALL_RULES)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    };

    let own: BrowserContext;
    beforeAll(async () => {
      own = await on.browser.newContext({ locale, viewport: { width, height: 844 } });
      await addAxe(own);
    });
    afterAll(() => own.close());

    it('SEC-36 consent is given, shown and withdrawn; Back in between says who is signed in, and leads on', async () => {
      const page = await own.newPage();
      await page.goto(request());
      await send(page, DEMO_PASSWORD);
      await page.locator('#allow').waitFor();
      expect(await page.locator('main').textContent()).toContain(mayDo);
      await isSound(page);
      await page.click('#allow');
      await arrived(page);

      // Item 2 of the tries: it said that the page had expired and nothing was transmitted.
      await page.goBack();
      expect(await page.locator('h1').textContent()).toBe(finished['signed-in'].title);
      expect(await page.getAttribute('#application', 'href')).toBe(`${new URL(on.callback).origin}/`);
      await isSound(page);

      await page.click('#account');
      await page.click('nav a[href="/account/applications"]');
      const allowed = page.locator('.allowed > li', { hasText: 'Dossier de test' });
      const shown = await allowed.textContent();
      expect(shown).toContain(mayDo);
      expect(shown).toContain(account.allowedSince(formatDate(Date.now() / 1000, locale)));
      await allowed.locator('summary').click();
      await isSound(page);
      await page.click('#withdraw-server');
      expect(await page.locator('#done:focus').textContent()).toContain(account.revoked('Dossier de test'));
      expect(await page.locator('#withdraw-server').count()).toBe(0);
      await isSound(page);

      await page.goto(request());
      await page.locator('#allow').waitFor();
      await page.close();
    });

    it('SEC-39 SEC-59 strangers who guess are told whose attempts wait, until when and what helps; the person gets in', async () => {
      const strange = await on.browser.newContext({ locale, viewport: { width, height: 844 } });
      await addAxe(strange);
      const page = await strange.newPage();
      await page.goto(request());
      for (let times = 0; times < FAILURES; times += 1) {
        expect(await send(page, `guess ${times}`)).toBe(422);
      }
      expect(await send(page, DEMO_PASSWORD)).toBe(429);
      const notice = page.locator('#problem:focus');
      const said = await notice.textContent();
      expect(said).toContain(pause.account.title);
      expect(said).toMatch(/\d{2}(:|\u00a0h\u00a0)\d{2}/);
      expect(await notice.locator('li').count()).toBeGreaterThan(0);
      await isSound(page);
      await strange.close();

      await own.clearCookies({ name: /session/ });
      const again = await own.newPage();
      await again.goto(request());
      await send(again, DEMO_PASSWORD);
      await again.locator('#allow').waitFor();
    });
  });
});

// Offered after a password, put off, made; then the password alone is not enough.
describe('a passkey that is offered', () => {
  const on = withJourney(() => ({
    adjust: (settings) => ({ ...settings, issuer: settings.issuer.replace('127.0.0.1', 'localhost') }),
  }));

  it.each([
    ['fr', 390, 2],
    ['en', 1440, 3],
  ] as const)('SEC-70 in the language %s, on a screen %i px wide', async (locale, width, index) => {
    const context = await on.browser.newContext({ locale, viewport: { width, height: 900 } });
    await addAxe(context);
    const page = await context.newPage();
    const device = await virtualAuthenticator(page);
    const look = async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        expect(await axeViolations(page, ALL_RULES)).toEqual([]);
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    };
    /** By the keyboard alone: the page opens in the field to type into. */
    const enter = async (then: string) => {
      await context.clearCookies({ name: /session|account/ });
      await page.goto(`${on.service.issuer}/account/sessions`);
      await page.locator('input[name=authenticator][value=yes]').waitFor({ state: 'attached' });
      if ((await page.inputValue('#login')) === '') {
        await page.keyboard.type(DEMO_ACCOUNTS[index]?.email ?? '');
        await page.locator('#remember').focus();
        await page.keyboard.press('Space');
        await page.locator('#password').focus();
      }
      await page.keyboard.type(DEMO_PASSWORD);
      await look();
      await page.keyboard.press('Enter');
      await page.locator(then).waitFor();
    };
    await enter('#sign-out');
    await enter('#later');
    await look();
    await device.unlocking(async () => {
      await page.click('#create-passkey');
      await page.locator('.recovery-codes').waitFor();
    });
    await look();
    await page.check('#saved');
    await page.click('#continue');
    await page.locator('#sign-out').waitFor();
    await enter('#use-passkey');
    await look();
    await context.close();
  });
});

// Added, used without a password, offered by autofill, and after a password, with Chromium's virtual authenticator.
describe('a passkey', () => {
  const on = withJourney(() => ({
    client: () => ({ secondFactor: 'required' }),
    // Passkeys are of a site's name.
    adjust: (settings) => ({ ...settings, issuer: settings.issuer.replace('127.0.0.1', 'localhost') }),
  }));

  it.each([
    ['fr', 390, 0],
    ['en', 1440, 1],
  ] as const)('SEC-70 in the language %s, on a screen %i px wide', async (locale, width, index) => {
    const { email } = DEMO_ACCOUNTS[index] ?? { email: '' };
    const context = await on.browser.newContext({ locale, viewport: { width, height: 900 } });
    await addAxe(context);
    const page = await context.newPage();
    const device = await virtualAuthenticator(page);
    const look = async () => {
      expect(await axeViolations(page, ALL_RULES)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    };
    const typePassword = async () => {
      await page.fill('#login', email);
      await page.fill('#password', DEMO_PASSWORD);
      await page.click('#sign-in');
    };

    // Added, with recovery codes.
    await page.goto(`${on.service.issuer}/account/passkeys`);
    await typePassword();
    await page.locator('#create-passkey').waitFor();
    await look();
    await device.unlocking(async () => {
      await page.click('#create-passkey');
      await page.locator('.recovery-codes').waitFor();
    });
    expect(await device.credentials()).toMatchObject([
      { rpId: 'localhost', isResidentCredential: true, userName: email },
    ]);
    await page.goto(`${on.service.issuer}/account/passkeys`);
    await look();

    // The only factor, by the button; then by autofill, without a click.
    const application = await startApplication(page);
    await page.locator('#use-passkey').waitFor();
    await look();
    await device.unlocking(() => Promise.all([page.click('#use-passkey'), application.callback()]));
    expect(await application.claims()).toMatchObject({ acr: SECOND_FACTOR_ACR, amr: ['pop', 'user', 'mfa'] });
    await context.clearCookies();
    const again = await device.unlocking(async () => {
      const started = await startApplication(page);
      await started.callback();
      return started;
    });
    expect(await again.claims()).toMatchObject({ amr: ['pop', 'user', 'mfa'] });

    // After a password.
    await context.clearCookies();
    const twoSteps = await startApplication(page);
    await typePassword();
    await page.locator('#use-passkey').waitFor();
    await look();
    await device.unlocking(() => Promise.all([page.click('#use-passkey'), twoSteps.callback()]));
    expect(await twoSteps.claims()).toMatchObject({ acr: SECOND_FACTOR_ACR, amr: ['pwd', 'pop', 'user', 'mfa'] });
    await context.close();
  });

  it('SEC-70 is made once, although its button is pressed again while the answer is slow', async () => {
    const page = await (await on.browser.newContext()).newPage();
    const device = await virtualAuthenticator(page);
    await page.goto(`${on.service.issuer}/account/passkeys`);
    await page.fill('#login', DEMO_ACCOUNTS[2]?.email ?? '');
    await page.fill('#password', DEMO_PASSWORD);
    await page.click('#sign-in');
    await page.locator('#create-passkey').waitFor();
    await page.evaluate(`{
      const { submit } = HTMLFormElement.prototype;
      const pressAgain = () => {
        let asked = 'asked once';
        navigator.credentials.create = async () => { asked = 'asked twice'; };
        document.querySelector('#create-passkey').click();
        console.log(asked);
      };
      HTMLFormElement.prototype.submit = function () { submit.call(this); setTimeout(pressAgain); };
    }`);
    const pressed = page.waitForEvent('console', { predicate: (line) => line.text().startsWith('asked') });
    await page.route('**/account/passkeys', async (route) => {
      const response = await route.fetch({ maxRedirects: 0 });
      await pressed;
      await route.fulfill({ response });
    });
    await device.unlocking(async () => {
      await page.click('#create-passkey');
      await page.locator('.recovery-codes').waitFor();
    });
    expect((await pressed).text()).toBe('asked once');
    await page.context().close();
  });

  /** Opens an authorization request of an application, in a browser that nobody is signed in with. */
  async function startApplication(page: Page) {
    await page.context().clearCookies();
    const redirectUri = on.callback;
    const configuration = await discover(on.service, 'trusted');
    const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()];
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid',
      state,
      nonce,
      version: '2.0.0',
      claims: JSON.stringify({ id_token: { acr: null, amr: null } }),
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    await page.goto(url.href).catch((error: Error) => {
      // Autofill may lead on before the page is complete.
      if (!/interrupted|ERR_ABORTED/.test(error.message)) throw error;
    });
    return {
      callback: () => page.waitForURL(`${redirectUri}?**`),
      claims: async () => {
        const tokens = await oidc.authorizationCodeGrant(configuration, new URL(page.url()), {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
        });
        return decodeJwt(tokens.id_token ?? '');
      },
    };
  }
});
