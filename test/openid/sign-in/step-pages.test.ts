// The pages between a password and the application, after each mistake: the place of work, the account, the code, the app and its codes,
// and the offer of a passkey.

import { describe, expect, it } from '@jest/globals';
import type { SignInContext } from '#openid/sign-in/page-context.ts';
import { sendOffer } from '#openid/sign-in/passkey/offer.ts';
import {
  sendCodePage,
  sendRecoveryPage,
  sendSavedPage,
  sendSetUpPage,
} from '#openid/sign-in/second-factor/second-factor-pages.ts';
import {
  chooseWorkspace,
  keepAccount,
  sendAccountChoice,
  sendWorkspaceChoice,
} from '#openid/sign-in/workspace/workspace.ts';
import { base32 } from '#shared/crypto/totp.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { shownPage } from '#support/openid/shown-page.ts';
import { pageInStates } from '#support/page-states.ts';
import { transcript } from '#support/page-transcript.ts';

const ACCOUNT = { id: 'me', name: 'Zoé Martin', email: 'zoe@clinic.example' };
const PLACES = { ids: ['F1', 'F2'], current: 'F2' };
const PROGRESS = { uid: 'uid', accountId: 'me', email: ACCOUNT.email, methods: ['password'] as const, signedInAt: 0 };

