// Every page and state that `npm run screenshots` takes a picture of: one line for each, in the order of a walk.

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

const open =
  (path: string) =>
  ({ page, issuer }: Visitor): Promise<unknown> =>
    page.goto(issuer + path);

const press =
  (button: string, fields: Record<string, string> = {}) =>
  async ({ page }: Visitor): Promise<void> => {
    for (const [field, text] of Object.entries(fields)) await page.fill(field, text);
    await page.click(button);
    await page.waitForLoadState();
  };

const signInAs =
  (nth: number) =>
  async (visitor: Visitor): Promise<void> => {
    const { login, password } = visitor.person(nth);
    await press('#sign-in', { '#login': login, '#password': password })(visitor);
  };

/** One thing after the other. */
const inTurn =
  (...steps: Shot['show'][]) =>
  async (visitor: Visitor): Promise<void> => {
    for (const step of steps) await step(visitor);
  };

const code = ({ kept }: Visitor): string =>
  new TOTP({ secret: Secret.fromBase32(kept.get('secret') ?? '') }).generate();

/** Takes the secret from the page that sets a second factor up. */
async function scan({ page, kept }: Visitor): Promise<void> {
  const address = await page.locator('a[href^="otpauth:"]').getAttribute('href');
  kept.set('secret', new URL(address ?? '').searchParams.get('secret') ?? '');
}

const answered = ({ page }: Visitor): Promise<unknown> => page.waitForSelector('#answer:not([hidden])');

const toSignIn = inTurn(open('/demo/'), press('form[action$="/sign-in"] button'));
/** Types a wrong password for an unknown login, another one for each language: attempts are counted by login. */
const wrongPassword = (visitor: Visitor) =>
  press('#sign-in', { '#login': `not.${visitor.person(0).login}`, '#password': 'wrong' })(visitor);

/** The service tells the demo at its own pace. */
async function toldDemo({ page, issuer }: Visitor): Promise<void> {
  await until(async () => (await page.goto(`${issuer}/demo/steps`))?.status() === 401, 'the demo was told');
}

/** The newest mail of the outbox, once there is one of which the subject has these words. */
const openMail =
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

