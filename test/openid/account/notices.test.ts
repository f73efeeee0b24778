// What the next account page says once after each change: every kind of notice, in both languages.

import { describe, expect, it } from '@jest/globals';
import type { Notice } from '#openid/account/page-context.ts';
import { takeNotice } from '#openid/account/space-page.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { transcript } from '#support/page-transcript.ts';
import { messagesIn } from '#web/messages.ts';

/** Every kind has its line; a new one that lacks it does not compile. */
const NOTICES: { [Kind in Notice['kind']]: Notice & { kind: Kind } } = {
  'consent-revoked': { kind: 'consent-revoked', client: 'Dossier' },
  welcome: { kind: 'welcome' },
  'workspace-chosen': { kind: 'workspace-chosen' },
  'profile-saved': { kind: 'profile-saved' },
  'deletion-requested': { kind: 'deletion-requested' },
  'deletion-withdrawn': { kind: 'deletion-withdrawn' },
  'second-factor-added': { kind: 'second-factor-added' },
  'second-factor-removed': { kind: 'second-factor-removed' },
  'recovery-codes-saved': { kind: 'recovery-codes-saved', madeFor: 'app' },
  'passkey-added': { kind: 'passkey-added', name: 'Laptop' },
  'passkey-renamed': { kind: 'passkey-renamed' },
  'passkey-removed': { kind: 'passkey-removed', name: 'Laptop' },
  'password-changed': { kind: 'password-changed' },
  'session-ended': { kind: 'session-ended', device: 'Firefox, Windows' },
  'email-change-sent': { kind: 'email-change-sent', email: 'zoe@clinic.example' },
  'verification-sent': { kind: 'verification-sent', email: 'zoe@clinic.example' },
  unsent: { kind: 'unsent' },
  'sessions-ended': { kind: 'sessions-ended', sessions: 2 },
};

describe.each(['fr', 'en'] as const)('a notice in the language %s', (language) => {
  withOwnSnapshots(import.meta.filename);
  const contextOf = (account: { notice?: Notice }) => {
    const settings = { lifetimes: { emailChange: 86_400 } };
    const messages = messagesIn(language);
    return { req: { session: { account } }, language, messages, settings, site: { base: '' } } as unknown as Parameters<
      typeof takeNotice
    >[0];
  };

  it('has its own words by its kind, and is shown once', () => {
    const words = Object.values(NOTICES).map((notice) => {
      const account = { notice };
      const shown = transcript(String(takeNotice(contextOf(account))));
      expect([account, takeNotice(contextOf(account))]).toEqual([{}, undefined]);
      return `${notice.kind}: ${shown.replaceAll('\n', ' / ')}`;
    });
    expect(words.join('\n')).toMatchSnapshot();
  });
});
