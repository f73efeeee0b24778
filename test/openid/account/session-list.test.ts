// The page of the sessions by what the stores say: each kind of session, how one is ended and who learns of it.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { endOtherSessions, endSession, goOnAlone, sendSessions } from '#openid/account/sessions/sessions.ts';
import { withStores } from '#support/openid/account/stores.ts';
import { messagesIn } from '#web/messages.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const SECONDS = NOW / 1000;
const { account: words, sessions: ofSessions } = messagesIn('en');

describe('sessions by what the stores say', () => {
  beforeEach(() => void jest.useFakeTimers({ now: NOW, doNotFake: ['nextTick', 'setImmediate'] }));
  afterEach(() => void jest.useRealTimers());
  const { kept, ask } = withStores();

  const sessionOf = (uid: string, more: object = {}) => ({
    uid,
    signedInAt: SECONDS - 7200,
    used: { at: SECONDS - 3600, orLater: false },
    methods: ['pwd'],
    applications: [],
    device: 'Firefox, Linux',
    ...more,
  });
  const session = { signedIn: { accountId: 'me', sessionUid: 'own', grantId: 'g' } };
  const show = (all: object[], problem?: 'stale' | 'gone') =>
    ask((context) => sendSessions(context, problem), { sessions: { list: async () => all } }, { session });
  const factsIn = (lines: readonly string[]) =>
    lines.flatMap((line, index) => (line === ofSessions.how ? [lines[index + 1]] : []));

  it('each with its device, how it began and what was opened, the own one first', async () => {
    const { lines, html } = await show([
      sessionOf('one', {
        device: 'Safari, iOS',
        methods: ['pwd', 'otp'],
        applications: ['A', 'B'],
        used: { at: SECONDS - 60, orLater: true },
      }),
      sessionOf('own', { device: undefined, methods: [] }),
      sessionOf('two', { device: 'Chrome, Android', methods: ['hwk', 'mfa', 'user'] }),
      sessionOf('three', { methods: ['swk', 'pop'] }),
    ]);
    const card = (device: string, how: string[], applications = ofSessions.noApplications, used = '(ago)') => [
      `## ${device}`,
      ofSessions.signedIn,
      expect.stringContaining('(date)'),
      ofSessions.used,
      used,
      ...(how.length > 0 ? [ofSessions.how, how.join(', ')] : []),
      ofSessions.applications,
      applications,
    ];
    const end = (uid: string) => ['{csrf}', `‹end-${uid}: ${ofSessions.end}›`];
    expect(lines).toEqual([
      `# ${words.sections.sessions}`,
      ofSessions.about,
      ...card(ofSessions.unknownDevice, []).toSpliced(1, 0, ofSessions.current),
      ...card('Safari on iOS', ['password', 'one-time code'], 'A, B', '(ago) or later'),
      ...end('one'),
      ...card('Chrome on Android', ['passkey']),
      ...end('two'),
      ...card('Firefox on Linux', ['passkey']),
      ...end('three'),
      `## ${ofSessions.others}`,
      ofSessions.othersAbout,
      `[${words.endSessions}](/account/sessions/others)`,
      `## ${ofSessions.notYou}`,
      ofSessions.notYouAdvice,
      `[${words.changePassword}](/account/password)`,
    ]);
    expect(factsIn(lines)).toHaveLength(3);
    expect([...html.matchAll(/<h2 class="icon-(\w+)"/g)].map(([, icon]) => icon)).toEqual([
      'computer',
      'phone',
      'phone',
      'computer',
    ]);
    expect(html).toContain('<li class="box session" id="current-session">');
  });

  it('none ends by an id with control characters, which PostgreSQL takes for an error', async () => {
    await expect(ask(endSession, {}, { form: { session: 'a\u0000b' }, session })).rejects.toThrow(
      'the field session holds control characters',
    );
  });

  it('the others end only where this one still is one', async () => {
    const ended = async () => undefined;
    const gone = await ask(endOtherSessions, { endOtherSessions: ended }, { form: {}, session });
    expect([gone.status, gone.location, kept.recorded]).toEqual([303, '/account/sessions', []]);
    let alone: number | undefined = 1;
    const nobody = async (context: Parameters<typeof goOnAlone>[0]) => {
      alone = await goOnAlone(context);
    };
    await ask(nobody, { endOtherSessions: async () => ({ sessions: 3, sessionUid: 'new' }) });
    expect(alone).toBeUndefined();
  });
});
