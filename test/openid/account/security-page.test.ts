// The page of the protection of an account, by what the account has: a password, an app, passkeys, recovery codes.

import { describe, expect, it } from '@jest/globals';
import { sendSecurity } from '#openid/account/security/security.ts';
import { withStores } from '#support/openid/account/stores.ts';
import { messagesIn } from '#web/messages.ts';

const { account: words, passkeys: ofPasskeys } = messagesIn('en');
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
