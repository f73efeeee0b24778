// A person in their account, in a real Chromium: edits the profile, ends a session from another browser, and changes the place of work.

import { describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import type { Page } from 'playwright-core';
import { ALL_RULES, addAxe, axeViolations, smallTargets } from '#support/axe.ts';
import { openedForAll } from '#support/opened.ts';
import { withJourney } from '#support/openid/journey.ts';
import { startLogoutReceiver } from '#support/openid/logout-receiver.ts';
import { authorizationUrl, discover } from '#support/openid/relying-party.ts';
import { type KeySet, verified } from '#support/openid/verified.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#support/service.ts';
import { until } from '#support/until.ts';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

// Names, language, picture, their data, the deletion of the account.
describe('a profile', () => {
  const on = withJourney();

  it.each([
    ['fr', { width: 390, height: 800 }, 0, 'en'],
    ['en', { width: 1440, height: 900 }, 1, 'fr'],
  ] as const)('in the language %s, on a screen of %j', async (locale, viewport, index, other) => {
    const account = DEMO_ACCOUNTS[index];
    const context = await on.browser.newContext({ locale, viewport });
    await addAxe(context);
    const page = await context.newPage();
    const look = async () => {
      expect(await axeViolations(page, ALL_RULES)).toEqual([]);
      await page.setViewportSize({ ...viewport, width: Math.min(viewport.width, 320) });
      expect(await smallTargets(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
      await page.setViewportSize(viewport);
    };

    await page.goto(`${on.service.issuer}/account`);
    await page.fill('#login', account?.email ?? '');
    await page.fill('#password', DEMO_PASSWORD);
    await page.click('#sign-in');
    await page.click('#edit-profile');
    await page.fill('#name', '');
    await page.click('#save-profile');
    await page.locator('#name:focus').waitFor();
    await look();
    await page.fill('#name', 'Dr Camille Exemple');
    await page.locator(`[name=language][value="${other}"]`).check();
    await page.click('#save-profile');
    await page.locator('#done').waitFor();
    expect(await page.getAttribute('html', 'lang')).toBe(other);
    expect(await page.locator('#identity').textContent()).toContain('Dr Camille Exemple');
    await look();

    await page.waitForFunction('document.querySelector(".portrait").naturalWidth === 256');

    await page.click('#own-data-link');
    const waiting = page.waitForEvent('download');
    await page.click('#download-data');
    const download = await waiting;
    expect(download.suggestedFilename()).toBe('account.json');

    await page.goto(`${on.service.issuer}/account`);
    await page.click('#delete-account');
    await look();
    await page.click('#request-deletion');
    await page.locator('#withdraw-deletion').waitFor();
    await look();
    await page.click('#withdraw-deletion');
    await page.locator('#delete-account').waitFor();
    await context.close();
  });
});

// The application is told, and asks for a sign-in again.
describe('a session', () => {
  const receiver = openedForAll(startLogoutReceiver);
  const on = withJourney(() => ({
    client: ({ id }) => (id === 'trusted' ? { backchannelLogoutUrl: receiver.url } : {}),
  }));

  it.each([
    ['fr', 390, 0, 'Firefox sur Windows'],
    ['en', 1440, 1, 'Firefox on Windows'],
  ] as const)('in the language %s, on a screen %i px wide', async (locale, width, index, device) => {
    const { id, email } = DEMO_ACCOUNTS[index] ?? { id: '', email: '' };
    const enter = async (page: Page, address: string) => {
      await page.goto(address);
      await page.fill('#login', email);
      await page.fill('#password', DEMO_PASSWORD);
      await page.click('#sign-in');
    };
    const application = (prompt?: string) =>
      authorizationUrl(on.service, {
        client_id: 'trusted',
        redirect_uri: on.callback,
        prompt,
      }).href;
    const [there, here] = await Promise.all([
      on.browser.newContext({ locale, userAgent: FIREFOX }),
      on.browser.newContext({ locale, viewport: { width, height: 900 } }),
    ]);
    await addAxe(here);
    const elsewhere = await there.newPage();
    await enter(elsewhere, application());
    await elsewhere.waitForURL(`${on.callback}?**`);

    const page = await here.newPage();
    await enter(page, `${on.service.issuer}/account/sessions`);
    const session = page.locator('.session', { hasText: device });
    expect(await session.textContent()).toContain('Application de confiance');
    expect(await page.locator('#current-session').textContent()).toContain('Chrome');
    expect(await axeViolations(page, ALL_RULES)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);

    receiver.received.length = 0;
    await session.getByRole('button').click();
    await page.locator('#done:focus').waitFor();
    expect(await page.locator('#done').textContent()).toContain(device);
    expect(await page.locator('.session').count()).toBe(1);
    expect(await axeViolations(page, ALL_RULES)).toEqual([]);

    // OpenID Connect Back-Channel Logout 1.0 section 2.4.
    await until(() => receiver.received.length > 0, 'the application is told');
    const keys = (await (await fetch(`${on.service.issuer}/.well-known/jwks.json`)).json()) as KeySet;
    const { header, payload } = verified(receiver.received[0]?.get('logout_token') ?? '', keys);
    expect([header.typ, payload]).toMatchObject(['logout+jwt', { sub: id, aud: 'trusted', sid: expect.any(String) }]);
    await elsewhere.goto(application('none'));
    expect(new URL(elsewhere.url()).searchParams.get('error')).toBe('login_required');

    await Promise.all([there.close(), here.close()]);
  });
});

// The next ID token says so.
describe('a place of work', () => {
  const on = withJourney();

  it.each([
    ['fr', { width: 390, height: 800 }, 0],
    ['en', { width: 1440, height: 900 }, 1],
  ] as const)('in the language %s, on a screen of %j', async (locale, viewport, index) => {
    const account = DEMO_ACCOUNTS[index];
    const context = await on.browser.newContext({ locale, viewport });
    await addAxe(context);
    const page = await context.newPage();
    const state = oidc.randomState();
    const ask = (prompt: string) =>
      page.goto(
        authorizationUrl(on.service, {
          client_id: 'trusted',
          scope: 'openid profile',
          redirect_uri: on.callback,
          state,
          prompt,
        }).href,
      );
    /** What the application is told once `act` has sent the browser back to it. */
    const told = async (act: () => Promise<unknown>) => {
      await Promise.all([page.waitForURL(`${on.callback}?**`), act()]);
      const configuration = await discover(on.service, 'trusted');
      const tokens = await oidc.authorizationCodeGrant(configuration, new URL(page.url()), { expectedState: state });
      return tokens.claims()?.[`${on.service.settings.namespace}/userInfo`];
    };
    const workspaces = account?.workspaces ?? [];

    await ask('select_account');
    await page.fill('#login', account?.email ?? '');
    await page.fill('#password', DEMO_PASSWORD);
    await page.click('#sign-in');
    await page.locator('[name=workspace]:focus').waitFor();
    expect(await page.locator('[name=workspace]:checked').getAttribute('value')).toBe(workspaces[0]);
    expect(await axeViolations(page, ALL_RULES)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
    await page.locator(`[name=workspace][value="${workspaces[1]}"]`).check();
    expect(await told(() => page.click('#continue'))).toMatchObject({
      currentWorkspaceId: `Organization/${workspaces[1]}`,
    });

    // Back in the account space: the next token follows.
    await page.goto(`${on.service.issuer}/account`);
    await page.click('#change-workspace');
    await page.locator('[name=workspace]:focus').waitFor();
    expect(await axeViolations(page, ALL_RULES)).toEqual([]);
    await page.locator(`[name=workspace][value="${workspaces[0]}"]`).check();
    await page.click('#save-workspace');
    await page.locator('#done').waitFor();
    expect(await axeViolations(page, ALL_RULES)).toEqual([]);
    await ask('select_account');
    // By keyboard: the page opens in the current place, Enter goes on.
    await page.locator('[name=workspace]:focus').waitFor();
    expect(await told(() => page.keyboard.press('Enter'))).toMatchObject({
      currentWorkspaceId: `Organization/${workspaces[0]}`,
    });
    await context.close();
  });
});
