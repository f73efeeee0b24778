// The page that asks for login and password, by what is known of the browser and the request, and after each mistake: its fields, its buttons,
// where the focus is, and whom to ask.

import { describe, expect, it } from '@jest/globals';
import { type LoginProblem, sendLoginPage, showLoginPage } from '#openid/sign-in/login/login-page.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { answerKept } from '#support/openid/shown-page.ts';
import { pageInStates } from '#support/page-states.ts';
import { transcript } from '#support/page-transcript.ts';
import { messagesIn } from '#web/messages.ts';
import { createSite } from '#web/site.ts';

interface State {
  login?: string;
  remember?: boolean;
  problem?: LoginProblem;
  kept?: { login?: string; shared?: true };
  account?: object;
  anew?: true;
  client?: string;
  hint?: string;
  passkey?: boolean;
  people?: number;
  sandbox?: boolean;
  mail?: boolean;
  supportUrl?: string;
  query?: object;
  arrival?: object;
  stillRight?: boolean;
}

describe('the sign-in page', () => {
  withOwnSnapshots(import.meta.filename);
  const personOf = (number: number) => ({
    login: `${number}@demo.example`,
    password: 'demo',
    name: `Person ${number}`,
    note: { fr: 'f', en: `note ${number}` },
  });
  const contextOf = ({ kept = {}, people = 0, mail = true, passkey = false, ...state }: State) => {
    const { shown, res } = answerKept();
    const branding = { name: 'Hygie', colour: '#0b5f6b', ...(state.supportUrl && { supportUrl: state.supportUrl }) };
    const site = createSite({ issuer: 'https://connect.example', branding });
    const asked: unknown[] = [];
    const context = {
      req: { method: 'GET', url: '/interaction/uid', headers: {}, query: state.query ?? {} },
      res,
      site: {
        ...site,
        mailAvailable: mail,
        sandbox: state.sandbox ?? false,
        people: Array.from({ length: people }, (_, index) => personOf(index)),
      },
      language: 'en',
      languageLink: (language: string) => `/interaction/uid?lang=${language}`,
      messages: messagesIn('en'),
      interaction: {
        uid: 'uid',
        client: { id: state.client ?? 'app', name: 'Application' },
        ...(state.account && { account: state.account }),
        ...(state.anew && { anew: true }),
        ...(state.hint && { loginHint: state.hint }),
      },
      path: '/interaction/uid',
      tokens: ['token'],
      formsLeadTo: [],
      passkeys: passkey
        ? { relyingPartyId: 'connect.example', challenges: { make: (purpose: string) => `for ${purpose}` } }
        : undefined,
      kept: { read: () => kept },
      arrivals: {
        take: async () => {
          asked.push('arrival');
          return state.arrival;
        },
      },
      stillRight: async (...given: unknown[]) => {
        asked.push(given);
        return state.stillRight ?? false;
      },
      // Here the next step begins, which ends these tests.
      secondFactors: { kinds: (id: string) => Promise.reject(new Error(`${id} goes on`)) },
    };
    return { context: context as never, shown, asked };
  };
  const show = ({ login = '', remember = false, problem, ...state }: State) => {
    const { context, shown } = contextOf(state);
    sendLoginPage(context, { login, remember, ...(problem && { problem }) });
    return shown;
  };

  it('is for the browser and the request, and says each mistake', () => {
    const again = { account: { id: 'a' } };
    const states: [string, State][] = [
      ['as it opens', {}],
      ['of the own pages', { client: 'hygie-account' }],
      ['with an address', { login: 'a"b', remember: true }],
      ['without a login', { problem: { kind: 'incomplete', login: true, password: false } }],
      ['while many sign in', { login: 'a', problem: { kind: 'busy' } }],
      ['after too many failures', { login: 'a', problem: { kind: 'waiting', seconds: 90, of: 'account' } }],
      ['of a browser with a passkey', { passkey: true }],
      ['of a browser that keeps the address', { kept: { login: 'a' } }],
      ['of a browser that people share', { kept: { shared: true } }],
      ['that confirms who is signed in', { ...again, kept: { login: 'a' } }],
      ['of the own pages, that confirms who is signed in', { ...again, client: 'hygie-account' }],
      ['for another person', { anew: true, kept: { shared: true } }],
      ['where no mails are sent', { mail: false }],
      ['where the operator has a page for help', { supportUrl: 'https://help.example/' }],
      ['with fictional people', { people: 6 }],
      ['with fictional people, the fifth by a hint', { people: 6, hint: '4@demo.example' }],
      ['with fictional people, of whom one is signed in', { people: 6, ...again }],
      ['of a sandbox', { people: 1, sandbox: true }],
    ];
    const pages = states.map(([name, state]): [string, string] => {
      const { status, html, headers } = show(state);
      const wait = headers['retry-after'] ? `, again in ${headers['retry-after']} s` : '';
      return [name, `${status}${wait}\n${transcript(html, { ids: true })}`];
    });
    expect(pageInStates(pages)).toMatchSnapshot();
  });

  it('tells a script whether there are passkeys', () => {
    for (const passkey of [true, false]) expect(show({ passkey }).html.includes('name="authenticator"')).toBe(passkey);
  });

  it('has what a fictional person signs in with, the one of a hint first', () => {
    expect(/Person \d/.exec(show({ people: 6, hint: '4@demo.example' }).html)?.[0]).toBe('Person 4');
    expect(show({ people: 1 }).html).toContain(
      '<input type="hidden" name="login" value="0@demo.example"><input type="hidden" name="password" value="demo">',
    );
  });

  describe('at first', () => {
    const first = async (state: State) => {
      const { context, shown, asked } = contextOf(state);
      await showLoginPage(context);
      const [, value] = /<input [^>]*id="login"[^>]* value="([^"]*)"/.exec(shown.html) ?? [];
      return [value ?? '', shown.html.includes(' checked>'), asked];
    };

    it.each<[string, State, string, boolean]>([
      ['nothing', {}, '', false],
      ['the hint', { hint: 'h', kept: { login: 'k' } }, 'h', true],
      ['the kept address', { kept: { login: 'k' } }, 'k', true],
      ['who is signed in', { account: { id: 'a', email: 'e' }, kept: { login: 'k' } }, 'e', false],
      ['nobody, for another person', { anew: true, kept: { login: 'k' } }, '', false],
      ['nobody, where somebody else may sign in', { account: { id: 'a', email: 'e' }, query: { anew: '' } }, '', false],
    ])('has %s', async (_, state, login, checked) => {
      expect(await first(state)).toEqual([login, checked && !state.account && !state.anew, []]);
    });

    it('asks for an arrival at the own pages alone, which counts as long as its password is right', async () => {
      const arrival = { accountId: 'a', passwordHashDigest: 'd' };
      const own = { client: 'hygie-account' };
      expect((await first({ ...own }))[2]).toEqual(['arrival']);
      expect((await first({ ...own, arrival }))[2]).toEqual(['arrival', ['a', 'd']]);
      await expect(first({ ...own, arrival, stillRight: true })).rejects.toThrow('a goes on');
    });
  });
});