describe('pages of the steps of a sign-in', () => {
  withOwnSnapshots(import.meta.filename);
  const show = async (
    send: (context: SignInContext) => unknown,
    { interaction = {}, ...stores }: Record<string, unknown> = {},
    form?: Record<string, string>,
  ) => {
    const own = {
      interaction: {
        uid: 'uid',
        client: { id: 'app', name: 'Application' },
        account: ACCOUNT,
        ...(interaction as object),
      },
      labelInDirectory: async (_type: string, id: string) => ({ name: `Place ${id}` }),
      formsLeadTo: [],
    };
    const shown = await shownPage(
      (context) => send(context as never),
      { ...own, ...stores },
      {
        url: '/interaction/uid',
        ...(form && { form }),
      },
    );
    return { ...shown, text: shown.lines.join('\n') };
  };
  type Asked = Parameters<typeof show>;
  /** Compares what is shown in all these states. */
  const expectPages = async (states: readonly (readonly [state: string, ...asked: Asked])[]) => {
    const pages: [string, string][] = [];
    for (const [name, ...asked] of states) {
      const { status, html, headers } = await show(...asked);
      const wait = headers['retry-after'] ? `, again in ${headers['retry-after']} s` : '';
      pages.push([name, `${status}${wait}\n${transcript(html, { ids: true })}`]);
    }
    expect(pageInStates(pages)).toMatchSnapshot();
  };

  describe('the place of work', () => {
    const places = { interaction: { workspaces: PLACES } };

    it('is asked for, alone or with the account', async () => {
      await expectPages([
        ['the place', (context) => sendWorkspaceChoice(context), places],
        ['none was chosen', (context) => sendWorkspaceChoice(context, 'missing'), places],
        ['a form of elsewhere', (context) => sendWorkspaceChoice(context, 'stale'), places],
        ['account and place', (context) => sendAccountChoice(context), places],
        ['no place was chosen', (context) => sendAccountChoice(context, 'missing'), places],
        ['the account', (context) => sendAccountChoice(context)],
        ['the account, after a form of elsewhere', (context) => sendAccountChoice(context, 'stale')],
      ]);
    });

    it.each([
      [chooseWorkspace, 'workspace'],
      [keepAccount, 'select_account'],
    ] as const)('is asked for again where it was taken away meanwhile (%#)', async (choose, prompt) => {
      const interactions = { resumeWithAccount: async () => 'refused' };
      const asked = { interaction: { prompt, workspaces: PLACES }, interactions };
      expect((await show(choose, asked, { workspace: 'F1' })).status).toBe(422);
    });

    it.each([sendWorkspaceChoice, sendAccountChoice])('is asked of nobody whose account is gone', async (send) => {
      await expect(show((context) => send(context), { interaction: { account: undefined } })).rejects.toThrow();
    });
  });

  describe('the second step', () => {
    const code = (more: object, methods: readonly string[], refusal = {}): Asked => [
      (context) => sendCodePage(context, { ...PROGRESS, methods } as never, refusal),
      {
        secondFactors: { kinds: async () => ['app', 'passkey'] },
        passkeys: {
          list: async () => [{ id: 'k', transports: [] }],
          relyingPartyId: 'connect.example',
          challenges: { make: (purpose: string) => `for ${purpose}` },
        },
        ...more,
      },
    ];

    it('is asked for by a challenge for it, and the app comes second', async () => {
      const { html } = await show(...code({}, ['password']));
      expect(html).toContain('for second step uid me');
      expect(html).toMatch(/<script>[\s\S]*navigator\.credentials/);
      expect(html).toContain('id="verify" class="quiet"');
    });

    it('is asked for after too many tries, and where a session only lacks it', async () => {
      const waiting = { problem: { kind: 'waiting', seconds: 7, of: 'account' }, recovery: true };
      await expectPages([
        ['after a password', ...code({}, ['password'])],
        ['in a session', ...code({}, [])],
        ['after too many tries', ...code({}, ['password'], waiting)],
      ]);
    });

    it('is set up with the secret of the proposal, and its recovery codes are shown once', async () => {
      const secret = Buffer.from('twenty bytes of this');
      const secretOf = async (...given: unknown[]) => {
        expect(given).toEqual(['me', 'proposal']);
        return secret;
      };
      const setUp = (problem?: { kind: 'wrong' }): Asked => [
        (context) => sendSetUpPage(context, PROGRESS, 'proposal', problem),
        { secondFactors: { secretOf } },
      ];
      const made = { login: ACCOUNT.email, codes: ['AAAA-BBBB'], madeFor: 'app' } as const;
      const recovery: Asked = [(context) => sendRecoveryPage(context, made)];
      expect((await show(...setUp())).html.replaceAll(/\s|<[^>]*>/g, '')).toContain(base32(secret));
      // In another language they would be gone.
      expect((await show(...recovery)).html).not.toContain('hreflang');
      await expectPages([
        ['as it opens', ...setUp()],
        ['after a wrong code', ...setUp({ kind: 'wrong' })],
        ['the codes', ...recovery],
        ['the codes that were shown', (context) => sendSavedPage(context, { unsaved: false })],
        ['the codes that were not saved', (context) => sendSavedPage(context, { unsaved: true })],
      ]);
    });
  });

  it('the offer of a passkey is one page with three ways on', async () => {
    const owners: unknown[] = [];
    const passkeys = {
      account: async () => ({ ...ACCOUNT, status: 'active' }),
      registration: {
        optionsFor: (...given: unknown[]) => {
          owners.push(given);
          return { challenge: 'challenge-of-the-offer' };
        },
      },
    };
    const progress = { ...PROGRESS, offer: 'handle', signedInAt: Math.floor(Date.now() / 1000) };
    const offer = (problem?: Parameters<typeof sendOffer>[2]): Asked => [
      (context) => sendOffer(context, progress, problem),
      { passkeys },
    ];
    expect((await show(...offer())).html).toMatch(/<script>[\s\S]*navigator\.credentials/);
    expect(owners).toEqual([
      [expect.objectContaining({ sessionId: 'uid', userHandle: 'handle', account: expect.anything() }), []],
    ]);
    await expectPages([
      ['as it opens', ...offer()],
      ['after a form of elsewhere', ...offer({ kind: 'stale' })],
      ['after a failure', ...offer({ kind: 'failed' })],
      ['after too many tries', ...offer({ kind: 'waiting', seconds: 9 })],
    ]);
  });
});
