// Pages of the account space by what the stores say: what protects an account, the applications with access, an address where no mail is sent.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createAllowedApplications } from '#openid/account/applications/allowed-applications.ts';
import { showEmail } from '#openid/account/email/email.ts';
import { securityState, sendProfile } from '#openid/account/profile/profile-page.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { ME, withStores } from '#support/openid/account/stores.ts';
import { pageInStates } from '#support/page-states.ts';
import { transcript } from '#support/page-transcript.ts';
import { messagesIn } from '#web/messages.ts';
import { createSite } from '#web/site.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const SECONDS = NOW / 1000;
const { links, profile } = messagesIn('en');
const SITE = createSite({ issuer: 'https://connect.example', branding: { name: 'Hygie', colour: '#0b5f6b' } });

describe('pages of an account by what the stores say', () => {
  withOwnSnapshots(import.meta.filename);
  beforeEach(() => void jest.useFakeTimers({ now: NOW, doNotFake: ['nextTick', 'setImmediate'] }));
  afterEach(() => void jest.useRealTimers());
  const { ask } = withStores();

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
      await ask(
        async (context) => {
          state = await securityState(context);
        },
        {
          site: { ...SITE, mailAvailable: mail },
          secondFactors: { kinds: async () => kinds, countRecoveryCodes: async () => codes },
          passkeyRegistration: more.passkeys === false ? undefined : {},
          isShared: () => shared,
        },
        { account },
      );
      return state === undefined ? 'nothing' : transcript(String(state), { ids: true });
    };
    const APP = { kinds: ['app'], codes: 9 };

    it('is told, with the step that comes next', async () => {
      const states: [string, Parameters<typeof show>[0]][] = [
        ['nothing', {}],
        ['nothing, where there are no passkeys', { passkeys: false }],
        ['an app with codes', { kinds: ['app'], codes: 3 }],
        ['an app with few codes', { kinds: ['app'], codes: 2 }],
        ['a passkey alone', { kinds: ['passkey'], account: { hasPassword: false } }],
        ['an unverified address', { ...APP, account: { emailVerified: false } }],
        ['an unverified address without mail', { ...APP, account: { emailVerified: false }, mail: false }],
        ['no address', { ...APP, account: { email: undefined, emailVerified: false } }],
        ['an account that everybody shares', { shared: true }],
      ];
      const pages: [string, string][] = [];
      for (const [name, state] of states) pages.push([name, await show(state)]);
      expect(pageInStates(pages)).toMatchSnapshot();
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
  });

  it.each([
    ['that is not confirmed', ME.email, profile.emailConfirm],
    ['that is missing', undefined, profile.emailChange],
  ])('the link to an address %s says what it leads to', async (_which, email, label) => {
    const site = { ...SITE, mailAvailable: true };
    const edition = () => ({ hidden: new Set() });
    const stores = { site, edition, isShared: () => true, settings: { profile: { editable: [] } } };
    const picture = 'https://pictures.example/me.png';
    const account = { email, emailVerified: false, practitioners: [], workspaces: [], picture };
    expect((await ask(sendProfile, stores, { account })).lines).toEqual(
      expect.arrayContaining([expect.stringContaining(label.replace('\u2011', '-'))]),
    );
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
      `[${profile.back}](/account)`,
    ]);
    const nobody = await ask(showEmail, {}, { account: { email: undefined } });
    expect(nobody.lines.slice(0, 3)).toEqual([
      `# ${address.title}`,
      `## ${address.current}`,
      `## ${address.changeTitle}`,
    ]);
  });
});
