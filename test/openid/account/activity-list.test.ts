// The page of the activity by what the store says: each kind of event with its words, its application, its place and by whom.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { sendActivity } from '#openid/account/activity/activity.ts';
import { SESSION_ENDINGS } from '#shared/audit/events.ts';
import { withStores } from '#support/openid/account/stores.ts';
import { transcript } from '#support/page-transcript.ts';
import { messagesIn } from '#web/messages.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const { account: words, activity: ofActivity } = messagesIn('en');

describe('activity by what the store says', () => {
  beforeEach(() => void jest.useFakeTimers({ now: NOW, doNotFake: ['nextTick', 'setImmediate'] }));
  afterEach(() => void jest.useRealTimers());
  const clients = { find: (id: string) => ({ app: { name: 'Application' } })[id] };
  const { ask } = withStores({ clients });

  const eventOf = (event: string, more: object = {}) => ({
    event,
    outcome: 'success',
    actor: 'account:me',
    time: '2026-11-28T10:00:00.000Z',
    ...more,
  });
  const show = async (
    records: object[],
    { query = {}, older = undefined as string | undefined, newer = undefined as string | undefined } = {},
  ) => {
    const asked: unknown[][] = [];
    const page = async (...given: unknown[]) => {
      asked.push(given);
      return { records, older, newer };
    };
    const shown = await ask(sendActivity, { activity: { page } }, { query, url: '/account/activity' });
    const [list = ''] = /<ol class="activity">[\s\S]*<\/ol>/.exec(shown.html) ?? [];
    const items = list.matchAll(/<li class="([^"]*)"><h2>([^<]*)<\/h2>[\s\S]*?<\/p>\n?(<ul>[\s\S]*?<\/ul>)?<\/li>/g);
    const events = [...items].map(([, kind, title, facts = '']) =>
      [kind, title, ...transcript(facts).split('\n')].filter(Boolean),
    );
    return { ...shown, asked, events };
  };

  it('each event with its icon, its words, its application, its place and by whom', async () => {
    const failed = (reason: string, more: object = {}) =>
      eventOf('sign-in.failed', { outcome: 'failure', actor: 'unknown', details: { reason, ...more } });
    const { events } = await show([
      eventOf('sign-in.succeeded', {
        client: 'app',
        address: '192.0.2.7',
        details: { methods: ['password', 'second-factor', 'odd'], device: 'Firefox, Linux', signIn: 's' },
      }),
      eventOf('sign-in.succeeded', { details: { methods: ['passkey'] } }),
      eventOf('sign-in.succeeded', { client: 'hygie-account', details: { methods: ['odd'] } }),
      eventOf('sign-in.succeeded', { client: 'gone', details: { methods: 'password' } }),
      failed('code', { signIn: 's' }),
      failed('password', { known: true }),
      failed('passkey-counter'),
      failed('odd'),
      failed('toString'),
      eventOf('passkey.added', { client: 'hygie-account', actor: 'account:other' }),
      eventOf('second-factor.removed', { actor: 'operator:a-name' }),
      eventOf('recovery-code.used', { actor: 'service' }),
      eventOf('consent.given', { actor: 'client:app' }),
      eventOf('token.reused', { actor: 'client:gone:x', outcome: 'failure' }),
      eventOf('session.ended', { details: { reason: SESSION_ENDINGS.elsewhere } }),
      eventOf('session.ended', { details: { reason: 'odd' } }),
      eventOf('session.left'),
      eventOf('account.added', { actor: 'operator:a-name', details: { device: 7 } }),
      ...['sign-in.failed', 'odd'].map((of) =>
        eventOf('audit.counted', { outcome: 'failure', actor: 'service', details: { of, count: 12 } }),
      ),
      eventOf('of-a-release.to-come'),
      eventOf('token.issued'),
    ]);
    const { events: titles, by, reasons } = ofActivity;
    expect(events).toEqual([
      [
        'icon-check',
        titles['sign-in.succeeded'],
        'with password + second step',
        'Firefox on Linux',
        'Application',
        'network address 192.0.2.7',
      ],
      ['icon-check', titles['sign-in.succeeded'], 'with passkey'],
      ['icon-check', titles['sign-in.succeeded'], ofActivity.account],
      ['icon-check', titles['sign-in.succeeded'], ofActivity.formerApplication],
      ['refused icon-refused', titles['sign-in.failed'], reasons.code, by.self],
      ['refused icon-refused', titles['sign-in.failed'], reasons.password, by.known],
      ['refused icon-refused', titles['sign-in.failed'], reasons['passkey-counter'], by.unknown],
      ['refused icon-refused', titles['sign-in.failed'], by.unknown],
      ['refused icon-refused', titles['sign-in.failed'], by.unknown],
      ['icon-key', titles['passkey.added'], by.other],
      ['icon-key', titles['second-factor.removed'], by.operator],
      ['icon-key', titles['recovery-code.used'], by.service],
      ['icon-apps', titles['consent.given'], 'Application'],
      ['refused icon-refused', titles['token.reused'], ofActivity.formerApplication],
      ['icon-leave', ofActivity.endings.elsewhere],
      ['icon-leave', titles['session.ended']],
      ['icon-leave', titles['session.left']],
      ['icon-person', titles['account.added'], by.operator],
      ['icon-person', titles['audit.counted'], `12 × ${titles['sign-in.failed']}`, by.service],
    ]);
  });

  it('of the last ninety days, 25 on a page, with the ways to the others', async () => {
    const { asked, lines } = await show([], { query: { older: ['x'], newer: 'place' }, older: '1', newer: '2' });
    const since = NOW - 90 * 86_400_000;
    expect(asked).toEqual([['me', { events: Object.keys(ofActivity.events), since, limit: 25, newer: 'place' }]]);
    expect(lines).toEqual([
      `# ${words.sections.activity}`,
      ofActivity.about,
      ofActivity.none,
      `[${ofActivity.newer}](/account/activity?newer=2)[${ofActivity.older}](/account/activity?older=1)`,
      `## ${ofActivity.notYou}`,
      ofActivity.notYouAdvice,
      `[${words.changePassword}](/account/password)`,
      `[${ofActivity.sessionsLink}](/account/sessions)`,
    ]);
    const place = { older: 'x' };
    const one = await show([], { query: place, newer: '2' });
    expect([one.asked[0]?.[1], one.html.includes('id="older"'), one.html.includes('id="newer"')]).toEqual([
      expect.objectContaining(place),
      false,
      true,
    ]);
    expect((await show([])).html).not.toContain(ofActivity.pages);
  });
});
