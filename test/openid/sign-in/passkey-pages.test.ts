// Every page of a sign-in that offers a passkey, in every state of an account and after every mistake, by its sentences, over HTTP.

import { describe, expect, it } from '@jest/globals';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { withAccountAnew } from '#support/openid/account/account-anew.ts';
import { addApp, addPasskey } from '#support/openid/account/factors.ts';
import { authorizationUrl, CREDENTIALS } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { pageInStates } from '#support/page-states.ts';
import { transcript } from '#support/page-transcript.ts';
import type { Person } from '#support/person.ts';
import { DEMO_ACCOUNTS } from '#support/service.ts';

describe('pages of passkeys', () => {
  withOwnSnapshots(import.meta.filename);
  const ME = DEMO_ACCOUNTS[0]?.id ?? '';

  let person: Person;
  // Passkeys need a name; no browser takes them at an address of numbers.
  withService({ adjust: (settings) => ({ ...settings, issuer: settings.issuer.replace('127.0.0.1', 'localhost') }) });
  const anew = withAccountAnew(ME, (one) => {
    person = one;
  });

  const open = () => person.visit(authorizationUrl(service));
  const enter = async () => person.press(await open(), 'sign-in', CREDENTIALS);

  it.each([
    ['the sign-in page', open],
    ['the second step with a passkey', () => addPasskey(service, ME).then(enter)],
    [
      'the second step with both',
      () =>
        addApp(service, ME)
          .then(() => addPasskey(service, ME))
          .then(enter),
    ],
  ])('%s', async (_, come) => {
    const shown: [string, string][] = [];
    for (const [what, fields] of [
      ['as it opens', undefined],
      ['after an answer without a passkey', {}],
      ['after a passkey that is none', { passkey: '{"id":"x"}' }],
      ['after the form of another browser', { passkey: '{}', csrf: 'of-another-browser' }],
    ] as const) {
      await anew();
      const page = await come();
      const { status, html } = fields ? await person.press(page, 'use-passkey', fields) : page;
      shown.push([what, `${status}\n${transcript(html, { ids: true })}`]);
    }
    expect(pageInStates(shown)).toMatchSnapshot();
  });
});