/** Walks by the name of their part of the service; each begins in a browser that has never been here. */
export const WALKS: Record<string, readonly Shot[]> = {
  'sign-in': [
    { name: 'sign in', show: toSignIn, dark: true },
    { name: 'wrong password', show: wrongPassword },
    { name: 'attempts paused', show: inTurn(...Array(4).fill(wrongPassword)) },
    { name: 'consent', show: inTurn(toSignIn, signInAs(1)), dark: true },
    { name: 'cancelled', show: press('#refuse') },
    { name: 'choice of account', show: ask('select_account') },
    { name: 'password again', show: ask('login') },
    { name: 'sign out?', show: open('/logout') },
    { name: 'signed out', show: press('#sign-out') },
  ],
  account: [
    { name: 'sign in', show: open('/account') },
    { name: 'profile', show: signInAs(2), dark: true },
    { name: 'edit profile', show: open('/account/profile'), dark: true },
    { name: 'edit profile, wrong', show: press('#save-profile', { '#name': '', '#nickname': '--' }) },
    { name: 'own data', show: open('/account/data') },
    { name: 'deletion', show: open('/account/deletion') },
    { name: 'profile, deletion requested', show: press('#request-deletion') },
    { name: 'security', show: open('/account/security'), dark: true },
    { name: 'password', show: open('/account/password') },
    {
      name: 'password, wrong',
      show: press('#save-password', { '#password': 'x', '#new-password': 'short', '#new-password-again': 'other' }),
    },
    { name: 'e-mail address', show: open('/account/email') },
    { name: 'e-mail address, wrong', show: press('#change-email', { '#email': 'camille' }) },
    { name: 'second factor', show: inTurn(open('/account/security'), press('#add-second-factor')) },
    { name: 'second factor, wrong code', show: press('#set-up', { '#code': '12' }) },
    {
      name: 'recovery codes',
      show: inTurn(scan, (visitor) => press('#set-up', { '#code': code(visitor) })(visitor)),
    },
    { name: 'new recovery codes', show: open('/account/second-factor/recovery-codes') },
    { name: 'remove the second factor', show: open('/account/second-factor/remove') },
    { name: 'applications', show: open('/account/applications') },
    { name: 'sessions', show: open('/account/sessions'), dark: true },
    { name: 'sign out elsewhere', show: open('/account/sessions/others') },
    { name: 'activity', show: open('/account/activity'), dark: true },
    { name: 'sign-in that is not awaited', show: open('/account/signed-in?state=of-nobody') },
  ],
  passkeys: [
    { name: 'none yet', show: inTurn(open('/account/passkeys'), signInAs(4)) },
    { name: 'recovery codes', show: addPasskey },
    { name: 'one', show: open('/account/passkeys') },
    { name: 'rename and remove', show: unfold },
    { name: 'security', show: open('/account/security'), dark: true },
    { name: 'second step', show: inTurn(forgetMe, toSignIn, signInAs(4)) },
  ],
  workspace: [
    { name: 'choice', show: inTurn(ask('select_account'), signInAs(0)), dark: true },
    { name: 'change', show: inTurn(open('/account'), press('#change-workspace')) },
    { name: 'changed', show: press('#save-workspace') },
    { name: 'applications', show: inTurn(toSignIn, press('#allow'), open('/account/applications')), dark: true },
    { name: 'applications, withdraw', show: unfold },
    { name: 'sessions', show: inTurn(elsewhere(0), open('/account/sessions')) },
    { name: 'activity', show: open('/account/activity') },
  ],
  mail: [
    { name: 'outbox', show: inTurn(askForLink(0), open('/outbox')), dark: true },
    { name: 'mail as text', show: press('#mails a') },
    { name: 'mail as HTML', show: press('#as-html') },
    { name: 'link opened', show: press('a[href*="/password-reset/"]') },
    {
      name: 'password too simple',
      show: press('#save-password', { '#new-password': 'x', '#new-password-again': 'x' }),
    },
  ],
  'second factor': [
    { name: 'code', show: inTurn(open('/account'), signInAs(2)), dark: true },
    { name: 'wrong code', show: press('#verify', { '#code': '12' }) },
  ],
  links: [
    { name: 'forgotten password', show: open('/account-link/password-reset'), dark: true },
    { name: 'forgotten password, no address', show: press('#send-link', { '#login': 'camille' }) },
    { name: 'mail on its way', show: press('#send-link', { '#login': 'nobody@demo.example' }) },
    { name: 'link that no longer works', show: open('/account-link/invitation/used') },
    { name: 'link to an address, used', show: open('/account-link/email-change/used') },
  ],
  // This person has no passkey, and no other walk uses the person.
  mails: [
    { name: 'outbox, empty', show: open('/outbox') },
    {
      name: 'forgotten password, text',
      show: inTurn(
        open('/account-link/password-reset'),
        (visitor) => press('#send-link', { '#login': visitor.person(5).login })(visitor),
        openMail(/Hygie/),
      ),
      dark: true,
    },
    { name: 'forgotten password, HTML', show: press('#as-html') },
    {
      name: 'another address, HTML',
      show: inTurn(
        open('/account'),
        signInAs(5),
        open('/account/email'),
        press('#change-email', { '#email': 'camille.nouvelle@clinic.example' }),
        openMail(/adresse|address/),
        press('#as-html'),
      ),
    },
    {
      name: 'notice, HTML',
      show: inTurn(
        open('/account/deletion'),
        press('#request-deletion'),
        openMail(/suppression|deletion/),
        press('#as-html'),
      ),
    },
    { name: 'outbox', show: open('/outbox'), dark: true },
  ],
  errors: [
    { name: 'home', show: open('/'), dark: true },
    { name: 'nothing at this address', show: open('/no-such-page'), dark: true },
    { name: 'unknown application', show: open('/authorize?client_id=unknown&response_type=code') },
    { name: 'invalid request', show: open('/authorize?client_id=demo-server&response_type=token') },
    { name: 'expired sign-in', show: expiredSignIn },
  ],
  directory: [
    { name: 'reference', show: open('/directory/docs') },
    { name: 'try', dark: true, show: open('/directory/try') },
    { name: 'try, answered', dark: true, show: inTurn(press('#send'), signInAs(3), answered) },
  ],
  demo: [
    { name: 'start', show: open('/demo/') },
    { name: 'please sign in', show: open('/demo/practitioners') },
    { name: 'nothing at this address', show: open('/demo/no-such-page') },
    { name: 'answer that is not trusted', show: open('/demo/callback?code=x&state=x') },
    { name: 'cancelled', show: inTurn(toSignIn, signInAs(3), press('#refuse')) },
    { name: 'steps', show: inTurn(toSignIn, press('#allow')), dark: true },
    { name: 'search', show: open('/demo/practitioners') },
    { name: 'professionals', show: open('/demo/practitioners?name=martin'), dark: true },
    { name: 'professionals, by speciality and town', show: open('/demo/practitioners?name=kiné&address=Angers') },
    { name: 'professionals, none', show: open('/demo/practitioners?name=pédiatre&address=69003') },
    { name: 'professionals, too short', show: open('/demo/practitioners?name=m') },
    { name: 'professionals, refused', show: open(`/demo/practitioners?name=${'x'.repeat(300)}`) },
    { name: 'structures', show: open('/demo/organizations?name=hopital') },
    { name: 'professional', show: open('/demo/practitioners/819082680976'), dark: true },
    { name: 'structure', show: open('/demo/organizations/F694000027'), dark: true },
    { name: 'no such record', show: open('/demo/organizations/nobody') },
    { name: 'signed out', show: press('form[action$="/sign-out"] button') },
    {
      name: 'ended by the service',
      show: inTurn(toSignIn, signInAs(3), open('/logout'), press('#sign-out'), toldDemo),
    },
    { name: 'start, ended by the service', show: open('/demo/') },
  ],
};

