// The outbox of development: the pages that say a mail was sent lead to it, and it shows the mail with its link; production has none.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ALL_RULES, addAxe, axeViolations } from '#support/axe.ts';
import { openBrowser } from '#support/browser.ts';
import { credentialsOf, enteredBy, openAccount } from '#support/openid/account/person-of-account.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { type RunningService, startService } from '#support/service.ts';
import { until } from '#support/until.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Follows the link of a page to the outbox, and opens its newest mail. */
async function newest(person: Person, page: Visit): Promise<Visit> {
  const outbox = /id="outbox" href="([^"]+)"/.exec(page.html)?.[1];
  expect(outbox).toBe('/outbox');
  let mail: string | undefined;
  await until(async () => {
    mail = /<a href="(\/outbox\/\d+)">/.exec((await person.visit('/outbox')).html)?.[1];
    return mail !== undefined;
  }, 'a mail in the outbox');
  return person.visit(mail ?? '');
}

it('holds the mail for a forgotten password as text and as HTML, which loads and runs nothing', async () => {
  const person = createPerson(service.issuer);
  person.cookies.set('hygie_language /', 'en');
  expect((await person.visit('/outbox')).html).toContain('No e-mail yet');
  expect((await person.visit('/')).html).toContain('href="/outbox"');
  const asking = await person.visit('/account-link/password-reset');
  const sent = await person.press(asking, 'send-link', { login: credentialsOf(0).login });
  const mail = await newest(person, sent);
  const link = /<a href="([^"]+\/account-link\/password-reset\/[\w-]{43})"/.exec(mail.html)?.[1] ?? '';
  expect((await person.visit(link)).html).toContain('id="save-password"');
  const asHtml = await person.visit(/id="as-html" href="([^"]+)"/.exec(mail.html)?.[1] ?? '');
  expect(asHtml.html).toContain(link);
  const policy = asHtml.headers.get('content-security-policy');
  expect(policy).toMatch(/^default-src 'none'; style-src 'unsafe-inline'/);
  expect(policy).not.toContain('script-src');
  for (const unknown of ['/outbox/999', '/outbox/999/html', '/outbox/x']) {
    expect([unknown, (await person.visit(unknown)).status]).toEqual([unknown, 404]);
  }
});

it('is linked where an address is changed', async () => {
  const { person } = await enteredBy(service.issuer, 1);
  const page = await openAccount(person, 1, '/account/email');
  const asked = await person.press(page, 'change-email', { action: 'change', email: 'new@clinic.example' });
  expect((await newest(person, asked)).html).toContain('new@clinic.example');
});

it('is accessible, as are the mails, in both languages and colours, on a screen of 320 px', async () => {
  const browser = await openBrowser();
  try {
    for (const locale of ['fr', 'en']) {
      const context = await browser.newContext({ locale, viewport: { width: 320, height: 800 } });
      await addAxe(context);
      const page = await context.newPage();
      const look = async (scheme: 'light' | 'dark', rules = ALL_RULES) => {
        await page.emulateMedia({ colorScheme: scheme });
        expect(await axeViolations(page, rules)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
      };
      await page.goto(`${service.issuer}/outbox`);
      await look('light');
      await look('dark');
      await page.click('#mails a');
      await look('dark');
      await page.click('#as-html');
      // A mail stands within the page of a mail program: landmarks are that one's.
      await look('light', ALL_RULES.replace(", 'best-practice'", ''));
      await context.close();
    }
  } finally {
    await browser.close();
  }
});

it('is no page of a service that sends mails, nor of production', async () => {
  const mail = { host: 'localhost', port: 9, security: 'none', from: 'a@b.example' } as const;
  const sending = await startService({ adjust: (settings) => ({ ...settings, mail }) });
  try {
    const person = createPerson(sending.issuer);
    expect((await person.visit('/outbox')).status).toBe(404);
    expect((await person.visit('/')).html).not.toContain('/outbox');
  } finally {
    await sending.stop();
  }
});
