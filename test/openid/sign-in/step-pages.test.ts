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
import { shownPage } from '#support/openid/shown-page.ts';
import { messagesIn } from '#web/messages.ts';

const { workspace, accountChoice, consent, secondFactor, passkeys: ofPasskeys, signIn } = messagesIn('en');
const ACCOUNT = { id: 'me', name: 'Zoé Martin', email: 'zoe@clinic.example' };
const PLACES = { ids: ['F1', 'F2'], current: 'F2' };
const PROGRESS = { uid: 'uid', accountId: 'me', email: ACCOUNT.email, methods: ['password'] as const, signedInAt: 0 };

describe('pages of the steps of a sign-in', () => {
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
    return {
      ...shown,
      text: shown.lines.join('\n'),
      forms: [...shown.html.matchAll(/<form [^>]*action="([^"]+)"/g)].map(([, action]) => action),
      buttons: [...shown.html.matchAll(/<button\b[^>]*\bid="([\w-]+)"/g)].map(([, id]) => id),
      focused: [...shown.html.matchAll(/<\w+\b[^>]*\s(?:value|id)="([\w-]+)"[^>]*\sautofocus\b/g)].map(([, id]) => id),
    };
  };

  describe('the place of work', () => {
    it.each([
      [undefined, 200, [], ['F2']],
      ['missing', 422, [workspace.problem], ['F1']],
      ['stale', 403, [workspace.stale, workspace.staleAdvice], []],
    ] as const)('is asked for (%s)', async (problem, status, words, focused) => {
      const shown = await show((context) => sendWorkspaceChoice(context, problem), {
        interaction: { workspaces: PLACES },
      });
      expect([shown.status, shown.lines[0]?.includes('(warning)') ?? false]).toEqual([status, false]);
      expect(shown.text).toContain(`# ${workspace.title}`);
      for (const text of [workspace.introduction('Application'), 'Zoé Martin', 'Place F1', 'Place F2', ...words])
        expect(shown.text).toContain(text);
      for (const text of [workspace.problem, workspace.stale].filter((one) => !words.includes(one as never)))
        expect(shown.text).not.toContain(text);
      const at = (name: string) => `/interaction/uid/${name}`;
      expect(shown.forms.filter((action) => action?.startsWith('/interaction'))).toEqual(
        ['other-account', 'workspace', 'cancel'].map(at),
      );
      expect(shown.buttons).toEqual(expect.arrayContaining(['other-account', 'continue', 'cancel']));
      if (problem !== 'stale') expect(shown.focused).toEqual(focused);
      expect(shown.html).toMatch(/value="F2" required checked/);
    });

    it.each([
      [undefined, PLACES, 200, ['F2'], []],
      [undefined, undefined, 200, ['continue'], []],
      ['missing', PLACES, 422, ['F1'], [workspace.problem]],
      ['stale', undefined, 403, [], [consent.stale, consent.staleAdvice]],
    ] as const)('is asked for with the account (%s, %j)', async (problem, workspaces, status, focused, words) => {
      const shown = await show((context) => sendAccountChoice(context, problem), { interaction: { workspaces } });
      expect([shown.status, shown.text.includes(`# ${accountChoice.title}`)]).toEqual([status, true]);
      expect(shown.text.includes('Place F1')).toBe(workspaces !== undefined);
      for (const text of words) expect(shown.text).toContain(text);
      expect(shown.text.includes(consent.stale)).toBe(problem === 'stale');
      if (problem !== 'stale') expect(shown.focused).toEqual(focused);
      expect(shown.forms.filter((action) => action?.startsWith('/interaction'))).toEqual([
        '/interaction/uid/same-account',
        '/interaction/uid/other-account',
        '/interaction/uid/cancel',
      ]);
      expect(shown.buttons).toEqual(expect.arrayContaining(['continue', 'other-account', 'cancel']));
    });

    it.each([sendWorkspaceChoice, sendAccountChoice])('is asked of nobody whose account is gone', async (send) => {
      await expect(show((context) => send(context), { interaction: { account: undefined } })).rejects.toThrow();
    });

    const press = async (
      handle: typeof chooseWorkspace,
      interaction: object,
      form: Record<string, string>,
      result?: 'refused',
    ) => {
      const chosen: unknown[] = [];
      const resumeWithAccount = async (_req: unknown, _res: unknown, place?: string) => {
        chosen.push(place);
        return result;
      };
      const shown = await show(handle, { interaction, interactions: { resumeWithAccount } }, form);
      return { ...shown, chosen };
    };
    it.each([
      [chooseWorkspace, 'workspace', workspace.title],
      [keepAccount, 'select_account', accountChoice.title],
    ] as const)('is answered by one of those that were shown (%#)', async (handle, prompt, title) => {
      const asked = { prompt, workspaces: PLACES };
      expect((await press(handle, asked, { workspace: 'F1' })).chosen).toEqual(['F1']);
      expect((await press(handle, { prompt }, { workspace: 'F9' })).chosen).toEqual([undefined]);
      for (const [form, status, chosen, result] of [
        [{}, 422, []],
        [{ workspace: 'F9' }, 422, []],
        [{ workspace: 'F1', csrf: 'x' }, 403, []],
        [{ workspace: 'F1' }, 422, ['F1'], 'refused'],
      ] as const) {
        const shown = await press(handle, asked, form as Record<string, string>, result);
        expect([shown.status, shown.text.includes(`# ${title}`), shown.chosen]).toEqual([status, true, chosen]);
        expect(shown.text.includes(workspace.problem)).toBe(status === 422);
      }
      const other = await press(handle, { prompt: 'login', workspaces: PLACES }, { workspace: 'F1' });
      expect([other.status, other.location, other.chosen]).toEqual([303, '/interaction/uid', []]);
    });
  });

  describe('the second step', () => {
    const ways = (list: object[]) => ({
      passkeys: {
        list: async () => list,
        relyingPartyId: 'connect.example',
        challenges: { make: (purpose: string) => `for ${purpose}` },
      },
    });
    const code = (
      kinds: string[],
      list: object[] | undefined,
      refusal = {},
      methods: readonly string[] = ['password'],
    ) =>
      show((context) => sendCodePage(context, { ...PROGRESS, methods } as never, refusal), {
        secondFactors: { kinds: async () => kinds },
        ...(list && ways(list)),
      });
    const KEY = { id: 'k', transports: [] };

    it.each([
      ['a code', ['app'], [], secondFactor.title, ['other-account', 'verify'], [secondFactor.about]],
      ['a code, where there are no passkeys', ['app'], undefined, secondFactor.title, ['verify'], [secondFactor.about]],
      [
        'a passkey or a code',
        ['app', 'passkey'],
        [KEY],
        ofPasskeys.secondStepTitle,
        ['use-passkey', 'verify'],
        [ofPasskeys.secondStepAbout, secondFactor.orApp],
      ],
      ['a passkey', ['passkey'], [KEY], ofPasskeys.secondStepTitle, ['use-passkey'], [ofPasskeys.secondStepAbout]],
    ])('asks for %s', async (_, kinds, list, title, buttons, words) => {
      const shown = await code(kinds, list);
      expect([shown.status, shown.text.includes(`# ${title}`)]).toEqual([200, true]);
      expect(shown.buttons).toEqual(expect.arrayContaining(buttons));
      for (const text of [secondFactor.purpose, 'Application', ACCOUNT.email, ...words])
        expect(shown.text).toContain(text);
      const withKey = (list ?? []).length > 0;
      expect(shown.buttons.includes('use-passkey')).toBe(withKey);
      expect(shown.text.includes(secondFactor.orApp)).toBe(withKey && kinds.includes('app'));
      expect(/id="verify" class="quiet"/.test(shown.html)).toBe(withKey && kinds.includes('app'));
      expect(/<script>[\s\S]*navigator\.credentials/.test(shown.html)).toBe(withKey);
      if (withKey) expect(shown.html).toContain('for second step uid me');
      expect(shown.forms.filter((action) => action === '/interaction/uid/passkey')).toHaveLength(withKey ? 1 : 0);
    });

    it.each([
      [{ passkeyProblem: 'wrong' }, 422, [ofPasskeys.refused, ofPasskeys.refusedAdvice]],
      [{ passkeyProblem: 'stale' }, 403, [ofPasskeys.stale, ofPasskeys.staleAdvice]],
      [{ problem: { kind: 'stale' } }, 403, [ofPasskeys.stale]],
      [{ problem: { kind: 'wrong' } }, 422, []],
      [{ problem: { kind: 'waiting', seconds: 7, of: 'account' }, recovery: true }, 429, []],
    ])('is asked for again after a mistake: %j', async (refusal, status, words) => {
      const shown = await code(['app', 'passkey'], [KEY], refusal);
      expect(shown.status).toBe(status);
      for (const text of words) expect(shown.text).toContain(text);
      for (const text of [ofPasskeys.refused, ofPasskeys.stale])
        expect(shown.text.includes(text)).toBe((words as string[]).includes(text));
      expect(shown.headers['retry-after']).toBe(status === 429 ? '7' : undefined);
    });

    it('of a session that only lacks it says so', async () => {
      const shown = await code(['app'], [], {}, []);
      expect([shown.text.includes(secondFactor.purposeAgain), shown.text.includes(secondFactor.purpose)]).toEqual([
        true,
        secondFactor.purposeAgain.includes(secondFactor.purpose),
      ]);
    });

    it('is set up with the secret of the proposal, and its recovery codes are shown once', async () => {
      const secret = Buffer.from('twenty bytes of this');
      const asked: unknown[][] = [];
      const secretOf = async (...given: unknown[]) => {
        asked.push(given);
        return secret;
      };
      const set = (problem?: { kind: 'wrong' }) =>
        show((context) => sendSetUpPage(context, PROGRESS, 'proposal', problem), { secondFactors: { secretOf } });
      const shown = await set();
      expect([shown.status, shown.text.includes(`# ${secondFactor.setUpTitle}`), asked]).toEqual([
        200,
        true,
        [['me', 'proposal']],
      ]);
      expect(shown.html.replaceAll(/\s|<[^>]*>/g, '')).toContain(base32(secret));
      expect(shown.text).toContain(secondFactor.setUpPurpose('Application'));
      expect([shown.buttons.includes('set-up'), shown.forms]).toEqual([
        true,
        expect.arrayContaining(['/interaction/uid/second-factor', '/interaction/uid/other-account']),
      ]);
      expect((await set({ kind: 'wrong' })).status).toBe(422);
      const made = { login: ACCOUNT.email, codes: ['AAAA-BBBB'], madeFor: 'app' } as const;
      const codes = await show((context) => sendRecoveryPage(context, made));
      expect([codes.status, codes.html.includes('AAAA-BBBB'), codes.forms]).toEqual([
        200,
        true,
        expect.arrayContaining(['/interaction/uid/continue']),
      ]);
      expect(codes.html).not.toContain('hreflang');
      for (const unsaved of [true, false]) {
        const saved = await show((context) => sendSavedPage(context, { unsaved }));
        expect([saved.status, saved.text.includes(secondFactor.recoveryGone)]).toEqual([unsaved ? 422 : 200, true]);
        expect(saved.forms).toContain('/interaction/uid/continue');
      }
    });
  });

  describe('the offer of a passkey', () => {
    const offer = async (problem?: Parameters<typeof sendOffer>[2]) => {
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
      return { ...(await show((context) => sendOffer(context, progress, problem), { passkeys })), owners };
    };

    it.each([
      [undefined, 200, []],
      [{ kind: 'stale' }, 403, [ofPasskeys.stale, ofPasskeys.staleAdvice]],
      [{ kind: 'failed' }, 422, [ofPasskeys.failed, ofPasskeys.failedAdvice]],
      [{ kind: 'waiting', seconds: 9 }, 429, [ofPasskeys.waiting]],
    ] as const)('is one page with three ways on (%j)', async (problem, status, words) => {
      const shown = await offer(problem);
      expect([shown.status, shown.text.includes(`# ${ofPasskeys.offer.title}`)]).toEqual([status, true]);
      for (const text of [ofPasskeys.offer.about, ofPasskeys.offer.laterAbout, ...words])
        expect(shown.text).toContain(text);
      for (const text of [ofPasskeys.stale, ofPasskeys.failed, ofPasskeys.waiting])
        expect(shown.text.includes(text)).toBe((words as readonly string[]).includes(text));
      expect(shown.buttons).toEqual(expect.arrayContaining(['create-passkey', 'later', 'shared']));
      expect(shown.forms).toEqual(
        expect.arrayContaining(['new-passkey', 'later', 'shared'].map((name) => `/interaction/uid/${name}`)),
      );
      expect(shown.owners).toEqual([
        [expect.objectContaining({ sessionId: 'uid', userHandle: 'handle', account: expect.anything() }), []],
      ]);
      expect(/<script>[\s\S]*navigator\.credentials/.test(shown.html)).toBe(true);
    });
  });

  it('can be cancelled on each page that asks whose sign-in it is', async () => {
    const { text } = await show((context) => sendWorkspaceChoice(context), { interaction: { workspaces: PLACES } });
    expect(text).toContain(signIn.cancel);
  });
});
