// Drives the pages of a sign-in: strangers, wrong passwords, second factors, passkeys, consent, mailed links, and the demo.

import type { Stage } from '#support/hygiene/stage.ts';
import { linkFor } from '#support/openid/account/links.ts';
import { appOf, idOf, recoveryCodesOn } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl } from '#support/openid/relying-party.ts';
import type { Person, Visit } from '#support/person.ts';
import { optionsIn, softwareAuthenticator } from '#support/webauthn/software-authenticator.ts';

/** A stranger without an account types all kinds of things into every field. */
export async function driveStranger({ browser, canaries, service }: Stage): Promise<void> {
  const stranger = browser('stranger');
  const open = () =>
    stranger.visit(authorizationUrl(service, { login_hint: canaries.make('login_hint', 'stranger', 'hint.') }));
  const password = canaries.make('password', 'stranger');
  const email = `${canaries.make('e-mail of a stranger', 'stranger')}@nowhere.example`;
  const page = await open();
  await stranger.press(page, 'sign-in', { login: email, password });
  await stranger.press(page, 'sign-in', { login: canaries.make('password in the e-mail field', 'stranger'), password });
  await stranger.press(page, 'sign-in', { login: email, password, csrf: canaries.make('csrf token', 'stranger') });
  await stranger.press(page, 'sign-in', { login: `${email}\r\n{"level":"fatal"}\0`, password });
  const { pathname } = new URL(page.url);
  const fields = (): Record<string, string> => ({
    csrf: /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? '',
    login: email,
    password: canaries.make('password', 'stranger'),
    'new-password': canaries.make('new password', 'stranger'),
    code: canaries.make('second factor code', 'stranger'),
    recovery: canaries.make('recovery code', 'stranger'),
    passkey: JSON.stringify({ id: canaries.make('passkey', 'stranger') }),
    workspace: canaries.make('form field', 'stranger'),
    [canaries.make('form field', 'stranger')]: canaries.make('form field', 'stranger'),
  });
  const forms = [
    'language',
    'passkey',
    'code',
    'second-factor',
    'continue',
    'new-password',
    'consent',
    'same-account',
    'workspace',
    'other-account',
    ...['forget', 'not-shared', 'new-passkey', 'later', 'shared'],
  ];
  for (const form of [...forms, 'cancel']) {
    await stranger.visit(`${pathname}/${form}`, {
      method: 'POST',
      body: new URLSearchParams(fields()),
      headers: { origin: service.issuer },
    });
    await stranger.visit(`${pathname}/${form}?password=${password}`);
  }
  await stranger.visit(`/interaction/${canaries.make('interaction id', 'stranger')}/login`, {
    method: 'POST',
    body: new URLSearchParams(fields()),
  });
  await stranger.visit((await open()).url.replace(/\/interaction\/.*/, `/interaction/${password}`));
}

/** Password, second factor and recovery code, passkey, consent that is refused and given. */
export async function driveSignIns(stage: Stage): Promise<void> {
  const { browser, canaries, credentials, service } = stage;
  const loic = browser('loic');
  const strict = () =>
    authorizationUrl(service, { client_id: 'strict', prompt: 'login', state: canaries.make('state', 'loic') });
  const right = credentials(1);
  const wrong = { login: right.login, password: canaries.make('password', 'loic') };
  const page = await loic.visit(strict());
  await loic.press(page, 'sign-in', wrong);
  const setUp = await loic.press(page, 'sign-in', right);
  const app = appOf(setUp);
  await loic.press(setUp, 'set-up', { code: canaries.make('second factor code', 'loic') });
  const codes = await loic.press(setUp, 'set-up', { code: canaries.note('second factor code', 'loic', app()) });
  const [recovery = ''] = recoveryCodesOn(codes);
  const consent = await loic.press(codes, 'continue', { saved: 'yes' });
  await pressIfThere(loic, consent, 'refuse');
  for (const fields of [
    { code: canaries.make('second factor code', 'loic') },
    { recovery: canaries.make('recovery code', 'loic') },
    { recovery },
    { recovery },
  ]) {
    const step = await loic.press(await loic.visit(strict()), 'sign-in', right);
    await pressIfThere(loic, await pressIfThere(loic, step, 'verify', fields), 'allow');
  }
  await drivePasskeys(stage);
  await driveOffers(stage);
}

async function drivePasskeys({ browser, canaries, credentials, service }: Stage): Promise<void> {
  const nora = browser('nora');
  const device = softwareAuthenticator(service.issuer);
  const page = await nora.press(await nora.visit('/account/passkeys'), 'sign-in', credentials(2));
  const { answer, passkey } = device.create(optionsIn(page));
  for (const text of [answer.slice(0, -20), JSON.stringify({ id: canaries.make('passkey', 'nora') })]) {
    await nora.press(page, 'create-passkey', { passkey: text });
  }
  canaries.note('passkey', 'nora', passkey.id);
  canaries.note('passkey user handle', 'nora', passkey.userHandle);
  const made = await nora.press(page, 'create-passkey', { passkey: answer });
  const [code = ''] = recoveryCodesOn(made);
  canaries.note('recovery code', 'nora', code);
  const again = browser('nora again');
  const open = () => again.visit(authorizationUrl(service, { prompt: 'login' }));
  for (const flaws of [{ forged: true }, { origin: 'https://evil.example' }, {}]) {
    const login = await open();
    const response = device.get(optionsIn(login), passkey, flaws);
    canaries.note('passkey signature', 'nora', JSON.parse(response).response.signature);
    await again.press(login, 'use-passkey', { passkey: response });
  }
}

