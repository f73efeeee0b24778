// The table of accounts: what is kept of a person, what a change changes, and in which order accounts are listed. On both engines.

import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  accountOfRow,
  accountRow,
  lockAccount,
  loginOf,
  signInLimit,
  signInLimitOf,
} from '#store/accounts/account-row.ts';
import {
  type Accounts,
  accountPages,
  EmailTaken,
  endAllSessions,
  IdOfDeletedAccount,
  openAccounts,
} from '#store/accounts/accounts.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { allOf } from '#support/all-of.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';

const NOW = 1_800_000_000;
const ID = '6f1a2c9e-0b7d-4c53-9a41-3d5e8f7f0001';
const FULL = {
  id: ID,
  email: ' Ada@Example.test ',
  emailVerified: true,
  name: 'Ada Essai',
  given: 'Ada',
  family: 'Essai',
  nickname: 'ada',
  picture: 'https://example.test/ada.png',
  profile: 'https://example.test/ada',
  language: 'fr',
  practitioners: ['810000000001'],
  workspaces: ['F1', 'F2'],
  currentWorkspace: 'F2',
  passwordChangeRequired: true,
};
const KEPT = {
  ...FULL,
  email: 'Ada@Example.test',
  status: 'active',
  hasPassword: true,
  passwordSetAt: NOW,
  createdAt: NOW,
  updatedAt: NOW,
};

