// What the walks of the pictures do: open a page, press a button, sign in.

import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#seeds/demo-accounts.ts';
import { until } from '#support/until.ts';
import { virtualAuthenticator } from '#support/webauthn/virtual-authenticator.ts';

/** A visitor with one language, and a new browser for each walk. */
export interface Visitor {
  page: Page;
  issuer: string;
  /** People of the demonstration that nobody walks as in the other language: the first, the second ... */
  person(nth: number): { login: string; password: string };
  /** What is kept from one page to a later one, in a later walk too. */
  kept: Map<string, string>;
}

export interface Shot {
  name: string;
  /** Goes on from where the shot before ended, and leaves the browser on the page to be pictured. */
  show(visitor: Visitor): Promise<unknown>;
  /** Takes a picture in dark colours as well. */
  dark?: true;
}

const LANGUAGES = ['fr', 'en'];

/** The people of one language. */
export function peopleOf(language: string): Visitor['person'] {
  const own = DEMO_ACCOUNTS.filter((_account, index) => index % LANGUAGES.length === LANGUAGES.indexOf(language));
  return (nth) => ({ login: own[nth]?.email ?? '', password: DEMO_PASSWORD });
}

export const open =
  (path: string) =>
  ({ page, issuer }: Visitor): Promise<unknown> =>
    page.goto(issuer + path);

export const press =
  (button: string, fields: Record<string, string> = {}) =>
  async ({ page }: Visitor): Promise<void> => {
    for (const [field, text] of Object.entries(fields)) await page.fill(field, text);
    await page.click(button);
    await page.waitForLoadState();
  };

export const signInAs =
  (nth: number) =>
  async (visitor: Visitor): Promise<void> => {
    const { login, password } = visitor.person(nth);
    await press('#sign-in', { '#login': login, '#password': password })(visitor);
  };

/** One thing after the other. */
export const inTurn =
  (...steps: Shot['show'][]) =>
  async (visitor: Visitor): Promise<void> => {
    for (const step of steps) await step(visitor);
  };

export const code = ({ kept }: Visitor): string =>
  new TOTP({ secret: Secret.fromBase32(kept.get('secret') ?? '') }).generate();

/** Takes the secret from the page that sets a second factor up. */
export async function scan({ page, kept }: Visitor): Promise<void> {
  const address = await page.locator('a[href^="otpauth:"]').getAttribute('href');
  kept.set('secret', new URL(address ?? '').searchParams.get('secret') ?? '');
}

export const answered = ({ page }: Visitor): Promise<unknown> => page.waitForSelector('#answer:not([hidden])');

export const toSignIn = inTurn(open('/demo/'), press('form[action$="/sign-in"] button'));
/** Types a wrong password for an unknown login, another one for each language: attempts are counted by login. */
export const wrongPassword = (visitor: Visitor) =>
  press('#sign-in', { '#login': `not.${visitor.person(0).login}`, '#password': 'wrong' })(visitor);

/** The service tells the demo at its own pace. */
export async function toldDemo({ page, issuer }: Visitor): Promise<void> {
  await until(async () => (await page.goto(`${issuer}/demo/steps`))?.status() === 401, 'the demo was told');
}

/** The newest mail of the outbox, once there is one of which the subject has these words. */
export const openMail =
  (subject: RegExp) =>
  async ({ page, issuer }: Visitor): Promise<void> => {
    const mail = page.locator('#mails a', { hasText: subject }).first();
    await until(async () => {
      await page.goto(`${issuer}/outbox`);
      return (await mail.count()) > 0;
    }, `a mail in the outbox: ${subject}`);
    await mail.click();
    await page.waitForLoadState();
  };

/** A request of the demo that asks for this prompt. */
export function ask(prompt: string) {
  return ({ page, issuer }: Visitor): Promise<unknown> => {
    const query = { client_id: 'hygie-try', response_type: 'code', scope: 'openid', version: '2.0.0', prompt };
    const proof = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256', state: 'x'.repeat(32) };
    const callback = { redirect_uri: `${issuer}/directory/try/signed-in` };
    return page.goto(`${issuer}/authorize?${new URLSearchParams({ ...query, ...proof, ...callback })}`);
  };
}

/** Ends the session in this browser, which knows its accounts all the same. */
export async function endSession({ page }: Visitor): Promise<void> {
  await page.context().clearCookies({ name: /session/ });
}

/** Signs in twice by password with a device that can make a passkey, in a browser of one person. */
export function offerPasskey(nth: number) {
  return async (visitor: Visitor): Promise<void> => {
    await forgetMe(visitor);
    await virtualAuthenticator(visitor.page);
    for (const shown of ['#allow', '#create-passkey']) {
      await endSession(visitor);
      await toSignIn(visitor);
      await visitor.page.locator('input[name=authenticator][value=yes]').waitFor({ state: 'attached' });
      await signInAs(nth)(visitor);
      await visitor.page.locator(shown).waitFor();
    }
  };
}

export async function addPasskey({ page }: Visitor): Promise<void> {
  const device = await virtualAuthenticator(page);
  await device.unlocking(async () => {
    await page.click('#create-passkey');
    await page.locator('.recovery-codes').waitFor();
  });
}

/** Opens whatever is folded. */
export async function unfold({ page }: Visitor): Promise<void> {
  for (const summary of await page.locator('details > summary').all()) await summary.click();
}

export async function forgetMe({ page }: Visitor): Promise<void> {
  await page.context().clearCookies();
}

/** A page of a sign-in that another browser has begun. */
export async function expiredSignIn(visitor: Visitor): Promise<void> {
  await toSignIn(visitor);
  await forgetMe(visitor);
  await visitor.page.reload();
}

/** The same person signs in with another browser. */
export function elsewhere(nth: number) {
  return async (visitor: Visitor): Promise<void> => {
    const context = await visitor.page.context().browser()?.newContext();
    if (!context) return;
    const other = { ...visitor, page: await context.newPage() };
    await inTurn(open('/account'), signInAs(nth))(other);
    await context.close();
  };
}

/** A link for a new password; the mail is there once the queue has been worked through. */
export function askForLink(nth: number) {
  return async (visitor: Visitor): Promise<void> => {
    const { page, issuer, person } = visitor;
    await open('/account-link/password-reset')(visitor);
    await press('#send-link', { '#login': person(nth).login })(visitor);
    await until(async () => {
      await page.goto(`${issuer}/outbox`);
      return (await page.locator('#mails a', { hasText: person(nth).login }).count()) > 0;
    }, 'the mail is in the outbox');
  };
}
