// What is left of an account that was locked, deleted or ended.

import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Session } from 'express-session';
import { lockAccount } from '#store/accounts/account-row.ts';
import { type Accounts, IdOfDeletedAccount, openAccounts } from '#store/accounts/accounts.ts';
import { openActionTokens } from '#store/accounts/action-tokens.ts';
import { openAccountDeletion } from '#store/accounts/delete-account.ts';
import { openPasskeys } from '#store/accounts/factors/passkeys.ts';
import { openPageSessions } from '#store/accounts/page-sessions.ts';
import { openSeenDevices } from '#store/accounts/seen-devices.ts';
import { openDatabase } from '#store/database/connection.ts';
import { openConsents } from '#store/oidc/consents.ts';
import { type OidcRecords, openOidcRecords } from '#store/oidc/oidc-records.ts';
import { openMailQueue } from '#store/outbox/mail-queue.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';
import { newPasskey } from '#support/store/passkey.ts';

// The end of an account on both engines: nothing of it stays, its applications are told, its UUID is never given again.
describe.each(bothEngines('store/accounts/deleted-accounts'))('deleting an account, on %s', (engine) => {
  const LIFETIMES = { invitation: 600, passwordReset: 600, emailVerification: 600, emailChange: 600 };

  let accounts: Accounts;
  const opened = openedForAll(() => openTestDatabase(engine));
  beforeAll(() => {
    accounts = openAccounts(opened.database);
  });

  const added = async (email: string) => (await accounts.create([{ email, name: 'Camille Exemple' }]))[0]?.id ?? '';

  /** Tables in which a text stands, whatever the column. */
  async function tablesWith(text: string): Promise<string[]> {
    const { database } = opened;
    const rows =
      engine === 'sqlite'
        ? await database('sqlite_master').where({ type: 'table' }).pluck('name')
        : await database('information_schema.tables').where({ table_schema: 'public' }).pluck('table_name');
    const found: string[] = [];
    for (const table of rows as string[]) {
      const stored = JSON.stringify(await database(table), (_key, value) =>
        value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
      );
      if (stored.includes(text)) found.push(table);
    }
    return found.sort();
  }

  it('a deleted account leaves its UUID and the logout tokens on their way, and nothing else in any table', async () => {
    const { database } = opened;
    const email = 'camille@clinic.example';
    const id = await added(email);
    const records = openOidcRecords(database);
    const authorizations = { server: { sid: 's1', grantId: 'g1' } };
    await records.upsert('Session', 'secret', { accountId: id, uid: 'u1', loginTs: 1, authorizations }, 3600);
    await records.upsert('Grant', 'g1', { accountId: id, clientId: 'server' }, 3600);
    await records.upsert('RefreshToken', 'r1', { accountId: id, grantId: 'g1' }, 3600);
    await openConsents(database).give(id, 'server', ['openid'], 60);
    await database('second_factors').insert({ account_id: id, secret: 'x', last_step: 0, created_at: 1 });
    await database('recovery_codes').insert({ account_id: id, digest: 'x' });
    await openActionTokens(database, LIFETIMES).mint({ purpose: 'password-reset', accountId: id });
    const mails = openMailQueue(database);
    await mails.enqueue({ kind: 'notice', topic: 'account.password-changed', accountId: id, to: email });
    for (const { id: sent } of await mails.take({ most: 1, lease: 60 })) await mails.end(sent);
    await mails.enqueue({ kind: 'password-reset', accountId: id });
    await openSeenDevices(database).note(id, 'a device');
    await openPasskeys(database).add(id, newPasskey('one'), 'u1');
    const deletion = openAccountDeletion(database);
    await deletion.request(id, true);
    // What this test relies on: all of it stands there before.
    expect((await tablesWith(id)).length).toBeGreaterThanOrEqual(9);

    const outcomes = await Promise.all([deletion.remove(id), deletion.remove(id)]);
    expect(outcomes.sort()).toEqual([false, true]);
    expect(await tablesWith(id)).toEqual(['deleted_accounts', 'logout_deliveries']);
    expect(await tablesWith(email)).toEqual([]);
    expect(await database('logout_deliveries').where({ account_id: id }).pluck('sid')).toEqual(['s1']);
    expect(await records.find('RefreshToken', 'r1')).toBeUndefined();

    await expect(accounts.create([{ id, email, name: 'Somebody else' }])).rejects.toThrow(IdOfDeletedAccount);
    expect(await added(email)).not.toBe(id);
  });

  it('a notice that waits is still sent after the deletion, once: it may be the only word of a takeover', async () => {
    const mails = openMailQueue(opened.database);
    const id = await added('taken-over@clinic.example');
    const to = 'taken-over@clinic.example';
    await mails.enqueue({ kind: 'notice', topic: 'account.email-changed', accountId: id, to });
    await mails.enqueue({ kind: 'email-change', accountId: id, to: 'evil@clinic.example' });
    await openAccountDeletion(opened.database).remove(id);
    const [notice, ...others] = await mails.take({ most: 9, lease: 60 });
    expect([notice, others]).toMatchObject([{ kind: 'notice', to }, []]);
    await mails.end(notice?.id ?? '');
    expect(await tablesWith(to)).toEqual([]);
  });

  it('a deletion that fails half-way changes nothing', async () => {
    const { database } = opened;
    const id = await added('half@clinic.example');
    await openConsents(database).give(id, 'server', ['openid'], 60);
    await database('deleted_accounts').insert({ id, deleted_at: 1 });
    await expect(openAccountDeletion(database).remove(id)).rejects.toThrow();
    expect(await accounts.find(id)).toBeDefined();
    expect(await openConsents(database).list(id)).toHaveLength(1);
  });

  it('who asks for the deletion is listed, since the first time, until they take it back', async () => {
    const id = await added('asks@clinic.example');
    const deletion = openAccountDeletion(opened.database);
    expect([await deletion.request(id, true), await deletion.request(id, true)]).toEqual([true, false]);
    const listed = async () => (await accounts.list({ limit: 10, deletionRequested: true })).map((one) => one.id);
    expect(await listed()).toEqual([id]);
    expect([await deletion.request(id, false), await deletion.request(id, false)]).toEqual([true, false]);
    expect(await listed()).toEqual([]);
  });
});

