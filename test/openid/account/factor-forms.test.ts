// Forms of apps and recovery codes: each outcome that the stores may have, what is recorded of it, and where the person goes on.

import { describe, expect, it } from '@jest/globals';
import {
  confirmSaved,
  removeSecondFactor,
  renewRecoveryCodes,
  sendRemovalPage,
  sendSavedPage,
  setUpSecondFactor,
} from '#openid/account/security/second-factor.ts';
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
    setUp?: object;
    renew?: string[] | undefined;
    remove?: boolean;
    required?: boolean;
  }
  const ask = async (
    handle: Parameters<typeof shownPage>[0],
    form: Record<string, string> | undefined,
    { kinds = ['app'], ...outcomes }: Outcomes = {},
    keeps: object = {},
  ) => {
    const stores = {
      settings: { secondFactor: outcomes.required ? 'required' : 'optional' },
      secondFactors: {
        kinds: async () => kinds,
        find: async () => undefined,
        secretOf: async (_id: string, proposal: string) => Buffer.from(proposal),
        setUp: told('setUp', outcomes.setUp),
        renewRecoveryCodes: told('renew', outcomes.renew),
        remove: told('remove', outcomes.remove),
      },
      checkCode: told('checkCode', undefined),
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

  it('new recovery codes of a passkey are for no code; where the factor is gone there are none', async () => {
    const renewed = await ask(renewRecoveryCodes, {}, { kinds: ['passkey'], renew: ['AAAA'] });
    expect([renewed.status, renewed.session['codesFor']]).toEqual([200, 'renewed']);
    expect(kept.calls).toEqual([['renew', 'me', 'own']]);
    expect((await ask(renewRecoveryCodes, { csrf: 'x' }, { kinds: ['passkey'] })).status).toBe(403);
    expect(await ask(renewRecoveryCodes, CODE, { renew: undefined })).toMatchObject(toSecurity);
    expect(kept.recorded).toEqual([record('recovery-codes.renewed')]);
  });

  it('the page that removes the app says where two steps are required, unless a passkey stays', async () => {
    const said = async (...kinds: string[]) =>
      (await ask((context) => sendRemovalPage(context), undefined, { kinds, required: true })).lines[1];
    expect(await said('app')).toBe(words.removeRequired);
    expect(await said('app', 'passkey')).toBe(words.removeKeepsPasskeys);
  });

  it('an app that is gone already is not removed by a code', async () => {
    expect(await ask(removeSecondFactor, CODE, { remove: false })).toMatchObject({ ...toSecurity, notice: undefined });
    expect([kept.calls, kept.recorded]).toEqual([[checked, ['remove', 'me', 'own']], []]);
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
