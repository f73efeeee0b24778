// Forms of passkeys: each outcome that the stores may have, what is recorded of it, and where the person goes on.

import { describe, expect, it } from '@jest/globals';
import { answerPasskeys, sendPasskeysPage } from '#openid/account/security/passkeys.ts';
import { ME, recordOf, withStores } from '#support/openid/account/stores.ts';
import { messagesIn } from '#web/messages.ts';

const SIGNED_IN = { signedIn: { accountId: 'me', sessionUid: 'own', grantId: 'g' } };
const { account: words, passkeys: ofPasskeys, secondFactor } = messagesIn('en');

describe('forms of passkeys', () => {
  const { kept, told, ask } = withStores({ settings: { secondFactor: 'optional' } });
  const record = (event: string, details: object) => recordOf(event, details, { client: 'hygie-account' });

  const KEY = {
    id: 'k',
    credentialId: 'c',
    name: 'Laptop',
    createdAt: 1,
    synced: true,
    userHandle: 'handle',
    transports: [],
  };
  interface Outcomes {
    list?: object[];
    check?: unknown;
    add?: object;
    rename?: boolean;
    remove?: unknown;
  }
  const press = async (form: Record<string, string>, { list = [KEY], ...outcomes }: Outcomes = {}) => {
    const stores = {
      passkeys: {
        list: async () => list,
        add: told('add', outcomes.add),
        rename: told('rename', outcomes.rename),
        remove: told('remove', outcomes.remove),
      },
      passkeyRegistration: {
        optionsFor: (owner: object) => ({ user: owner }),
        check: told('check', outcomes.check),
      },
    };
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    return ask(answerPasskeys, stores, { form, session: SIGNED_IN, url: '/account/passkeys', userAgent });
  };
  const back = { status: 303, location: '/account/passkeys' };
  const DEVICE = { device: 'Firefox, Linux' };

  it('are added, with recovery codes where they are the first', async () => {
    const added = await press(
      { passkey: 'answer' },
      { check: { made: 1 }, add: { passkey: { id: 'n', name: 'Phone' } } },
    );
    expect(added).toMatchObject({ ...back, notice: { kind: 'passkey-added', name: 'Phone' } });
    const owner = { account: ME, sessionId: 'id-of-the-session', userHandle: 'handle' };
    expect(kept.calls).toEqual([
      ['check', 'answer', owner, 'Firefox on Linux'],
      ['add', 'me', { made: 1 }, 'own'],
    ]);
    expect(kept.recorded).toEqual([record('passkey.added', { ...DEVICE, passkey: 'n', name: 'Phone' })]);
    const first = await press(
      { passkey: 'answer' },
      { list: [], check: { made: 1 }, add: { passkey: { id: 'n', name: 'Phone' }, codes: ['AAAA-BBBB'] } },
    );
    expect([first.status, first.lines[0], first.session['codesFor']]).toEqual([
      200,
      `# ${secondFactor.recoveryTitle}`,
      'passkey',
    ]);
    expect(first.html).toContain('<code>AAAA-BBBB</code>');
    // The handle of the first one is the same on all pages of the session, also on two that are opened at the same time and read it before
    // either has changed it.
    const [, , made] = kept.calls.at(-2) ?? [];
    const { userHandle } = made as typeof owner;
    await press({ passkey: 'answer' }, { list: [], check: undefined });
    expect(userHandle).toMatch(/^[\w-]{43}$/);
    expect(kept.calls.at(-1)?.[2]).toMatchObject({ userHandle });
  });

  it.each<[string, Record<string, string>, Outcomes, number, string]>([
    ['by a form of elsewhere', { passkey: 'x', csrf: 'x' }, {}, 403, words.stale],
    ['that do not verify', { passkey: 'x' }, { check: undefined }, 422, ofPasskeys.failed],
    ['after too many tries', { passkey: 'x' }, { check: 7 }, 429, ofPasskeys.waiting],
    ['that somebody has', { passkey: 'x' }, { check: {}, add: { refused: 'taken' } }, 422, ofPasskeys.failed],
    ['beyond twenty', { passkey: 'x' }, { check: {}, add: { refused: 'too-many' } }, 422, ofPasskeys.tooManyAdvice(20)],
    ['that are the only way in', { remove: 'k' }, { remove: 'last' }, 422, ofPasskeys.last],
    ['without a name', { rename: 'k', name: ' ' }, {}, 422, ofPasskeys.nameMissing],
  ])('%s are not changed, and the page says why', async (_, form, outcomes, status, text) => {
    const shown = await press(form, outcomes);
    expect([shown.status, shown.lines.filter((line) => line.endsWith(text)).length]).toEqual([status, 1]);
    expect([kept.recorded, shown.headers['retry-after']]).toEqual([[], status === 429 ? '7' : undefined]);
    const opened = /<details open><summary[^>]*>([^<]*)/.exec(shown.html)?.[1];
    expect(opened).toBe('rename' in form ? ofPasskeys.rename : undefined);
  });

  it('are renamed, to sixty characters, and removed; what is gone changes nothing', async () => {
    const name = 'x'.repeat(61);
    const renamed = await press({ rename: 'k', name: ` ${name} ` }, { rename: true });
    expect(renamed).toMatchObject({ ...back, notice: { kind: 'passkey-renamed' } });
    const removed = await press({ remove: 'k' }, { remove: { name: 'Laptop' } });
    expect(removed).toMatchObject({ ...back, notice: { kind: 'passkey-removed', name: 'Laptop' } });
    expect(kept.calls).toEqual([
      ['rename', 'me', 'k', 'x'.repeat(60)],
      ['remove', 'me', 'k', 'own'],
    ]);
    expect(kept.recorded).toEqual([
      record('passkey.renamed', { ...DEVICE, passkey: 'k' }),
      record('passkey.removed', { ...DEVICE, passkey: 'k', name: 'Laptop' }),
    ]);
    const gone = [
      await press({ rename: 'other', name: 'x' }, { rename: false }),
      await press({ remove: 'other' }, { remove: 'gone' }),
    ];
    for (const shown of gone)
      expect([shown.status, shown.location, shown.notice]).toEqual([303, back.location, undefined]);
    expect(kept.recorded).toHaveLength(2);
  });

  it('by a form that names none, or has control characters, are an error', async () => {
    await expect(press({})).rejects.toThrow('the form has to name a passkey');
    await expect(press({ rename: 'k', name: 'a\u0000b' })).rejects.toThrow('the field name holds control characters');
    await expect(press({ rename: 'a\u0000b', name: 'x' })).rejects.toThrow('the field rename holds control characters');
  });

  it('the first one comes with a caution', async () => {
    const cautionOf = async (list: object[], hasPassword: boolean) => {
      const stores = { passkeys: { list: async () => list }, passkeyRegistration: undefined };
      const { lines } = await ask((context) => sendPasskeysPage(context), stores, { account: { hasPassword } });
      return lines.join('\n').includes(ofPasskeys.addSecondStep);
    };
    expect([await cautionOf([], true), await cautionOf([], false), await cautionOf([KEY], true)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
