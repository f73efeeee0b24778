// Pages of the account space by what the stores say: what protects an account, the applications with access, and an address where no mail is sent.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createAllowedApplications } from '#openid/account/applications/allowed-applications.ts';
import { revokeConsent, sendApplications } from '#openid/account/applications/applications.ts';
import { showEmail } from '#openid/account/email/email.ts';
import { securityState } from '#openid/account/security-state.ts';
import { shownPage } from '#support/openid/shown-page.ts';
import { transcript } from '#support/page-transcript.ts';
import { messagesIn } from '#web/messages.ts';
import { createSite } from '#web/site.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const SECONDS = NOW / 1000;
const ME = { id: 'me', name: 'Zoé Martin', email: 'zoe@clinic.example', emailVerified: true, hasPassword: true };
const { account: words, links, passkeys } = messagesIn('en');

describe('pages of an account by what the stores say', () => {
  let recorded: object[];
  beforeEach(() => {
    jest.useFakeTimers({ now: NOW, doNotFake: ['nextTick', 'setImmediate'] });
    recorded = [];
  });
  afterEach(() => void jest.useRealTimers());
  const audit = { record: async (event: object) => void recorded.push(event) };
  const clients = { find: (id: string) => ({ app: { name: 'Application', scopes: ['openid', 'email'] } })[id] };
  const common = { account: ME, audit, clients };

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
      await shownPage(
        async (context) => {
          state = await securityState(context);
        },
        {
          account: { ...ME, ...account },
          site: { ...createSite(settings), mailAvailable: mail },
          secondFactors: { kinds: async () => kinds, countRecoveryCodes: async () => codes },
          passkeyRegistration: more.passkeys === false ? undefined : {},
          isShared: () => shared,
        },
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
      ['nothing', {}, [words.stateNoSteps, email, linkTo('passkeys', passkeys.addFirst)]],
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
        shownPage((context) => sendApplications(context, { stale }), { ...common, ...allowed(given) });
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
      const press = (form: Record<string, string>, session: object = {}) =>
        shownPage(
          revokeConsent,
          { ...common, applications: { ...applications, revoke: async () => true } },
          { form, session },
        );
      await expect(press({})).rejects.toThrow('send the field client');
      await expect(press({ client: 'a\n' })).rejects.toThrow('the field client holds control characters');
      expect((await press({ client: 'app', csrf: 'x' })).status).toBe(403);
      const session = {};
      expect(await press({ client: 'unknown' }, session)).toMatchObject({
        status: 303,
        location: '/account/applications',
      });
      expect([session, recorded]).toEqual([{}, []]);
      expect(await press({ client: 'app' }, session)).toMatchObject({ status: 303, location: '/account/applications' });
      expect(session).toEqual({ notice: { kind: 'consent-revoked', client: 'Zeta' } });
      expect(recorded).toEqual([
        { event: 'consent.withdrawn', actor: 'account:me', account: 'me', client: 'app', address: '192.0.2.1' },
      ]);
    });
  });

  it('an address cannot be changed where no mail is sent: the page says whom to ask', async () => {
    const shown = await shownPage(showEmail, { ...common, account: { ...ME, emailVerified: false } });
    const { address } = links;
    expect(shown.lines).toEqual([
      `# ${address.title}`,
      `## ${address.current}`,
      ME.email,
      `(state-off) ${address.unverified}`,
      `## ${address.changeTitle}`,
      `${address.withoutMail.replace('\u2011', '-')} ${links.whomToAsk}`,
    ]);
    const nobody = await shownPage(showEmail, { ...common, account: { ...ME, email: undefined } });
    expect(nobody.lines.slice(0, 3)).toEqual([
      `# ${address.title}`,
      `## ${address.current}`,
      `## ${address.changeTitle}`,
    ]);
  });
});
