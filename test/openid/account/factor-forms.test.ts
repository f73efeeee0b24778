// Forms of apps and recovery codes: each outcome that the stores may have, what is recorded of it, and where the person goes on.

import { describe, expect, it } from '@jest/globals';
import {
  confirmSaved,
  removeSecondFactor,
  renewRecoveryCodes,
  sendRemovalPage,
  sendRenewalPage,
  sendSavedPage,
  setUpSecondFactor,
} from '#openid/account/security/second-factor.ts';
import { DecryptionError } from '#shared/crypto/encryption.ts';
import { recordOf, withStores } from '#support/openid/account/stores.ts';
import type { shownPage } from '#support/openid/shown-page.ts';
import { messagesIn } from '#web/messages.ts';

const SIGNED_IN = { signedIn: { accountId: 'me', sessionUid: 'own', grantId: 'g' } };
const { account: words, secondFactor } = messagesIn('en');

describe('forms of factors', () => {
  const { kept, told, ...pages } = withStores();
  const record = (event: string) => recordOf(event, {}, { client: 'hygie-account' });

  interface Outcomes {
    kinds?: string[];
    found?: object;
    setUp?: object | undefined;
    renew?: string[] | undefined;
    remove?: boolean;
    refused?: object | undefined;
    required?: boolean;
    /** No secret opens the proposal of the session. */
    closed?: boolean;
  }
  const ask = async (
    handle: Parameters<typeof shownPage>[0],
    form: Record<string, string> | undefined,
    { kinds = ['app'], closed = false, ...outcomes }: Outcomes = {},
    keeps: object = {},
  ) => {
    const stores = {
      settings: { secondFactor: outcomes.required ? 'required' : 'optional' },
      secondFactors: {
        kinds: async () => kinds,
        find: async () => outcomes.found,
        propose: told('propose', 'new proposal'),
        secretOf: async (_id: string, proposal: string) => {
          if (closed && proposal === 'proposal') throw new DecryptionError('wrong-secret' as never);
          return Buffer.from(proposal);
        },
        setUp: told('setUp', outcomes.setUp),
        renewRecoveryCodes: told('renew', outcomes.renew),
        remove: told('remove', outcomes.remove),
      },
      checkCode: told('checkCode', outcomes.refused),
    };
    const session = { ...SIGNED_IN, ...keeps };
    return pages.ask(handle, stores, { ...(form && { form }), session, url: '/account/second-factor' });
  };
  const toSecurity = { status: 303, location: '/account/security' };
  const checked = [
    'checkCode',
    { accountId: 'me', typed: '123456', client: 'hygie-account', address: '192.0.2.1', about: {}, language: 'en' },
  ];
  const CODE = { code: ' 123456 ' };

  it('an app is set up by its first code; its codes are shown once, unless a passkey has brought some', async () => {
    const proposal = { proposal: 'proposal' };
    const withCodes = await ask(setUpSecondFactor, CODE, { kinds: [], setUp: { codes: ['AAAA'] } }, proposal);
    expect([
      withCodes.status,
      withCodes.lines[0],
      withCodes.session['codesFor'],
      withCodes.session['proposal'],
    ]).toEqual([200, `# ${secondFactor.recoveryTitle}`, 'app', undefined]);
    const without = await ask(setUpSecondFactor, CODE, { kinds: ['passkey'], setUp: { codes: [] } }, proposal);
    expect(without).toMatchObject({ ...toSecurity, notice: { kind: 'second-factor-added' } });
    expect(kept.calls).toEqual([1, 2].map(() => ['setUp', 'me', 'proposal', '123456', 'own']));
    expect(kept.recorded).toEqual([1, 2].map(() => record('second-factor.added')));
  });

  it('an app that is there is not replaced; a wrong code is said', async () => {
    expect(await ask(setUpSecondFactor, CODE, { found: { since: 1 } })).toMatchObject({
      ...toSecurity,
      notice: undefined,
    });
    const wrong = await ask(setUpSecondFactor, CODE, { kinds: [] }, { proposal: 'proposal' });
    expect([wrong.status, wrong.session['proposal']]).toEqual([422, 'proposal']);
    expect((await ask(setUpSecondFactor, { ...CODE, csrf: 'x' }, { kinds: [] })).status).toBe(403);
    expect([kept.recorded, kept.calls.filter(([name]) => name === 'setUp').length]).toEqual([[], 1]);
  });

  it('an app that nobody can read any more gives way to another', async () => {
    const { session } = await ask(setUpSecondFactor, CODE, { kinds: [], closed: true }, { proposal: 'proposal' });
    expect(kept.calls).toEqual([
      ['propose', 'me'],
      ['setUp', 'me', 'new proposal', '123456', 'own'],
    ]);
    expect(session['proposal']).toBe('new proposal');
  });

  it('new recovery codes are for a code of the app, or for a passkey without one', async () => {
    const renewed = await ask(renewRecoveryCodes, CODE, { renew: ['AAAA'] });
    expect([renewed.status, renewed.session['codesFor']]).toEqual([200, 'renewed']);
    expect(kept.recorded).toEqual([record('recovery-codes.renewed')]);
    expect(kept.calls).toEqual([checked, ['renew', 'me', 'own']]);
    kept.calls = [];
    expect((await ask(renewRecoveryCodes, {}, { kinds: ['passkey'], renew: ['AAAA'] })).status).toBe(200);
    expect(kept.calls).toEqual([['renew', 'me', 'own']]);
    const refused = await ask(renewRecoveryCodes, { recovery: 'AAAA' }, { refused: { kind: 'wrong' } });
    expect([refused.status, refused.lines[0]]).toEqual([422, `# ${words.renewTitle}`]);
    expect((await ask(renewRecoveryCodes, { csrf: 'x' }, { kinds: ['passkey'] })).status).toBe(403);
    expect(await ask(renewRecoveryCodes, CODE, { renew: undefined })).toMatchObject(toSecurity);
    expect(kept.recorded).toHaveLength(2);
  });

  it.each([
    ['an app', ['app'], true, false],
    ['an app and a passkey', ['app', 'passkey'], true, false],
    ['a passkey', ['passkey'], false, false],
    ['nothing', [], false, true],
  ])('with %s new codes are asked about', async (_, kinds, asksForCode, leadsBack) => {
    const shown = await ask((context) => sendRenewalPage(context), undefined, { kinds });
    expect([
      shown.location !== undefined,
      shown.html.includes('name="code"'),
      shown.html.includes('id="renew"'),
    ]).toEqual([leadsBack, asksForCode, !leadsBack]);
  });

  it.each([
    ['the password alone would be enough', ['app'], false, words.removeIntroduction],
    ['two steps are required', ['app'], true, words.removeRequired],
    ['a passkey stays', ['app', 'passkey'], true, words.removeKeepsPasskeys],
    ['there is no app', ['passkey'], false, undefined],
  ])('where %s the page that removes the app says so', async (_, kinds, required, text) => {
    const shown = await ask((context) => sendRemovalPage(context), undefined, { kinds, required });
    expect([shown.location, shown.lines[1]]).toEqual(text ? [undefined, text] : ['/account/security', undefined]);
    expect(shown.html.includes('id="remove" class="danger"')).toBe(text !== undefined);
  });

  it('an app is removed by a code', async () => {
    expect(await ask(removeSecondFactor, CODE, { remove: true })).toMatchObject({
      ...toSecurity,
      notice: { kind: 'second-factor-removed' },
    });
    expect([kept.calls, kept.recorded]).toEqual([
      [checked, ['remove', 'me', 'own']],
      [record('second-factor.removed')],
    ]);
    expect(await ask(removeSecondFactor, CODE, { remove: false })).toMatchObject({
      ...toSecurity,
      notice: undefined,
    });
    expect((await ask(removeSecondFactor, {})).status).toBe(422);
    expect(
      (await ask(removeSecondFactor, CODE, { refused: { kind: 'waiting', seconds: 9, of: 'account' } })).status,
    ).toBe(429);
    expect(kept.recorded).toHaveLength(1);
  });

  it('recovery codes are kept when the person says so', async () => {
    const keeps = { codesFor: 'app' };
    const done = await ask(confirmSaved, { saved: 'yes' }, {}, keeps);
    expect(done).toMatchObject({ ...toSecurity, notice: { kind: 'recovery-codes-saved', madeFor: 'app' } });
    expect('codesFor' in done.session).toBe(false);
    for (const form of [{}, { saved: 'no' }, { saved: 'yes', csrf: 'x' }]) {
      const unsaved = await ask(confirmSaved, form, {}, keeps);
      expect([
        unsaved.status,
        unsaved.lines.join('\n').includes(secondFactor.recoveryUnsaved),
        unsaved.session['codesFor'],
      ]).toEqual([422, true, 'app']);
    }
    const again = await ask((context) => sendSavedPage(context), undefined);
    expect([again.status, again.lines.join('\n').includes(secondFactor.recoveryUnsaved)]).toEqual([200, false]);
    expect(again.lines.at(-1)).toBe(`[${words.newCodes}](/account/second-factor/recovery-codes)`);
    expect(await ask((context) => sendSavedPage(context), undefined, { kinds: [] })).toMatchObject(toSecurity);
  });
});