// A transaction that locks an account first is not given up when another process writes: an operator's command beside the service.
it('locked accounts on SQLite nobody writes between the lock and what follows it', async () => {
  const { database, settings, close } = await openTestDatabase('sqlite');
  const other = openDatabase(settings);
  try {
    await other.raw('pragma busy_timeout = 0');
    const [account] = await openAccounts(database).create([{ email: 'p@clinic.example', name: 'P' }]);
    const mine = { id: account?.id };
    await database.transaction(async (transaction) => {
      expect(await lockAccount(transaction, account?.id ?? '')).toMatchObject({ password_hash: null });
      await expect(other('accounts').where(mine).update({ name: 'O' })).rejects.toThrow(/locked/);
      await transaction('accounts').where(mine).update({ name: 'M' });
    });
    expect(await other('accounts').where(mine).pluck('name')).toEqual(['M']);
    expect(await lockAccount(database, 'nobody')).toBeUndefined();
  } finally {
    await other.destroy();
    await close();
  }
});

// SEC-55: what was ended is not stored again, in every table of which a request writes back what it had read. On both engines.
describe.each(bothEngines('store/accounts/deleted-accounts'))('what was ended, on %s', (engine) => {
  let accounts: Accounts;
  let records: OidcRecords;
  const opened = openedForAll(() => openTestDatabase(engine));
  beforeAll(() => {
    accounts = openAccounts(opened.database);
    records = openOidcRecords(opened.database);
  });

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
