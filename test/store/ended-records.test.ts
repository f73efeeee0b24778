// SEC-55: what was ended is not stored again, in every table of which a request writes back what it had read. On both engines.

import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Session } from 'express-session';
import { type Accounts, openAccounts } from '#store/accounts/accounts.ts';
import { openPageSessions } from '#store/accounts/page-sessions.ts';
import { openConsents } from '#store/oidc/consents.ts';
import { type OidcRecords, openOidcRecords } from '#store/oidc/oidc-records.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '#support/databases.ts';

describe.each(ENGINES)('what was ended, on %s', (engine) => {
  let opened: TestDatabase;
  let accounts: Accounts;
  let records: OidcRecords;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
    accounts = openAccounts(opened.database);
    records = openOidcRecords(opened.database);
  });
  afterAll(() => opened.close());

  it('SEC-55 replaces and updates what is there as it was read, and never what was ended', async () => {
    await records.insertOnce('Session', 's2', { uid: 'u2', accountId: 'a' }, 60);
    const [read, late] = [await records.readSession({ id: 's2' }), await records.readSession({ uid: 'u2' })];
    if (!read || !late) throw new Error('it was stored');
    expect(await records.replace('Session', read, 's3', { uid: 'u2', accountId: 'b' }, 60)).toBe(true);
    expect(await records.replace('Session', late, undefined, { uid: 'u2', accountId: 'c' }, 60)).toBe(false);
    expect(await records.find('Session', 's2')).toBeUndefined();
    expect(await records.find('Session', 's3')).toMatchObject({ accountId: 'b' });
    expect(await records.update('Session', 's3', { uid: 'u2', accountId: 'd' }, 60)).toBe(true);
    const again = await records.readSession({ id: 's3' });
    await records.destroySession('u2');
    expect(again && (await records.replace('Session', again, undefined, { uid: 'u2' }, 60))).toBe(false);
    expect(await records.update('Session', 's3', { uid: 'u2' }, 60)).toBe(false);
    expect(await records.readSession({ uid: 'u2' })).toBeUndefined();
  });

  it('SEC-55 consents given at the same time all count, and none that was withdrawn comes back', async () => {
    const consents = openConsents(opened.database);
    const [created] = await accounts.create([{ email: 'parallel-consents@example.test', name: 'Camille Test' }]);
    const id = created?.id ?? '';
    const scopes = ['openid', 'email', 'profile', 'PRACTITIONER_READ'];
    await Promise.all(scopes.map((scope) => consents.give(id, 'app', [scope], 60)));
    expect(new Set(await consents.find(id, 'app', 60))).toEqual(new Set(scopes));
    for (let round = 0; round < 10; round += 1) {
      await consents.give(id, 'app', ['withdrawn'], 60);
      const withdrawn = consents.revoke(id, 'app');
      await Promise.all([withdrawn, consents.give(id, 'app', ['openid'], 60)]);
      await consents.give(id, 'app', ['email'], 60);
      // Either before the withdrawal, which took it back as well, or after it.
      const given = await consents.find(id, 'app', 60);
      expect(given).not.toContain('withdrawn');
    }
  });

  it('SEC-55 a page session that was ended is not stored again by a request that had read it', async () => {
    const sessions = openPageSessions(opened.database);
    const data = { cookie: { expires: new Date(Date.now() + 60_000) } } as never;
    await promisify(sessions.set.bind(sessions))('page-3', data);
    const load = promisify(sessions.load.bind(sessions));
    const [read, other] = [await load('page-3'), await load('page-3')];
    const save = (session: typeof read) => new Promise((done) => (session as Session | undefined)?.save(done));
    await save(other);
    expect(await load('page-3')).toBeDefined();
    await promisify(sessions.destroy.bind(sessions))('page-3');
    await save(read);
    expect(await load('page-3')).toBeUndefined();
  });
});
