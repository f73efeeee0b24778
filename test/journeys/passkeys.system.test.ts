// Passkeys in a real Chromium with its virtual authenticator: added, used without a password, offered by autofill, and after a password.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import * as oidc from 'openid-client';
import type { Browser, Page } from 'playwright-core';
import { SECOND_FACTOR_ACR } from '#openid/tokens/authentication-context.ts';
import { ALL_RULES, addAxe, axeViolations } from '#support/axe.ts';
import { openBrowser } from '#support/browser.ts';
import { discover } from '#support/openid/relying-party.ts';
import { openCallbacks } from '#support/openid/sign-in/callbacks.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, type RunningService, startService, testClients } from '#support/service.ts';
import { virtualAuthenticator } from '#support/webauthn/virtual-authenticator.ts';

let service: RunningService;
let browser: Browser;
let callbacks: Awaited<ReturnType<typeof openCallbacks>>;
beforeAll(async () => {
  [callbacks, browser] = await Promise.all([openCallbacks(), openBrowser()]);
  const callbackUrls = [`${callbacks.address}/callback`];
  service = await startService({
    clients: (await testClients()).map((client) => ({ ...client, callbackUrls, secondFactor: 'required' as const })),
    // Passkeys are of a site's name.
    adjust: (settings) => ({ ...settings, issuer: settings.issuer.replace('127.0.0.1', 'localhost') }),
  });
});
afterAll(async () => {
  await browser.close();
  await service.stop();
  await callbacks.close();
});

it.each([
  ['fr', 390, 0],
  ['en', 1440, 1],
] as const)('SEC-70 in the language %s, on a screen %i px wide', async (locale, width, index) => {
  const { email } = DEMO_ACCOUNTS[index] ?? { email: '' };
  const context = await browser.newContext({ locale, viewport: { width, height: 900 } });
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
  await page.goto(`${service.issuer}/account/passkeys`);
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
  await page.goto(`${service.issuer}/account/passkeys`);
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

/** Opens an authorization request of an application, in a browser that nobody is signed in with. */
async function startApplication(page: Page) {
  await page.context().clearCookies();
  const redirectUri = `${callbacks.address}/callback`;
  const configuration = await discover(service, 'trusted');
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
