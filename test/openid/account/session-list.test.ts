// The page of the sessions by what the stores say: each kind of session, how one is ended and who learns of it.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  endOtherSessions,
  endSession,
  goOnAlone,
  sendOtherSessionsPage,
  sendSessions,
  signOut,
} from '#openid/account/sessions/sessions.ts';
import { SESSION_ENDINGS } from '#shared/audit/events.ts';
import { recordOf, withStores } from '#support/openid/account/stores.ts';
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

  it('alone, and after a form that did not fit', async () => {
    const alone = await show([sessionOf('own')]);
    expect([alone.status, alone.lines.includes(ofSessions.onlyThis), alone.html.includes('id="end-all"')]).toEqual([
      200,
      true,
      false,
    ]);
    const gone = await show([sessionOf('own')], 'gone');
    expect([gone.status, gone.lines]).toEqual([
      404,
      expect.arrayContaining([expect.stringContaining(ofSessions.notFound), ofSessions.notFoundAdvice]),
    ]);
    const stale = await show([sessionOf('own')], 'stale');
    expect([stale.status, stale.lines.join('\n').includes(words.stale)]).toEqual([403, true]);
    expect(stale.lines.join('\n')).not.toContain(ofSessions.notFound);
  });

  /** Ends sessions that the store knows. */
  const ending = (known: string[], own: object = session) => {
    const calls: unknown[][] = [];
    const stores = {
      sessions: {
        list: async () => [],
        end: async (...given: string[]) => {
          calls.push(given);
          return known.includes(given[1] ?? '') ? { device: 'Firefox, Linux', applications: ['A'] } : undefined;
        },
      },
      forgetSession: () => void calls.push(['forget']),
    };
    const regenerate = (done: () => void) => done();
    return { calls, stores, more: (form: Record<string, string>) => ({ form, session: own, regenerate }) };
  };

  it('end from another one, which is recorded and said', async () => {
    const { calls, stores, more } = ending(['one']);
    const given = more({ session: 'one' });
    const { status, location, session } = await ask(endSession, stores, given);
    expect([status, location, calls]).toEqual([303, '/account/sessions', [['me', 'one']]]);
    const details = { reason: SESSION_ENDINGS.elsewhere, device: 'Firefox, Linux', applications: ['A'] };
    const by = { actor: 'account:me', client: 'hygie-account', address: '192.0.2.1', language: 'en' };
    expect(kept.recorded).toEqual([recordOf('session.ended', details, by)]);
    expect(session).toMatchObject({ notice: { kind: 'session-ended', device: 'Firefox, Linux' } });
    expect((await ask(endSession, stores, more({ session: 'unknown' }))).status).toBe(404);
    expect((await ask(endSession, stores, more({ session: 'one', csrf: 'x' }))).status).toBe(403);
    expect(kept.recorded).toHaveLength(1);
  });

  it('a sign-out by a form of elsewhere is asked about, and ends nothing', async () => {
    const { calls, stores, more } = ending(['own']);
    const { status, location } = await ask(signOut, stores, more({ csrf: 'x' }));
    expect([status, location, calls, kept.recorded]).toEqual([303, '/logout', [], []]);
  });

  it('the others end when the person says so again; this one goes on under another id', async () => {
    const asked = await ask((context) => sendOtherSessionsPage(context), {}, { session });
    expect([asked.status, asked.lines.includes(words.stale)]).toEqual([200, false]);
    expect(asked.lines).toEqual(expect.arrayContaining([`# ${words.endSessionsTitle}`, words.endSessionsAbout]));
    expect(asked.html).toMatch(/<button[^>]*id="end-sessions"/);
    const given: unknown[] = [];
    let left: unknown;
    const shown = await ask(
      async (context) => {
        await endOtherSessions(context);
        left = context.req.session.account;
      },
      {
        endOtherSessions: async (signedIn: unknown) => {
          given.push(signedIn);
          return { sessions: 3, sessionUid: 'new' };
        },
      },
      { form: {}, session },
    );
    const notice = { kind: 'sessions-ended', sessions: 3 };
    expect([shown.status, shown.location, given]).toEqual([303, '/account/sessions', [session.signedIn]]);
    expect(left).toEqual({ signedIn: { ...session.signedIn, sessionUid: 'new' }, notice });
    expect(kept.recorded).toEqual([recordOf('account.sessions-ended', { sessions: 3 })]);
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
    const stale = await ask(endOtherSessions, {}, { form: { csrf: 'x' }, session });
    expect([stale.status, stale.lines.includes(`# ${words.endSessionsTitle}`)]).toEqual([403, true]);
  });
});
