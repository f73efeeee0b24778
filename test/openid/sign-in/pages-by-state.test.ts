// Every page of a sign-in in every state of an account and after every mistake, by its sentences, over HTTP.

import { describe, expect, it } from '@jest/globals';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { withAccountAnew } from '#support/openid/account/account-anew.ts';
import { addApp, addPasskey } from '#support/openid/account/factors.ts';
import { authorizationUrl, CREDENTIALS } from '#support/openid/relying-party.ts';
import { TWO } from '#support/openid/two-steps.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { pageInStates, unstyled } from '#support/page-states.ts';
import { transcript } from '#support/page-transcript.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { DEMO_ACCOUNTS } from '#support/service.ts';

describe('pages of a sign-in by its state', () => {
  withOwnSnapshots(import.meta.filename);
  const ME = DEMO_ACCOUNTS[0]?.id ?? '';

  let person: Person;
  withService();
  const anew = withAccountAnew(ME, (one) => {
    person = one;
  });

  const open = (parameters: Record<string, string> = {}) => person.visit(authorizationUrl(service, parameters));
  const enter = async (parameters: Record<string, string> = {}) =>
    person.press(await open(parameters), 'sign-in', CREDENTIALS);
  const shown = ({ status, html, left }: Visit) => {
    if (left) return `${status} -> ${left.origin}`;
    expect(unstyled(html)).toEqual([]);
    return `${status}\n${transcript(html, { ids: true })}`;
  };

  /** Compares the pages that follow, each of them for the account as it was at the start. */
  const expectPages = async (states: [string, () => Promise<Visit>][]) => {
    const pages: [string, string][] = [];
    for (const [name, come] of states) {
      await anew();
      pages.push([name, shown(await come())]);
    }
    expect(pageInStates(pages)).toMatchSnapshot();
  };
  /** The answers to these forms of a page. */
  const answers = (
    come: () => Promise<Visit>,
    button: string,
    forms: Record<string, Record<string, string>>,
  ): [string, () => Promise<Visit>][] =>
    Object.entries(forms).map(([name, fields]) => [name, async () => person.press(await come(), button, fields)]);
  const ELSEWHERE = { csrf: 'of-another-browser' };

  describe('the sign-in page', () => {
    it('as it opens, and after each mistake', async () => {
      await expectPages([
        ['as it opens', open],
        ['with a hint of the login', () => open({ login_hint: CREDENTIALS.login })],
        ['for a client of few rights', () => open({ client_id: 'narrow', scope: 'openid email' })],
        ...answers(open, 'sign-in', {
          'after nothing': {},
          'without a password': { login: CREDENTIALS.login },
          'after a wrong password': { ...CREDENTIALS, password: 'wrong' },
          'after a login that nobody has': { login: 'nobody@demo.example', password: 'wrong' },
          'after the form of another browser': { ...CREDENTIALS, ...ELSEWHERE },
        }),
      ]);
    });

    it('says so in an address of another browser', async () => {
      const { url } = await open();
      await anew();
      expect(shown(await person.visit(url))).toMatchSnapshot();
    });
  });

  describe('the second step', () => {
    const withApp = () => addApp(service, ME).then(() => enter());

    it('of each factor, and after each mistake', async () => {
      await expectPages([
        ['an app', withApp],
        ['a passkey', () => addPasskey(service, ME).then(() => enter())],
        ['an app and a passkey', () => addPasskey(service, ME).then(withApp)],
        ...answers(withApp, 'verify', {
          'after no code': {},
          'after a wrong code': { code: '000000' },
          'after the form of another browser': { code: '000000', ...ELSEWHERE },
        }),
      ]);
    });

    it('takes the code of the app, and a recovery code once', async () => {
      const {
        recoveryCodes: [recovery = ''],
        code,
      } = await addApp(service, ME);
      const pages: [string, string][] = [
        ['after a code', shown(await person.press(await enter(), 'verify', { code: code() }))],
      ];
      for (const name of ['after a recovery code', 'after the same one']) {
        person = createPerson(service.issuer);
        person.cookies.set('hygie_language /', 'en');
        pages.push([
          name,
          shown(await person.press(await enter({ prompt: 'login' }), 'verify-recovery', { recovery })),
        ]);
      }
      expect(pageInStates(pages)).toMatchSnapshot();
    });

    it('is set up on the way where the client demands one', async () => {
      const demanded = () => enter(TWO);
      await expectPages([
        ['as it opens', demanded],
        ...answers(demanded, 'set-up', { 'after no code': {}, 'after a wrong code': { code: '000000' } }),
      ]);
    });
  });

  it('a new password, where an operator chose the present one', async () => {
    const enterThere = async () => {
      await service.database('accounts').where({ id: ME }).update({ password_change_required: true });
      return enter();
    };
    const twice = (password: string) => ({ 'new-password': password, 'new-password-again': password });
    await expectPages(
      answers(enterThere, 'save-password', {
        'after nothing': {},
        'after two that differ': { ...twice('four unrelated words here'), 'new-password-again': 'four others' },
        'after a short one': twice('short'),
        'after a common one': twice('manchesterunited'),
        'after the name': twice('Mathilde Du Chardey'),
        'after the present one': twice(CREDENTIALS.password),
        'after a good one': twice('four unrelated words here'),
      }),
    );
  });

  describe('choices on the way', () => {
    it('consent, and who is signed in', async () => {
      await expectPages([['as it opens', () => enter()], ...answers(() => enter(), 'allow', { elsewhere: ELSEWHERE })]);
    });

    it('the account, of who is signed in', async () => {
      const choose = async () => {
        await person.press(await enter(), 'allow');
        return open({ prompt: 'select_account' });
      };
      await expectPages([
        ['as it opens', choose],
        ...answers(choose, 'continue', { 'after the form of another browser': ELSEWHERE }),
        ...answers(choose, 'other-account', { 'for another account': {} }),
      ]);
    });
  });
});
