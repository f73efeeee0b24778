// Every page of a sign-in in every state of an account and after every mistake, by its sentences, over HTTP.

import { beforeEach, describe, expect, it } from '@jest/globals';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { withAccountAnew } from '#support/openid/account/account-anew.ts';
import { addApp, addPasskey } from '#support/openid/account/factors.ts';
import { authorizationUrl, CREDENTIALS } from '#support/openid/relying-party.ts';
import { TWO } from '#support/openid/two-steps.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { transcript } from '#support/page-transcript.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { DEMO_ACCOUNTS } from '#support/service.ts';

describe('pages of a sign-in by its state', () => {
  withOwnSnapshots(import.meta.filename);
  const ME = DEMO_ACCOUNTS[0]?.id ?? '';

  let person: Person;
  withService();
  withAccountAnew(ME, (one) => {
    person = one;
  });

  const open = (parameters: Record<string, string> = {}) => person.visit(authorizationUrl(service, parameters));
  const enter = async (parameters: Record<string, string> = {}) =>
    person.press(await open(parameters), 'sign-in', CREDENTIALS);
  const shown = ({ status, html, left }: Visit) =>
    left ? `${status} -> ${left.origin}` : `${status}\n${transcript(html)}`;

  describe('the sign-in page', () => {
    it.each([
      ['as it opens', {}],
      ['with a hint of the login', { login_hint: CREDENTIALS.login }],
      ['for a client of few rights', { client_id: 'narrow', scope: 'openid email' }],
    ])('%s', async (_, parameters) => {
      expect(shown(await open(parameters))).toMatchSnapshot();
    });

    it.each([
      ['nothing', {}],
      ['no password', { login: CREDENTIALS.login }],
      ['a wrong password', { ...CREDENTIALS, password: 'wrong' }],
      ['a login that nobody has', { login: 'nobody@demo.example', password: 'wrong' }],
      ['the form of another browser', { ...CREDENTIALS, csrf: 'of-another-browser' }],
    ])('answers %s', async (_, fields) => {
      expect(shown(await person.press(await open(), 'sign-in', fields))).toMatchSnapshot();
    });

    it('goes back to the client when it is cancelled', async () => {
      const { left } = await person.press(await open(), 'cancel');
      expect(left?.searchParams.get('error')).toBe('access_denied');
    });

    it('says so in an address of another browser', async () => {
      const { url } = await open();
      person = createPerson(service.issuer);
      person.cookies.set('hygie_language /', 'en');
      expect(shown(await person.visit(url))).toMatchSnapshot();
    });
  });

  describe('the second step', () => {
    it.each([
      ['an app', () => addApp(service, ME)],
      ['a passkey', () => addPasskey(service, ME)],
      ['an app and a passkey', () => addApp(service, ME).then(() => addPasskey(service, ME))],
    ])('asks for %s', async (_, prepare) => {
      await prepare();
      expect(shown(await enter())).toMatchSnapshot();
    });

    it.each([
      ['no code', {}],
      ['a wrong code', { code: '000000' }],
      ['the form of another browser', { code: '000000', csrf: 'of-another-browser' }],
    ])('answers %s', async (_, fields) => {
      await addApp(service, ME);
      expect(shown(await person.press(await enter(), 'verify', fields))).toMatchSnapshot();
    });

    it('takes the code of the app, and a recovery code once', async () => {
      const {
        recoveryCodes: [recovery = ''],
        code,
      } = await addApp(service, ME);
      expect(shown(await person.press(await enter(), 'verify', { code: code() }))).toMatchSnapshot();
      for (let times = 0; times < 2; times += 1) {
        person = createPerson(service.issuer);
        person.cookies.set('hygie_language /', 'en');
        expect(
          shown(await person.press(await enter({ prompt: 'login' }), 'verify-recovery', { recovery })),
        ).toMatchSnapshot();
      }
    });

    it('is set up on the way where the client demands one', async () => {
      const page = await enter(TWO);
      expect(shown(page)).toMatchSnapshot();
      for (const fields of [{}, { code: '000000' }] as const)
        expect(shown(await person.press(page, 'set-up', fields))).toMatchSnapshot();
    });
  });

  describe('a new password, where an operator chose the present one', () => {
    beforeEach(() => service.database('accounts').where({ id: ME }).update({ password_change_required: true }));
    const twice = (password: string) => ({ 'new-password': password, 'new-password-again': password });

    it.each([
      ['nothing', {}],
      ['two that differ', { 'new-password': 'four unrelated words here', 'new-password-again': 'four others' }],
      ['a short one', twice('short')],
      ['a common one', twice('manchesterunited')],
      ['the name', twice('Mathilde Du Chardey')],
      ['the present one', twice(CREDENTIALS.password)],
      ['a good one', twice('four unrelated words here')],
    ])('answers %s', async (_, fields) => {
      const page = await enter();
      expect(shown(await person.press(page, 'save-password', fields))).toMatchSnapshot();
    });
  });

  describe('choices on the way', () => {
    it('consent, and who is signed in', async () => {
      const page = await enter();
      expect(shown(page)).toMatchSnapshot();
      expect(shown(await person.press(page, 'allow', { csrf: 'of-another-browser' }))).toMatchSnapshot();
      const { left } = await person.press(page, 'refuse');
      expect(left?.searchParams.get('error')).toBe('access_denied');
    });

    it('the account, of who is signed in', async () => {
      await person.press(await enter(), 'allow');
      const page = await open({ prompt: 'select_account' });
      expect(shown(page)).toMatchSnapshot();
      expect(shown(await person.press(page, 'continue', { csrf: 'of-another-browser' }))).toMatchSnapshot();
      expect(shown(await person.press(page, 'other-account'))).toMatchSnapshot();
    });
  });
});
