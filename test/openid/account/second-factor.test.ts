// SEC-41 at the account pages: setting up a second factor, new recovery codes, removal; on SQLite. On PostgreSQL, with two
// instances: `two-instances.test.ts`.

import { describe, expect, it } from '@jest/globals';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { changePageSession } from '#support/openid/account/page-session.ts';
import { appOf, enteredBy, idOf, openAccount, recoveryCodesOn } from '#support/openid/account/person-of-account.ts';
import { service, withService } from '#support/openid/with-service.ts';
import type { Person, Visit } from '#support/person.ts';

describe('second factor of an account', () => {
  const SECRET = 'a secret of the keys that is long enough for a test';
  const FAILURES = 4;

  withService({
    env: { HYGIE_KEY_SECRET: SECRET },
    adjust: (settings) => ({ ...settings, limits: { ...settings.limits, accountFailures: FAILURES } }),
  });

  /** A person with a second factor that was just set up. */
  async function withSecondFactor(index: number) {
    const { person } = await enteredBy(service.issuer, index);
    const page = await openAccount(person, index, '/account/second-factor');
    const app = appOf(page);
    const done = await person.press(page, 'set-up', { code: app() });
    return { person, app, page, done, codes: recoveryCodesOn(done) };
  }

  /** What the audit trail has of an account, sorted by name: events of one second have no order. */
  const recorded = async (index: number) => {
    const events = await openAuditEvents(service.database).search({ limit: 100, account: idOf(index) });
    return events
      .filter(({ event }) => /second-factor|recovery-code|throttled|failed/.test(event))
      .map(({ event, actor, details }) => [event, actor, details?.['reason']].filter(Boolean).join(' '))
      .sort();
  };

  const isAt = (page: string, { url }: Visit) => url === `${service.issuer}/account${page}`;
  const isSecurity = (visit: Visit) => isAt('/security', visit);
  const ask = (person: Person, page: string) => person.visit(`/account/second-factor${page}`);

  describe('SEC-41 a second factor is set up at /account', () => {
    it('by the first code of the app, after which the recovery codes are shown this once', async () => {
      const { person, page, done, codes } = await withSecondFactor(0);
      // 80 bits, of an alphabet of 32 without the letters that are misread.
      for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
      expect(page.html).toContain('<h1>Add a second step</h1>');
      expect([done.status, codes.length, new Set(codes).size]).toEqual([200, 8, 8]);
      expect(done.headers.get('cache-control')).toBe('no-store');
      expect(done.html).toContain('The second step is on.');
      // In no other language either: the page cannot be had again.
      expect(done.html).not.toContain('class="languages"');
      const overview = await openAccount(person, 0, '/account/security');
      expect(overview.html).toContain('You have 8 recovery codes left.');
      expect(await recorded(0)).toEqual([`second-factor.added account:${idOf(0)}`]);
      expect(isSecurity(await ask(person, ''))).toBe(true);
      // Sent twice, as by two clicks: the codes that were shown are gone, and the page says how to get others.
      const twice = await person.press(page, 'set-up', { code: '000000' });
      expect([twice.html.includes('have been shown to you once'), recoveryCodesOn(twice)]).toEqual([true, []]);
      expect(isSecurity(await person.press(twice, 'continue', { saved: 'yes' }))).toBe(true);
      expect(isSecurity(await person.press(page, 'set-up', { code: '000000' }))).toBe(true);
      // Neither the secret nor the codes are in the database as they are; the session of the pages keeps neither.
      const tables = ['second_factors', 'recovery_codes', 'page_sessions'];
      const rows = await Promise.all(tables.map((table) => service.database(table).select()));
      const dump = JSON.stringify(rows);
      for (const code of codes) expect(dump).not.toContain(code);
      expect(dump).not.toContain(/secret=([A-Z2-7]+)/.exec(page.html)?.[1]);
      expect(service.logged()).not.toContain(codes[0]);
    });

    it('with the same QR code as long as the first code is wrong, missing or unreadable', async () => {
      const { person } = await enteredBy(service.issuer, 1);
      const page = await openAccount(person, 1, '/account/second-factor');
      const key = /secret=([A-Z2-7]+)/.exec(page.html)?.[1] ?? '';
      expect(key).toMatch(/^[A-Z2-7]{32}$/);
      const app = appOf(page);
      for (const code of ['', 'not a code', app(-9)]) {
        const again = await person.press(page, 'set-up', { code });
        expect([again.status, again.html.includes(key)]).toEqual([422, true]);
      }
      const code = app();
      expect((await person.press(page, 'set-up', { code: ` ${code.slice(0, 3)} ${code.slice(3)} ` })).status).toBe(200);
    });
  });

  it('SEC-41 new recovery codes take the place of those before, for who has a code of the app', async () => {
    const { person, app, codes: old } = await withSecondFactor(3);
    const page = await ask(person, '/recovery-codes');
    const typed = app(1);
    const done = await person.press(page, 'renew', { code: typed });
    const fresh = recoveryCodesOn(done);
    expect([done.status, fresh.length, fresh.some((code) => old.includes(code))]).toEqual([200, 8, false]);
    expect(done.html).toContain('Your previous codes no longer work.');
    // The code of the app works once, and none of the recovery codes before does.
    for (const [fields, notice] of [
      [{ code: typed }, 'This code has already been used'],
      [{ recovery: old[0] ?? '' }, 'That recovery code didn’t work'],
    ] as const) {
      const again = await person.press(page, 'renew', fields);
      expect([again.status, again.html.includes(notice), recoveryCodesOn(again)]).toEqual([422, true, []]);
    }
    const used = await person.press(page, 'renew', { recovery: (fresh[0] ?? '').toLowerCase().replaceAll('-', ' ') });
    expect([used.status, recoveryCodesOn(used).length]).toEqual([200, 8]);
    const actor = `account:${idOf(3)}`;
    expect(await recorded(3)).toEqual([
      `recovery-code.used ${actor}`,
      `recovery-codes.renewed ${actor}`,
      `recovery-codes.renewed ${actor}`,
      `second-factor.added ${actor}`,
      'sign-in.failed unknown code',
      'sign-in.failed unknown code-used',
    ]);
  });

  describe('SEC-41 a second factor is removed', () => {
    it('by a code, and the password is enough from then on', async () => {
      const { person, codes } = await withSecondFactor(5);
      const page = await ask(person, '/remove');
      const done = await person.press(page, 'remove', { recovery: codes[0] ?? '' });
      expect([isSecurity(done), done.html.includes('The authenticator app has been removed')]).toEqual([true, true]);
      // It is said once.
      expect((await openAccount(person, 5, '/account/security')).html).not.toContain(
        'The authenticator app has been removed',
      );
      expect(isAt('', (await enteredBy(service.issuer, 5)).overview)).toBe(true);
      const actor = `account:${idOf(5)}`;
      const events = ['recovery-code.used', 'second-factor.added', 'second-factor.removed'];
      expect(await recorded(5)).toEqual(events.map((event) => `${event} ${actor}`));
      expect(await service.database('recovery_codes').where({ account_id: idOf(5) })).toEqual([]);
    });

    it('not by guessing: wrong codes are counted as at a sign-in, on all pages and windows together', async () => {
      const { person, app } = await withSecondFactor(6);
      const [removal, renewal] = [await ask(person, '/remove'), await ask(person, '/recovery-codes')];
      for (let failure = 0; failure < FAILURES; failure += 1) {
        const [page, button] = failure % 2 ? ([removal, 'remove'] as const) : ([renewal, 'renew'] as const);
        expect((await person.press(page, button, { code: '12345' })).status).toBe(422);
      }
      const paused = await person.press(removal, 'remove', { code: app(1) });
      expect([paused.status, paused.html.includes('Attempts for this account are paused')]).toEqual([429, true]);
      expect(Number(paused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await openAccount(person, 6, '/account/security')).html).toContain('id="remove-second-factor"');
      expect(await recorded(6)).toContain('sign-in.throttled unknown');
      // At a sign-in it is the same pause.
      const { person: other, overview } = await enteredBy(service.issuer, 6);
      expect((await other.press(overview, 'verify', { code: app(1) })).status).toBe(429);
    });
  });

  describe('SEC-41 a secret that no secret of the keys opens', () => {
    const SEALED_ELSEWHERE = 'sealed-1.AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

    it('of an app that is being set up gives way to another one', async () => {
      const { person } = await enteredBy(service.issuer, 8);
      const before = await openAccount(person, 8, '/account/second-factor');
      await changePageSession(service, person, ({ account }) => {
        expect(account?.proposal).toBeDefined();
        if (account) account.proposal = SEALED_ELSEWHERE;
      });
      expect((await person.press(before, 'set-up', { code: appOf(before)() })).status).toBe(422);
      const page = await openAccount(person, 8, '/account/second-factor');
      expect((await person.press(page, 'set-up', { code: appOf(page)() })).status).toBe(200);
    });

    it('of an account ends in a page with a reference, and the log names the remedy', async () => {
      const { person, app, codes } = await withSecondFactor(9);
      await service
        .database('second_factors')
        .where({ account_id: idOf(9) })
        .update({ secret: SEALED_ELSEWHERE });
      const removal = await ask(person, '/remove');
      const failed = await person.press(removal, 'remove', { code: app(1) });
      expect([failed.status, failed.html.includes('Something went wrong on our side')]).toEqual([500, true]);
      expect(service.logged()).toContain('see npm run -s hygie -- keys list');
      // A recovery code needs no secret: the person helps themselves.
      expect(isSecurity(await person.press(removal, 'remove', { recovery: codes[0] ?? '' }))).toBe(true);
    });
  });
});
