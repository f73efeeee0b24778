// Pages of the account space by what the stores say: what protects an account, the applications with access, an address where no mail is sent.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createAllowedApplications } from '#openid/account/applications/allowed-applications.ts';
import { revokeConsent, sendApplications } from '#openid/account/applications/applications.ts';
import { showEmail } from '#openid/account/email/email.ts';
import { sendSecurity } from '#openid/account/security/security.ts';
import { securityState } from '#openid/account/security-state.ts';
import { ME, recordOf, withStores } from '#support/openid/account/stores.ts';
import { transcript } from '#support/page-transcript.ts';
import { messagesIn } from '#web/messages.ts';
import { createSite } from '#web/site.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const SECONDS = NOW / 1000;
const { account: words, links, passkeys: ofPasskeys } = messagesIn('en');

describe('pages of an account by what the stores say', () => {
  beforeEach(() => void jest.useFakeTimers({ now: NOW, doNotFake: ['nextTick', 'setImmediate'] }));
  afterEach(() => void jest.useRealTimers());
  const { kept, ask } = withStores();

  describe('what protects an account', () => {
    const show = async ({
      kinds = [] as string[],
      codes = 0,
      ...more
    }: {
      kinds?: string[];
      codes?: number;
      account?: object;
      mail?: boolean;
      passkeys?: boolean;
      shared?: boolean;
    }) => {
      const { account = {}, mail = true, shared = false } = more;
      let state: unknown;
      const settings = { issuer: 'https://connect.example', branding: { name: 'Hygie', colour: '#0b5f6b' } };
      await ask(
        async (context) => {
          state = await securityState(context);
        },
        {
          site: { ...createSite(settings), mailAvailable: mail },
          secondFactors: { kinds: async () => kinds, countRecoveryCodes: async () => codes },
          passkeyRegistration: more.passkeys === false ? undefined : {},
          isShared: () => shared,
        },
        { account },
      );
      if (state === undefined) return undefined;
      return transcript(String(state)).split('\n');
    };
    const [steps, noSteps] = [`(state-on) ${words.stateSteps}`, `(state-off) ${words.stateNoSteps}`];
    const withoutMarks = (lines: string[] | undefined) => lines?.map((line) => line.replace(/^\(state-\w+\) /, ''));
    const linkTo = (page: string, label: string) => `[${label}](/account/${page})`;
    const email = words.stateEmail.replace('\u2011', '-');
    const noEmail = words.stateNoEmail.replace('\u2011', '-');
    const verify = links.address.verify;
    const left = (count: number) => words.codesLeft(count);

    it.each([
      ['nothing', {}, [words.stateNoSteps, email, linkTo('passkeys', ofPasskeys.addFirst)]],
      [
        'nothing, where there are no passkeys',
        { passkeys: false },
        [words.stateNoSteps, email, linkTo('second-factor', words.stepsAdd)],
      ],
      ['an app with codes', { kinds: ['app'], codes: 3 }, [words.stateSteps, left(3), email, words.stateDone]],
      [
        'an app with few codes',
        { kinds: ['app'], codes: 2 },
        [words.stateSteps, left(2), email, linkTo('second-factor/recovery-codes', words.newCodes)],
      ],
      [
        'a passkey alone',
        { kinds: ['passkey'], account: { hasPassword: false } },
        [words.stateSteps, email, words.stateDone],
      ],
      [
        'an unverified address',
        { kinds: ['app'], codes: 9, account: { emailVerified: false } },
        [words.stateSteps, left(9), noEmail, linkTo('email', verify)],
      ],
      [
        'an unverified address without mail',
        { kinds: ['app'], codes: 9, account: { emailVerified: false }, mail: false },
        [words.stateSteps, left(9), noEmail, words.stateDone],
      ],
      [
        'no address',
        { kinds: ['app'], codes: 9, account: { email: undefined, emailVerified: false } },
        [words.stateSteps, left(9), words.stateDone],
      ],
    ])('%s', async (_, state, lines) => {
      expect([steps, noSteps].every(Boolean)).toBe(true);
      expect(withoutMarks(await show(state))).toEqual(lines);
    });

    it('is no matter of an account that everybody shares', async () => {
      expect(await show({ shared: true })).toBeUndefined();
    });
  });

  describe('applications', () => {
    const consentOf = (clientId: string, scopes: string[], givenAt = SECONDS) => ({ clientId, scopes, givenAt });
    const allowed = (given: object[]) => {
      const revoked: unknown[][] = [];
      const applications = createAllowedApplications({
        consents: {
          list: async () => given,
          revoke: async (...one: unknown[]) => {
            revoked.push(one);
            return true;
          },
        },
        records: {},
        clients: {
          find: (id: string) =>
            ({
              app: { name: 'Zeta', scopes: ['openid', 'email'] },
              other: { name: 'Alpha', scopes: ['openid', 'odd'] },
            })[id],
        },
        settings: { namespace: 'https://connect.example/claims' },
      } as never);
      return { applications, revoked };
    };

    it('are listed by name, with what they may do and the operator allows them', async () => {
      const { applications } = allowed([
        consentOf('app', ['openid', 'profile', 'claim:email', 'email']),
        consentOf('gone', ['openid', 'claim:odd'], 7),
        consentOf('hygie-account', ['openid']),
        consentOf('other', ['openid', 'claim:odd']),
      ]);
      const list = await applications.list('me');
      expect(list.map(({ id, name, since }) => [id, name, since])).toEqual([
        ['other', 'Alpha', SECONDS],
        ['gone', 'gone', 7],
        ['app', 'Zeta', SECONDS],
      ]);
      expect(list.map(({ scopes }) => scopes)).toEqual([
        ['openid', 'odd'],
        ['openid', 'odd'],
        ['openid', 'email'],
      ]);
    });

    it('none, one, and one after a form that did not fit', async () => {
      const show = (given: object[], stale = false) =>
        ask((context) => sendApplications(context, { stale }), allowed(given));
      const none = await show([]);
      expect([none.status, none.lines]).toEqual([200, [`# ${words.applicationsTitle}`, words.noApplications]]);
      const one = await show([consentOf('app', ['openid'])]);
      expect(one.lines.slice(0, 3)).toEqual([`# ${words.applicationsTitle}`, words.applicationsAbout, '## Zeta']);
      expect(one.lines.slice(-4)).toEqual([
        words.revoke,
        words.revokeAbout,
        '{csrf}',
        `‹withdraw-app: ${words.revokeOf('Zeta')}›`,
      ]);
      const stale = await show([consentOf('app', ['openid'])], true);
      expect([stale.status, stale.lines.join('\n').includes(words.stale)]).toEqual([403, true]);
    });

    it('lose access by a form that names them, and no others', async () => {
      const { applications } = allowed([consentOf('app', ['openid'])]);
      const press = (form: Record<string, string>) =>
        ask(revokeConsent, { applications: { ...applications, revoke: async () => true } }, { form });
      await expect(press({})).rejects.toThrow('send the field client');
      await expect(press({ client: 'a\n' })).rejects.toThrow('the field client holds control characters');
      expect((await press({ client: 'app', csrf: 'x' })).status).toBe(403);
      const back = { status: 303, location: '/account/applications' };
      expect(await press({ client: 'unknown' })).toMatchObject({ ...back, session: {} });
      expect(kept.recorded).toEqual([]);
      const notice = { kind: 'consent-revoked', client: 'Zeta' };
      expect(await press({ client: 'app' })).toMatchObject({ ...back, notice });
      const by = { actor: 'account:me', client: 'app', address: '192.0.2.1' };
      expect(kept.recorded).toEqual([recordOf('consent.withdrawn', undefined, by)]);
    });
  });

  it('an address cannot be changed where no mail is sent: the page says whom to ask', async () => {
    const shown = await ask(showEmail, {}, { account: { emailVerified: false } });
    const { address } = links;
    expect(shown.lines).toEqual([
      `# ${address.title}`,
      `## ${address.current}`,
      ME.email,
      `(state-off) ${address.unverified}`,
      `## ${address.changeTitle}`,
      `${address.withoutMail.replace('\u2011', '-')} ${links.whomToAsk}`,
    ]);
    const nobody = await ask(showEmail, {}, { account: { email: undefined } });
    expect(nobody.lines.slice(0, 3)).toEqual([
      `# ${address.title}`,
      `## ${address.current}`,
      `## ${address.changeTitle}`,
    ]);
  });
});

