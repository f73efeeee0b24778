// The end of an account on both engines: nothing of it stays, its applications are told, its UUID is never given again.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Accounts, IdOfDeletedAccount, openAccounts } from '#store/accounts/accounts.ts';
import { openActionTokens } from '#store/accounts/action-tokens.ts';
import { openAccountDeletion } from '#store/accounts/delete-account.ts';
import { openPasskeys } from '#store/accounts/factors/passkeys.ts';
import { openSeenDevices } from '#store/accounts/seen-devices.ts';
import { openConsents } from '#store/oidc/consents.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { openMailQueue } from '#store/outbox/mail-queue.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '#support/databases.ts';

const LIFETIMES = { invitation: 600, passwordReset: 600, emailVerification: 600, emailChange: 600 };

describe.each(ENGINES)('on %s', (engine) => {
  let opened: TestDatabase;
  let accounts: Accounts;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
    accounts = openAccounts(opened.database);
  });
  afterAll(() => opened.close());

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
    const passkey = { userHandle: 'AAAA', publicKey: 'AAAA', counter: 0, transports: [], synced: true, aaguid: '' };
    await openPasskeys(database).add(id, { ...passkey, credentialId: 'one', name: 'Phone' }, 'u1');
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
