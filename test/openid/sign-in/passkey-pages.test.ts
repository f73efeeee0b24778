// Every page of a sign-in that offers a passkey, in every state of an account and after every mistake, by its sentences, over HTTP.

import { describe, expect, it } from '@jest/globals';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { withAccountAnew } from '#support/openid/account/account-anew.ts';
import { addApp, addPasskey } from '#support/openid/account/factors.ts';
import { authorizationUrl, CREDENTIALS } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { transcript } from '#support/page-transcript.ts';
import type { Person, Visit } from '#support/person.ts';
import { DEMO_ACCOUNTS } from '#support/service.ts';

describe('pages of passkeys', () => {
  withOwnSnapshots(import.meta.filename);
  const ME = DEMO_ACCOUNTS[0]?.id ?? '';

  let person: Person;
  // Passkeys need a name; no browser takes them at an address of numbers.
  withService({ adjust: (settings) => ({ ...settings, issuer: settings.issuer.replace('127.0.0.1', 'localhost') }) });
  withAccountAnew(ME, (one) => {
    person = one;
  });

  const open = () => person.visit(authorizationUrl(service));
  const shown = ({ status, html }: Visit) => `${status}\n${transcript(html)}`;

  const ANSWERS: [what: string, fields: Record<string, string> | undefined][] = [
    ['as it opens', undefined],
    ['after an answer without a passkey', {}],
    ['after a passkey that is none', { passkey: '{"id":"x"}' }],
    ['after the form of another browser', { passkey: '{}', csrf: 'of-another-browser' }],
  ];

  describe('the sign-in page with passkeys', () => {
    it.each(ANSWERS)('%s', async (_, fields) => {
      const page = await open();
      expect(shown(fields ? await person.press(page, 'use-passkey', fields) : page)).toMatchSnapshot();
    });
  });

  describe.each([
    ['a passkey', () => addPasskey(service, ME)],
    ['an app and a passkey', () => addApp(service, ME).then(() => addPasskey(service, ME))],
  ])('the second step of an account with %s', (_, prepare) => {
    it.each(ANSWERS)('%s', async (_what, fields) => {
      await prepare();
      const page = await person.press(await open(), 'sign-in', CREDENTIALS);
      expect(shown(fields ? await person.press(page, 'use-passkey', fields) : page)).toMatchSnapshot();
    });
  });
});
