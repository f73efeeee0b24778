// The page that asks for login and password, by what is known of the browser and the request, and after each mistake: its fields, its buttons,
// where the focus is, and whom to ask.

import { describe, expect, it } from '@jest/globals';
import { asksToKeep, type LoginProblem, sendLoginPage, showLoginPage } from '#openid/sign-in/login/login-page.ts';
import { answerKept } from '#support/openid/shown-page.ts';
import { messagesIn } from '#web/messages.ts';
import { createSite } from '#web/site.ts';

const { signIn, links, passkeys, sandbox, home } = messagesIn('en');

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
    };
    return { context: context as never, shown, asked };
  };
  const show = ({ login = '', remember = false, problem, ...state }: State) => {
    const { context, shown } = contextOf(state);
    sendLoginPage(context, { login, remember, ...(problem && { problem }) });
    const ids = [...shown.html.matchAll(/<(?:button|input)\b[^>]*\bid="([\w-]+)"/g)].map(([, id]) => id);
    const focused = [...shown.html.matchAll(/<(\w+)\b([^>]*)\sautofocus\b/g)].map(
      ([, tag, attributes]) => /\bid="([\w-]+)"/.exec(attributes ?? '')?.[1] ?? tag,
    );
    return { ...shown, text: shown.lines.join('\n'), ids, focused };
  };
  const said = (text: string) => text.replaceAll('\u2011', '-').replaceAll(/[\u00a0\u202f]/g, ' ');
  const without = (what: 'login' | 'password' | 'both'): State => ({
    problem: { kind: 'incomplete', login: what !== 'password', password: what !== 'login' },
  });
  const WRONG = { kind: 'wrong' } as const;
  const passkey = (kind: 'wrong' | 'stale'): State => ({ passkey: true, problem: { kind, of: 'passkey' } });
  const USUAL = ['login', 'password', 'remember', 'sign-in', 'cancel'];

  it.each<[string, State, number, string, string[]]>([
    ['as it opens', {}, 200, 'login', []],
    ['with an address', { login: 'a@clinic.example' }, 200, 'password', []],
    ['without both', without('both'), 422, 'login', [signIn.loginMissing, signIn.passwordMissing, signIn.incomplete]],
    ['without a login', without('login'), 422, 'login', [signIn.loginMissing]],
    ['without a password', { login: 'a', ...without('password') }, 422, 'password', [signIn.passwordMissing]],
    ['with a wrong one', { login: 'a', problem: WRONG }, 422, 'password', [signIn.wrong, signIn.wrongAdvice]],
    ['of elsewhere', { problem: { kind: 'stale' } }, 403, 'notice', [signIn.stale, signIn.staleAdvice]],
    ['while many sign in', { login: 'a', problem: { kind: 'busy' } }, 503, 'notice', [signIn.busy, signIn.busyAdvice]],
    ['with a passkey that does not fit', passkey('wrong'), 422, 'notice', [passkeys.refused, passkeys.refusedAdvice]],
    ['with a passkey of elsewhere', passkey('stale'), 403, 'notice', [passkeys.stale, passkeys.staleAdvice]],
  ])('%s: status, focus and words', (_, state, status, focus, texts) => {
    const { focused, text, ...shown } = show(state);
    expect([shown.status, focused.map((one) => (one === 'problem' ? 'notice' : one))]).toEqual([status, [focus]]);
    for (const one of texts) expect(text).toContain(said(one));
    const { loginMissing, passwordMissing, wrong, stale, busy } = signIn;
    for (const one of [loginMissing, passwordMissing, wrong, stale, busy, passkeys.refused, passkeys.stale])
      if (!texts.includes(one)) expect(text).not.toContain(said(one));
    expect(shown.headers['retry-after']).toBe(status === 503 ? '15' : undefined);
  });

  it('after too many failures says until when', () => {
    const { status, headers, text, focused } = show({
      login: 'a',
      problem: { kind: 'waiting', seconds: 90, of: 'account' },
    });
    expect([status, headers['retry-after'], focused]).toEqual([429, '90', ['problem']]);
    expect(text).toContain('(notice-title)');
  });

  it.each<[string, State, string[]]>([
    ['of a browser that keeps nothing', {}, USUAL],
    ['of a browser with a passkey', { passkey: true }, USUAL.toSpliced(4, 0, 'use-passkey')],
    ['of a browser that keeps the address', { kept: { login: 'a' } }, USUAL.toSpliced(3, 0, 'forget-login')],
    ['of a browser that people share', { kept: { shared: true } }, USUAL.with(2, 'not-shared')],
    ['that confirms who is signed in', { account: { id: 'a' }, kept: { login: 'a' } }, USUAL.toSpliced(2, 1)],
    ['for another person', { anew: true, kept: { shared: true } }, USUAL.toSpliced(2, 1)],
  ])('%s has these fields and buttons', (_, state, ids) => {
    const { html, ids: found } = show(state);
    expect(found).toEqual(ids);
    expect(html.includes('autocomplete="username webauthn"')).toBe(state.passkey === true);
    expect(html.includes('name="authenticator"')).toBe(state.passkey === true);
    const forms = [...html.matchAll(/<form[^>]* action="([^"]*)"/g)].map(([, action]) => action?.split('/').at(-1));
    const forgets = ids.includes('forget-login') ? ['forget'] : ids.includes('not-shared') ? ['not-shared'] : [];
    expect(forms).toEqual(['login', ...(state.passkey ? ['passkey'] : []), 'cancel', ...forgets]);
    expect(html).toMatch(/<input [^>]*id="password"[^>]*type="password"/);
  });

  it.each<[string, State, string, string]>([
    ['an application', {}, signIn.title, `${signIn.purpose} Application`],
    ['an application that asks again', { account: { id: 'a' } }, signIn.confirmTitle, `${signIn.again} Application`],
    [
      'the own pages that ask again',
      { account: { id: 'a' }, client: 'hygie-account' },
      signIn.confirmTitle,
      signIn.againForAccount,
    ],
    ['the own pages', { client: 'hygie-account' }, signIn.title, `${signIn.purpose} Application`],
  ])('for %s says why', (_, state, title, lead) => {
    expect(show(state).lines.slice(0, 4)).toEqual(expect.arrayContaining([`# ${said(title)}`, said(lead)]));
  });

  it('has the box ticked where the browser keeps the address, or the person said so', () => {
    for (const remember of [true, false]) expect(show({ remember }).html.includes(' checked>')).toBe(remember);
    expect(show({ login: 'a"b' }).html).toContain('value="a&quot;b"');
  });

  it.each<[string, State, boolean]>([
    ['mails are sent', {}, false],
    ['no mails are sent', { mail: false }, true],
    ['the operator has a page for help', { supportUrl: 'https://help.example/' }, true],
  ])('says whom to ask where %s', (_, state, expected) => {
    expect(show(state).text.includes(said(signIn.help))).toBe(expected);
  });

  it('has a button for each of the first four fictional people, the one of the hint first', () => {
    const names = (state: State) =>
      [...show(state).html.matchAll(/<span>(Person \d)<\/span> <span class="person-note">(note \d)/g)].map(
        ([, name, note]) => `${name} ${note}`,
      );
    expect(names({ people: 6 })).toEqual([0, 1, 2, 3].map((number) => `Person ${number} note ${number}`));
    expect(names({ people: 6, hint: '4@demo.example' })[0]).toBe('Person 4 note 4');
    expect(names({ people: 6, account: { id: 'a' } })).toEqual([]);
    const { html } = show({ people: 1 });
    expect(html).toContain(
      '<input type="hidden" name="login" value="0@demo.example"><input type="hidden" name="password" value="demo">',
    );
    expect([html.includes('<a href="/demo/">'), html.includes(sandbox.signInAs)]).toEqual([true, true]);
    expect(show({ people: 1, sandbox: true }).html).toContain('<a href="/sandbox">');
    expect(show({}).html).not.toContain('class="people"');
  });

  it('speaks another language without losing what was typed, and shows the password by a script', () => {
    const { html } = show({});
    expect(html).toMatch(/<form [^>]*action="\/interaction\/uid\/login" novalidate>/);
    expect(html).toMatch(/formaction="\/interaction\/uid\/language[^"]*"|form="sign-in-form"/);
    expect(html).toContain(`href="/account-link/password-reset?sign-in=uid"`);
    expect([links.forgottenLink.length > 0, typeof home]).toEqual([true, 'object']);
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
    });
  });

  it('asks whether to keep the address of strangers alone', () => {
    const asks = (interaction: object) => asksToKeep({ interaction } as never);
    expect([asks({}), asks({ account: {} }), asks({ anew: true })]).toEqual([true, false, false]);
  });
});