/** A request of the demo that asks for this prompt. */
function ask(prompt: string) {
  return ({ page, issuer }: Visitor): Promise<unknown> => {
    const query = { client_id: 'hygie-try', response_type: 'code', scope: 'openid', version: '2.0.0', prompt };
    const proof = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256', state: 'x'.repeat(32) };
    const callback = { redirect_uri: `${issuer}/directory/try/signed-in` };
    return page.goto(`${issuer}/authorize?${new URLSearchParams({ ...query, ...proof, ...callback })}`);
  };
}

async function addPasskey({ page }: Visitor): Promise<void> {
  const device = await virtualAuthenticator(page);
  await device.unlocking(async () => {
    await page.click('#create-passkey');
    await page.locator('.recovery-codes').waitFor();
  });
}

/** Opens whatever is folded. */
async function unfold({ page }: Visitor): Promise<void> {
  for (const summary of await page.locator('details > summary').all()) await summary.click();
}

async function forgetMe({ page }: Visitor): Promise<void> {
  await page.context().clearCookies();
}

/** A page of a sign-in that another browser has begun. */
async function expiredSignIn(visitor: Visitor): Promise<void> {
  await toSignIn(visitor);
  await forgetMe(visitor);
  await visitor.page.reload();
}

/** The same person signs in with another browser. */
function elsewhere(nth: number) {
  return async (visitor: Visitor): Promise<void> => {
    const context = await visitor.page.context().browser()?.newContext();
    if (!context) return;
    const other = { ...visitor, page: await context.newPage() };
    await inTurn(open('/account'), signInAs(nth))(other);
    await context.close();
  };
}

/** A link for a new password; the mail is there once the queue has been worked through. */
function askForLink(nth: number) {
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
