// Drives a person's own space: every page is shown, every form sent, with personal data and secrets in it.

import { PAGES } from '#openid/account/page-context.ts';
import type { Stage } from '#support/hygiene/stage.ts';
import { appOf, recoveryCodesOn } from '#support/openid/account/person-of-account.ts';
import { pressIfThere } from './sign-in.ts';

export async function driveAccount(stage: Stage): Promise<void> {
  const { browser, canaries, credentials, send, service } = stage;
  const me = 'mona';
  const mona = browser(me);
  const own = (kind: string) => canaries.make(kind, me);
  const open = async (page: keyof typeof PAGES) => {
    const shown = await mona.visit(`/account${PAGES[page]}`);
    return pressIfThere(mona, shown, 'sign-in', credentials(5));
  };
  for (const page of Object.keys(PAGES) as (keyof typeof PAGES)[]) await open(page);
  await mona.visit(`/account/signed-in?code=${own('authorization code')}&state=${own('state')}`);

  await mona.press(await open('editProfile'), 'save-profile', {
    name: own('name'),
    nickname: own('name'),
    given: own('name'),
    family: own('name'),
  });
  const { html } = await open('profile');
  await send('anybody', /src="([^"]*\/picture\/[^"]+)"/.exec(html)?.[1] ?? '/picture/none.svg');
  await mona.press(await open('data'), 'download-data');
  await mona.press(await open('deletion'), 'request-deletion');
  await mona.press(await open('withdrawDeletion'), 'withdraw-deletion');

  for (const again of ['x', '']) {
    const password = own('new password');
    await mona.press(await open('password'), 'save-password', {
      password: credentials(5).password + again,
      'new-password': password,
      'new-password-again': password,
    });
  }
  const email = await open('email');
  await pressIfThere(mona, email, 'change-email', { email: `${own('new e-mail')}@new.example` });
  await pressIfThere(mona, await open('email'), 'verify-email');

  const setUp = await open('secondFactor');
  const app = appOf(setUp);
  await mona.press(setUp, 'set-up', { code: own('second factor code') });
  const done = await mona.press(setUp, 'set-up', { code: canaries.note('second factor code', me, app()) });
  const codes = recoveryCodesOn(done);
  await mona.visit('/account/second-factor/recovery-codes/saved', {
    method: 'POST',
    body: new URLSearchParams({ csrf: /name="csrf" value="([^"]+)"/.exec(done.html)?.[1] ?? '', saved: 'yes' }),
    headers: { origin: service.issuer },
  });
  await pressIfThere(mona, await open('recoveryCodes'), 'renew', { recovery: codes[0] ?? '', code: app(1) });
  await pressIfThere(mona, await open('removal'), 'remove', {
    recovery: codes[1] ?? '',
    code: own('second factor code'),
  });

  const csrf = /name="csrf" value="([^"]+)"/.exec((await open('editProfile')).html)?.[1] ?? '';
  for (const page of Object.keys(PAGES) as (keyof typeof PAGES)[]) {
    const fields = {
      csrf,
      client: own('form field'),
      session: own('form field'),
      passkey: own('passkey'),
      rename: own('form field'),
      workspace: own('form field'),
    };
    const init = { method: 'POST', body: new URLSearchParams(fields), headers: { origin: service.issuer } };
    await mona.visit(`/account${PAGES[page]}?password=${own('password')}`, init);
  }
}