const KEY = { id: 'k', name: 'Laptop', createdAt: 1, synced: true, userHandle: 'handle', transports: [] };

describe('the protection of an account', () => {
  const { ask } = withStores();
  const show = async (account: object, app: object | undefined, passkeys: object[], codes = 0) => {
    const stores = {
      secondFactors: { find: async () => app, countRecoveryCodes: async () => codes },
      passkeys: { list: async () => passkeys },
      passkeyRegistration: undefined,
    };
    const shown = await ask(sendSecurity, stores, { account });
    const ids = [...shown.html.matchAll(/<a\b[^>]*\bid="([\w-]+)"/g)].map(([, id]) => id);
    return { ...shown, text: shown.lines.join('\n'), ids };
  };

  it.each([
    ['nothing but a password', {}, undefined, [], 0, [words.stepsOff, words.stepsOffAbout], ['add-second-factor']],
    ['an app', {}, { since: 0, recoveryCodes: 3 }, [], 9, [words.codesLeft(3)], ['remove-second-factor']],
    ['an app and a passkey', {}, { since: 0, recoveryCodes: 0 }, [KEY], 9, [words.stepsEither], ['new-recovery-codes']],
    ['a passkey', {}, undefined, [KEY], 2, [ofPasskeys.stepsOn, words.codesLeft(2)], ['add-second-factor']],
    [
      'a passkey and no password',
      { hasPassword: false },
      undefined,
      [KEY],
      0,
      [ofPasskeys.stepsInOne, ofPasskeys.noPassword],
      ['new-recovery-codes'],
    ],
  ] as const)('with %s', async (_, account, app, passkeys, codes, texts, ids) => {
    const shown = await show(account, app, [...passkeys], codes);
    expect([shown.status, shown.lines[0]]).toEqual([200, `# ${words.sections.security}`]);
    for (const text of texts) expect(shown.text).toContain(text);
    for (const text of [words.stepsOff, words.stepsEither, ofPasskeys.stepsInOne, ofPasskeys.noPassword])
      expect([text, shown.text.includes(text)]).toEqual([text, (texts as readonly string[]).includes(text)]);
    const parts = [...shown.html.matchAll(/<section [^>]*id="([^"]+)"/g)].map(([, id]) => id);
    expect(parts).toEqual(['password', 'passkeys', 'steps', 'open-sessions']);
    expect(shown.ids).toEqual(expect.arrayContaining(['sessions-link', ...ids]));
    expect(shown.ids.includes('change-password')).toBe(!('hasPassword' in account));
    const left = app ? app.recoveryCodes : codes;
    expect(/<p class="warning">/.test(shown.html)).toBe((app !== undefined || passkeys.length > 0) && left === 0);
    expect(shown.headers['content-security-policy']).toContain("default-src 'none'");
  });

  it('says since when there is the password', async () => {
    const text = words.passwordSetAt('X').split('X')[0] ?? '';
    expect((await show({ passwordSetAt: 0 }, undefined, [])).text).toContain(text);
    expect((await show({}, undefined, [])).text).not.toContain(text);
  });
});