describe.each(bothEngines('store/accounts/accounts'))('accounts on %s', (engine) => {
  let accounts: Accounts;
  const opened = openedForAll(() => openTestDatabase(engine));
  beforeAll(() => {
    accounts = openAccounts(opened.database);
  });
  const at = (seconds: number) => void jest.spyOn(Date, 'now').mockReturnValue(seconds * 1000 + 999);
  beforeEach(async () => {
    await opened.database('accounts').delete();
    await opened.database('deleted_accounts').delete();
    at(NOW);
  });
  afterEach(() => void jest.restoreAllMocks());
  const row = () => opened.database('accounts').where({ id: ID }).first();

  it('give back every fact: when they are made, by id, by address, and within a larger query', async () => {
    expect(await accounts.create([{ ...FULL, passwordHash: 'one' }])).toEqual([KEPT]);
    expect(await accounts.find(ID)).toEqual(KEPT);
    expect(await accounts.findByEmail('ADA@example.TEST')).toEqual({ account: KEPT, passwordHash: 'one' });
    const query = opened.database('accounts').select(accountRow(opened.database, 'accounts'));
    const [found] = await opened.database.select(query.as('account'));
    expect(accountOfRow(found.account)).toEqual(KEPT);
    expect([loginOf(KEPT), loginOf({ id: ID })]).toEqual(['Ada@Example.test', ID]);
    expect(await accounts.find('nobody')).toBeUndefined();
    expect(await accounts.findByEmail('nobody@example.test')).toBeUndefined();
  });

  it('have nothing that was not given, and the first place of work as the current one', async () => {
    const [bare, working] = await accounts.create([{ name: 'Bare' }, { name: 'Works', workspaces: ['F1', 'F2'] }]);
    expect(bare).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      emailVerified: false,
      name: 'Bare',
      practitioners: [],
      workspaces: [],
      status: 'active',
      hasPassword: false,
      passwordChangeRequired: false,
      createdAt: NOW,
      updatedAt: NOW,
    });
    expect(await accounts.find(bare?.id ?? '')).toEqual(bare);
    expect(working?.currentWorkspace).toBe('F1');
    const [addressed] = await accounts.create([{ name: 'A', email: 'a@example.test' }]);
    expect(await accounts.findByEmail('a@example.test')).toEqual({ account: addressed });
  });

  it('change in what is named, with the time; null removes, and nothing else is touched', async () => {
    await accounts.create([FULL]);
    at(NOW + 5);
    const { passwordSetAt: _, ...kept } = { ...KEPT, hasPassword: false, updatedAt: NOW + 5 };
    expect(await accounts.update(ID, { email: ' New@Example.test ', emailVerified: false })).toEqual({
      ...kept,
      email: 'New@Example.test',
      emailVerified: false,
    });
    expect((await row()).email_key).toBe('new@example.test');
    const none = { given: null, family: null, nickname: null, picture: null, profile: null, language: null };
    const { given, family, nickname, picture, profile, language, ...rest } = kept;
    expect(await accounts.update(ID, { email: FULL.email, emailVerified: true, name: 'B', ...none })).toEqual({
      ...rest,
      name: 'B',
    });
    const back = { name: FULL.name, given, family, nickname, picture, profile, language };
    expect(await accounts.update(ID, back)).toEqual(kept);
    expect(await accounts.update('nobody', { name: 'B' })).toBeUndefined();
  });

  it('name the address or the UUID for which they are refused, and pass every other error on', async () => {
    await accounts.create([FULL, { name: 'B', email: 'b@example.test' }]);
    await opened.database('deleted_accounts').insert({ id: 'gone', deleted_at: 1 });
    const errorOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);
    const taken = await errorOf(accounts.update(ID, { email: 'B@example.test' }));
    expect([taken instanceof EmailTaken, taken]).toMatchObject([
      true,
      { email: 'B@example.test', message: 'B@example.test belongs to another account' },
    ]);
    const gone = await errorOf(accounts.create([{ name: 'C' }, { name: 'C', id: 'gone' }]));
    expect([gone instanceof IdOfDeletedAccount, gone]).toMatchObject([
      true,
      { id: 'gone', message: 'gone was the UUID of an account that is deleted: it is never given again' },
    ]);
    for (const work of [
      () => accounts.create([{ name: 'D', id: ID, email: 'd@example.test' }]),
      () => accounts.update(ID, { name: null as never }),
    ]) {
      const error = await errorOf(work());
      expect([(error as Error).message, error instanceof EmailTaken]).toEqual([
        expect.stringMatching(/accounts/),
        false,
      ]);
    }
    expect(await accounts.count()).toBe(2);
  });

  it('of a list are made all or none: one whose address somebody has, or that stands there twice, is named', async () => {
    await accounts.create([FULL]);
    const many = Array.from({ length: 251 }, (_, place) => ({ name: 'B', email: `b${place}@example.test` }));
    for (const [list, email] of [
      [[{ name: 'C' }, ...many, { name: 'D', email: 'ada@EXAMPLE.test' }], 'ada@EXAMPLE.test'],
      [[{ name: 'C' }, ...many, { name: 'D', email: 'B7@example.test' }], 'B7@example.test'],
      [[...many, { name: 'D', email: 'B250@example.test' }], 'B250@example.test'],
    ] as const) {
      await expect(accounts.create(list)).rejects.toThrow(new EmailTaken(email));
      expect(await accounts.count()).toBe(1);
    }
    expect((await accounts.create(many)).map(({ email }) => email)).toEqual(many.map(({ email }) => email));
    expect([await accounts.count(), await accounts.create([])]).toEqual([252, []]);
  });

  it('are listed by address, then those without one by id, as many as are wanted, all or those to be deleted', async () => {
    const named = (id: string, email?: string) => ({ id, name: id, ...(email !== undefined && { email }) });
    const all = [named('1', 'C@a.test'), named('2', 'b@a.test'), named('3', 'A@a.test'), named('5'), named('4')];
    const [c, b, a, five, four] = await accounts.create(all);
    const idsOf = async (options: Parameters<Accounts['list']>[0]) =>
      (await accounts.list(options)).map(({ id }) => id);
    expect(await accounts.list({ limit: 9 })).toEqual([a, b, c, four, five]);
    expect(await idsOf({ limit: 3 })).toEqual(['3', '2', '1']);
    expect(await idsOf({ limit: 4 })).toEqual(['3', '2', '1', '4']);
    expect(await idsOf({ after: b, limit: 9 })).toEqual(['1', '4', '5']);
    expect(await idsOf({ after: c, limit: 1 })).toEqual(['4']);
    expect(await idsOf({ after: four, limit: 9 })).toEqual(['5']);
    expect(await idsOf({ after: five, limit: 9 })).toEqual([]);
    await opened.database('accounts').whereIn('id', ['2', '5']).update({ deletion_requested_at: 7 });
    expect(await idsOf({ limit: 9, deletionRequested: true })).toEqual(['2', '5']);
    const pages = await allOf(accountPages(accounts, { deletionRequested: true }));
    expect(pages.map((page) => page.map(({ deletionRequestedAt }) => deletionRequestedAt))).toEqual([[7, 7]]);
  });

  it('are ended all, 250 in each transaction', async () => {
    const pages = [[{ id: '1' }, { id: '2' }], [{ id: '3' }], []];
    const asked: unknown[] = [];
    const ended = await endAllSessions({
      list: async (options) => {
        asked.push(options);
        return (pages[asked.length - 1] ?? []) as never;
      },
      endSessions: async (ids) => ({ notBefore: 1, sessions: 2 * ids.length, notified: 9 }),
    });
    expect(ended).toEqual({ accounts: 3, sessions: 6 });
    expect(asked).toEqual([{ limit: 250 }, { after: { id: '2' }, limit: 250 }, { after: { id: '3' }, limit: 250 }]);
  });

  it('get another password if the stored one is still that of before, and say from when sign-ins count', async () => {
    await accounts.create([{ ...FULL, passwordHash: 'one' }]);
    at(NOW + 5);
    expect(await accounts.setPassword(ID, 'two', { before: 'other' })).toBeUndefined();
    expect((await row()).password_hash).toBe('one');
    expect(await accounts.setPassword(ID, 'two', { before: 'one', keep: 'mine' })).toBe(NOW + 6);
    const kept = { ...KEPT, passwordSetAt: NOW + 5, passwordChangeRequired: false };
    expect(await accounts.find(ID)).toEqual({ ...kept, sessionsNotBefore: NOW + 6, keptSession: 'mine' });
    expect((await row()).password_hash).toBe('two');
    expect(await accounts.setPassword(ID, 'three', { ofOperator: true })).toBe(NOW + 7);
    const { keptSession: _, ...found } = (await accounts.find(ID)) as never as { keptSession?: string };
    expect(found).toEqual({ ...kept, passwordChangeRequired: true, sessionsNotBefore: NOW + 7 });
    expect(await accounts.setPassword('nobody', 'x')).toBeUndefined();
    expect([await accounts.renewPasswordHash(ID, 'two', 'x'), (await row()).password_hash]).toEqual([false, 'three']);
    expect([await accounts.renewPasswordHash(ID, 'three', 'x'), (await row()).password_hash]).toEqual([true, 'x']);
    expect((await accounts.find(ID))?.sessionsNotBefore).toBe(NOW + 7);
  });

  it('lose their sessions when they are disabled, and by no other change', async () => {
    await accounts.create([FULL]);
    const records = openOidcRecords(opened.database);
    await records.upsert('Session', 'cookie', { uid: 'u', accountId: ID, loginTs: NOW }, 600);
    await accounts.update(ID, { status: 'active', name: 'Other' });
    expect(await records.find('Session', 'cookie')).toBeDefined();
    await accounts.update(ID, { status: 'disabled' });
    expect(await opened.database('oidc_records').where({ account_id: ID })).toEqual([]);
    expect(await accounts.find(ID)).toMatchObject({ status: 'disabled', sessionsNotBefore: NOW + 1 });
  });

  it('tell a larger query since when sign-ins count, and which session was kept', async () => {
    await accounts.create([{ ...FULL, passwordHash: 'one' }]);
    const limit = async () => {
      const query = signInLimit(opened.database, 'all_accounts.id').as('found');
      return (await opened.database('accounts as all_accounts').where({ id: ID }).first(query)).found;
    };
    expect(await limit()).toBeNull();
    await accounts.endSessions([ID]);
    expect(signInLimitOf(await limit())).toEqual({ sessionsNotBefore: NOW + 1 });
    await accounts.endSessions([ID], 'mine');
    expect(signInLimitOf(await limit())).toEqual({ sessionsNotBefore: NOW + 2, keptSession: 'mine' });
    const locked = await opened.database.transaction((transaction) => lockAccount(transaction, ID));
    expect([Number(locked?.sessions_not_before), locked?.password_hash]).toEqual([NOW + 2, 'one']);
  });
});
