// From an invitation to the first sign-in, a forgotten password, and another e-mail address: by mails that a real mail server received,
// in a real Chromium. Of each critical change the person is told by mail, in their language.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { ALL_RULES, addAxe, axeViolations } from '../support/axe.ts';
import { openBrowser } from '../support/browser.ts';
import { inProcess } from '../support/cli/in-process.ts';
import { type MailServer, startMailServer, trustMailServer } from '../support/mail/mail-server.ts';
import { linksIn, mailTo } from '../support/mail/received.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
let browser: Browser;
let server: MailServer;
let distrust: () => void;
beforeAll(async () => {
  distrust = trustMailServer();
  [server, browser] = await Promise.all([startMailServer(), openBrowser()]);
  service = await startService({ adjust: (settings) => ({ ...settings, mail: server.settings() }) });
});
afterAll(async () => {
  await browser.close();
  await service.stop();
  await server.close();
  distrust();
});

const FRENCH = {
  invited: /^Votre accès à Hygie \/ Your access to Hygie$/,
  reset: /^Choisir un nouveau mot de passe pour Hygie$/,
  wasReset: /^Hygie\u00a0: Votre mot de passe a été changé/,
  confirm: /^Confirmez votre nouvelle adresse e-mail/,
  moved: /^Hygie\u00a0: L’adresse e-mail de votre compte a été changée/,
};
const ENGLISH = {
  invited: FRENCH.invited,
  reset: /^Choose a new password for Hygie$/,
  wasReset: /Hygie: Your password was changed/,
  confirm: /^Confirm your new e-mail address/,
  moved: /Hygie: The e-mail address of your account was changed/,
};

it.each([
  ['fr', 390, FRENCH],
  ['en', 1440, ENGLISH],
] as const)('SEC-69 in the language %s, on a screen %i px wide', async (locale, width, subjects) => {
  const email = `noe-${locale}@clinic.example`;
  const { configFolder, dataFolder, issuer } = service.settings;
  const environment = { HYGIE_CONFIG: configFolder, HYGIE_DATA: dataFolder, HYGIE_ISSUER: issuer };
  const add = ['accounts', 'add', '--email', email, '--name', 'Noé Neuf', '--invite'];
  expect(await inProcess({ environment })(add)).toMatchObject({ code: 0, stderr: expect.stringContaining(email) });

  const context = await browser.newContext({ locale, viewport: { width, height: 900 } });
  await addAxe(context);
  const page = await context.newPage();
  const look = async () => {
    expect(await axeViolations(page, ALL_RULES)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  };
  const open = async (address: string, subject: RegExp) => {
    const [link = '', ...others] = linksIn(await mailTo(server, address, subject));
    expect([link.startsWith(`${issuer}/account-link/`), others]).toEqual([true, []]);
    await page.goto(link);
    await look();
  };
  const choose = async (password: string) => {
    await page.fill('#new-password', password);
    await page.fill('#new-password-again', password);
    await page.click('#save-password');
    await page.locator('#continue').waitFor();
    await look();
    await page.click('#continue');
  };
  const signIn = async (login: string, password: string) => {
    await page.fill('#login', login);
    await page.fill('#password', password);
    await page.click('#sign-in');
  };

  // The invitation, with a link for each language: both are the same.
  await open(email, subjects.invited);
  await choose('tortue violette sous la pluie');
  await signIn(email, 'tortue violette sous la pluie');
  await page.locator('#edit-profile').waitFor();

  // The password is forgotten.
  await context.clearCookies();
  await page.goto(`${issuer}/account`);
  await page.fill('#login', email);
  await page.click('.forgotten a');
  await look();
  await page.fill('#login', email);
  await page.click('#send-link');
  await page.locator('#again').waitFor();
  // Mails are sent: no outbox.
  expect(await page.locator('#outbox').count()).toBe(0);
  await open(email, subjects.reset);
  await choose('colline orange derriere le phare');
  expect(linksIn(await mailTo(server, email, subjects.wasReset))).toEqual([]);
  await signIn(email, 'colline orange derriere le phare');
  await page.locator('#edit-profile').waitFor();

  // Another address; the one before is told.
  const next = `noe.${locale}@elsewhere.example`;
  await page.goto(`${issuer}/account/email`);
  await page.fill('#email', next);
  await page.click('#change-email');
  await page.locator('#done').waitFor();
  await look();
  await open(next, subjects.confirm);
  await page.click('#confirm');
  await page.locator('#continue').waitFor();
  await look();
  const told = await mailTo(server, email, subjects.moved);
  expect(linksIn(told)).toEqual([]);
  expect(told.text).not.toContain(next);
  await context.clearCookies();
  await page.goto(`${issuer}/account`);
  await signIn(next, 'colline orange derriere le phare');
  expect(await page.locator('.about').textContent()).toContain(next);
  await context.close();
});