/** The passkey that is offered after a password: put off, refused and made, at a browser that keeps the address. */
async function driveOffers({ browser, canaries, credentials, service }: Stage): Promise<void> {
  const louise = browser('louise');
  const device = softwareAuthenticator(service.issuer);
  /** The sign-in page, as without a session. */
  const open = () => {
    for (const cookie of louise.cookies.keys()) if (cookie.includes('hygie_session')) louise.cookies.delete(cookie);
    return louise.visit(authorizationUrl(service));
  };
  const enter = async () =>
    louise.press(await open(), 'sign-in', { ...credentials(6), authenticator: 'yes', remember: 'yes' });
  await enter();
  await louise.press(await enter(), 'shared');
  await louise.press(await open(), 'not-shared');
  const offer = await enter();
  await louise.press(offer, 'create-passkey', { passkey: canaries.make('passkey', 'louise') });
  const { answer, passkey } = device.create(optionsIn(offer));
  canaries.note('passkey', 'louise', passkey.id);
  canaries.note('passkey user handle', 'louise', passkey.userHandle);
  const made = await louise.press(offer, 'create-passkey', { passkey: answer });
  const [code = ''] = recoveryCodesOn(made);
  canaries.note('recovery code', 'louise', code);
  await pressIfThere(louise, made, 'continue', { saved: 'yes' });
}

/** The links of mails: each kind, right and wrong, with the passwords that are sent by them. */
export async function driveLinks(stage: Stage): Promise<void> {
  const { browser, canaries, service } = stage;
  const owner = browser('owner of the link');
  const stranger = browser('stranger');
  const account = idOf(3);
  const forgotten = await stranger.visit('/account-link/password-reset');
  for (const email of [
    stage.credentials(3).login,
    `${canaries.make('e-mail of a stranger', 'stranger')}@nowhere.example`,
  ]) {
    await stranger.press(forgotten, 'send-link', { email, login: email });
  }
  const noted = async (purpose: Parameters<typeof linkFor>[1], email?: string) => {
    const link = await linkFor(service, purpose, account, email);
    canaries.note('link token', 'owner of the link', link.slice(link.lastIndexOf('/') + 1));
    return link;
  };
  for (const purpose of ['password-reset', 'invitation'] as const) {
    const page = await owner.visit(await noted(purpose));
    const short = canaries.make('new password', 'owner of the link').slice(0, 8);
    await pressIfThere(owner, page, 'save-password', { 'new-password': short, 'new-password-again': short });
    const password = canaries.make('new password', 'owner of the link');
    await pressIfThere(owner, page, 'save-password', { 'new-password': password, 'new-password-again': password });
    await owner.visit(`/account-link/${purpose}/${canaries.make('link token', 'stranger')}`);
    await owner.visit(`/account-link/${purpose}/${canaries.make('link token', 'stranger')}`, {
      method: 'POST',
      body: new URLSearchParams({ 'new-password': password }),
      headers: { origin: service.issuer },
    });
  }
  for (const purpose of ['email-verification', 'email-change'] as const) {
    const email = `${canaries.make('new e-mail', 'owner of the link')}@new.example`;
    const page = await owner.visit(await noted(purpose, email));
    await pressIfThere(owner, page, 'confirm');
  }
}

/** The demo, as far as it is reached without a script. */
export async function driveDemo({ browser, canaries, credentials, send, service }: Stage): Promise<void> {
  const visitor = browser('visitor of the demo');
  const post = { method: 'POST', headers: { origin: service.issuer } };
  await visitor.visit('/demo/');
  const start = await visitor.visit('/demo/sign-in', post);
  const back = await visitor.signIn(start.url, credentials(4));
  await visitor.visit(back);
  await visitor.visit(`/demo/towns?begin=${canaries.make('search', 'visitor of the demo')}`);
  for (const path of ['steps', 'practitioners', 'organizations']) {
    await visitor.visit(`/demo/${path}?name=${canaries.make('search', 'visitor of the demo')}&address=Lyon`);
    await visitor.visit(`/demo/${path}/${canaries.make('search', 'visitor of the demo')}`);
  }
  for (const record of ['practitioners/819082680976', 'organizations/F694000027'])
    await visitor.visit(`/demo/${record}`);
  await visitor.visit(
    `/demo/callback?code=${canaries.make('authorization code', 'stranger')}&state=${canaries.make('state', 'stranger')}`,
  );
  const logout = new URLSearchParams({
    logout_token: `eyJhbGciOiJub25lIn0.${canaries.make('logout token', 'stranger')}.x`,
  });
  await send('stranger', '/demo/backchannel-logout', { method: 'POST', body: logout });
  await visitor.visit('/demo/sign-out', post);
  await visitor.visit(`/directory/try/signed-in?code=${canaries.make('authorization code', 'stranger')}`);
  await visitor.visit(`/demo/${canaries.make('address', 'stranger')}`);
}

/** Presses a button where the page has it, whatever it has come to. */
export function pressIfThere(
  person: Person,
  page: Visit,
  button: string,
  fields?: Record<string, string>,
): Promise<Visit> {
  return page.html.includes(`id="${button}"`) ? person.press(page, button, fields) : Promise.resolve(page);
}
