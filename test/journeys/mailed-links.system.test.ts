// A person who was invited comes to a first sign-in, has forgotten the password and changes the e-mail address, in a real Chromium, by
// mails that a real SMTP server received (SEC-69).

import { afterAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openMailQueue } from '#store/outbox/mail-queue.ts';
import { ALL_RULES, addAxe, axeViolations } from '#support/axe.ts';
import { openedForAll } from '#support/opened.ts';
import { withJourney } from '#support/openid/journey.ts';
import { startMailServer, trustMailServer } from '#support/openid/mail/mail-server.ts';
import { linksIn, mailTo } from '#support/openid/mail/received.ts';
import { authorizationUrl } from '#support/openid/relying-party.ts';
import { until } from '#support/until.ts';

const FIRST = 'tortue violette sous la pluie';
const SECOND = 'girafe verte dans la cuisine';

let trustNoMore: () => void;
const mails = openedForAll(async () => {
  trustNoMore = trustMailServer();
  return startMailServer();
});
const on = withJourney(() => ({ adjust: (settings) => ({ ...settings, mail: mails.settings() }) }));
afterAll(async () => {
  trustNoMore();
});

/** The link in the newest mail to an address for a purpose; it is at the issuer, whatever host a request named (SEC-42). */
async function linkTo(address: string, purpose: string): Promise<string> {
  const find = () =>
    mails.received
      .filter(({ recipients }) => recipients.includes(address))
      .flatMap(({ text = '' }) => text.match(new RegExp(`\\S+/account-link/${purpose}/[\\w-]{43}`)) ?? [])
      .at(-1);
  await until(() => find() !== undefined, `a mail to ${address}`);
  const link = find() ?? '';
  expect(link.startsWith(`${on.service.issuer}/account-link/`)).toBe(true);
  return link;
}

async function send(page: Page, fields: Record<string, string>, button: string, then: string): Promise<void> {
  expect(await axeViolations(page, ALL_RULES)).toEqual([]);
  for (const [field, value] of Object.entries(fields)) await page.fill(field, value);
  await page.click(button);
  await page.locator(then).waitFor();
}

const twice = (password: string) => ({ '#new-password': password, '#new-password-again': password });

it.each([
  ['fr', 390, 'camille'],
  ['en', 1440, 'robin'],
] as const)('in the language %s, on a screen %i px wide', async (locale, width, name) => {
  const [email, moved] = [`${name}@clinic.example`, `${name}.new@clinic.example`];
  const [account] = await openAccounts(on.service.database).create([{ email, name: 'Dr Camille Essai' }]);
  const accountId = account?.id ?? '';
  await openMailQueue(on.service.database).enqueue({ kind: 'invitation', accountId, language: locale });
  const context = await on.browser.newContext({ locale, viewport: { width, height: 900 } });
  await addAxe(context);
  const page = await context.newPage();
  const application = authorizationUrl(on.service, {
    client_id: 'trusted',
    redirect_uri: on.callback,
  }).href;

  // The invitation, to the first sign-in.
  await page.goto(await linkTo(email, 'invitation'));
  await send(page, twice(FIRST), '#save-password', '#done');

  // Another address: the old one signs in until the link is followed.
  await page.goto(`${on.service.issuer}/account/email`);
  await send(page, { '#email': moved }, '#change-email', '#done');
  await page.goto(await linkTo(moved, 'email-change'));
  await send(page, {}, '#confirm', '#continue');
  await send(page, {}, '#continue', '#sign-out');
  expect(await page.textContent('main')).toContain(moved);
  // The address before is told, without a link, and not which one it is now.
  const told = await mailTo(mails, email, /Votre adresse e-mail a été changée|Your e-mail address was changed/);
  expect([linksIn(told), told.text?.includes(moved)]).toEqual([[], false]);

  // The password is forgotten, in the sign-in of an application; the old one no longer counts, the way leads back there.
  await context.clearCookies();
  await page.goto(application);
  await send(page, {}, '#forgotten', '#send-link');
  await send(page, { '#login': moved }, '#send-link', '#again');
  await page.goto(await linkTo(moved, 'password-reset'));
  await send(page, twice(SECOND), '#save-password', '#continue');
  await page.click('#continue');
  await send(page, { '#login': moved, '#password': FIRST }, '#sign-in', '.field-problem');
  await page.fill('#password', SECOND);
  await page.click('#sign-in');
  await page.waitForURL(`${on.callback}?**`);
  expect(new URL(page.url()).searchParams.has('code')).toBe(true);
  await context.close();
});
