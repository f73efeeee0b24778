// What a person takes along, and how they leave: their data in one file, and the deletion of the account.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { openAccountDeletion } from '#store/accounts/delete-account.ts';
import { ENGINES } from '#support/databases.ts';
import { credentialsOf, enteredBy, idOf, openAccount } from '#support/openid/account/person-of-account.ts';
import { signIn } from '#support/openid/relying-party.ts';
import type { Person } from '#support/person.ts';
import { type RunningService, startService } from '#support/service.ts';

let service: RunningService;
let person: Person;
beforeAll(async () => {
  service = await startService();
  ({ person } = await enteredBy(service.issuer, 0));
});
afterAll(() => service.stop());

describe('a person’s own data', () => {
  it('are one file for a fresh sign-in: everything, without a secret; recorded', async () => {
    const page = await openAccount(person, 0, '/account/data');
    const file = await person.press(page, 'download-data');
    expect(file.headers.get('content-disposition')).toBe('attachment; filename=account.json');
    expect(file.headers.get('cache-control')).toBe('no-store');
    const data = JSON.parse(file.html);
    expect(data).toMatchObject({
      account: { id: idOf(0), email: credentialsOf(0).login, hasPassword: true },
      secondFactor: null,
      activity: { complete: true },
    });
    expect(data.sessions.length).toBeGreaterThan(0);
    expect(data.activity.records.map(({ event }: { event: string }) => event)).toContain('sign-in.succeeded');
    const { password_hash: hash } = await service
      .database('accounts')
      .where({ id: idOf(0) })
      .first();
    const sessions = await service.database('oidc_records').whereRaw("model = 'Session'").select('id', 'uid');
    for (const secret of [hash, ...sessions.flatMap(({ id, uid }) => [id, uid])])
      expect(file.html).not.toContain(secret);
    const last = await service.database('audit_events').orderBy('id', 'desc').first();
    expect(last.event).toBe('account.data-exported');
    // Without the form's token there is nothing.
    const stale = await person.visit('/account/data', { method: 'POST', body: new URLSearchParams() });
    expect([stale.status, stale.html.includes(credentialsOf(0).login)]).toEqual([403, false]);
  });
});

describe.each(ENGINES)('the deletion of an account on %s', (engine) => {
  let other: RunningService;
  beforeAll(async () => {
    other = engine === 'sqlite' ? service : await startService({ engine });
  });
  afterAll(async () => {
    if (other !== service) await other.stop();
  });

  it('is asked for, shown, taken back, and ends everything once an operator has done it', async () => {
    const { person: leaver } = await enteredBy(other.issuer, 4);
    const events = async () =>
      (
        await other
          .database('audit_events')
          .where({ account_id: idOf(4) })
          .orderBy('id')
          .pluck('event')
      ).filter((event: string) => event.startsWith('account.'));
    const asked = await leaver.press(await openAccount(leaver, 4, '/account/deletion'), 'request-deletion');
    expect(asked.html).toContain('id="withdraw-deletion"');
    const back = await leaver.press(asked, 'withdraw-deletion');
    expect(back.html).not.toContain('id="withdraw-deletion"');
    await leaver.press(await openAccount(leaver, 4, '/account/deletion'), 'request-deletion');
    expect(await events()).toEqual([
      ...['account.deletion-requested', 'account.deletion-withdrawn', 'account.deletion-requested'],
    ]);

    const { configuration, tokens } = await signIn(other, { person: leaver, clientId: 'trusted', scope: 'openid' });
    expect(await openAccountDeletion(other.database).remove(idOf(4))).toBe(true);
    await expect(oidc.fetchUserInfo(configuration, tokens.access_token, idOf(4))).rejects.toThrow();
    expect((await leaver.visit('/account')).html).toContain('id="sign-in"');
    const again = await leaver.press(await leaver.visit('/account'), 'sign-in', credentialsOf(4));
    expect([again.html.includes('id="sign-in"'), again.status < 500]).toEqual([true, true]);
  });
});
