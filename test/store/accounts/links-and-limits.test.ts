// Links of mails, links to other records, known devices, and counted failures of the sign-in.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { stepAt, totp } from '#shared/crypto/totp.ts';
import { type Accounts, openAccounts } from '#store/accounts/accounts.ts';
import { type ActionTokens, type LinkPurpose, openActionTokens } from '#store/accounts/action-tokens.ts';
import { openAccountDeletion } from '#store/accounts/delete-account.ts';
import { openSecondFactors } from '#store/accounts/factors/second-factors.ts';
import { openSignInLimiters } from '#store/accounts/failed-sign-ins.ts';
import { openAccountLinks } from '#store/accounts/links/account-links.ts';
import { openSeenDevices } from '#store/accounts/seen-devices.ts';
import { type Database, epochSeconds, openDatabase } from '#store/database/connection.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';
import { encryptionWith } from '#support/encryption.ts';
import { openedForAll } from '#support/opened.ts';

// SEC-69 in the database, on both engines and by two processes: a link counts once, for its purpose, while its account is as it was.
describe.each(bothEngines('store/accounts/links-and-limits'))('SEC-69 links of mails on %s', (engine) => {
  const LIFETIMES = { invitation: 7, passwordReset: 600, emailVerification: 600, emailChange: 600 };

  let opened: TestDatabase;
  let elsewhere: Database;
  let accounts: Accounts;
  let tokens: ActionTokens;
  let others: ActionTokens;
  let account: string;
  let count = 0;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
    // Two connections to SQLite in one process would wait for each other in vain.
    elsewhere = engine === 'sqlite' ? opened.database : openDatabase(opened.settings);
    accounts = openAccounts(opened.database);
    tokens = openActionTokens(opened.database, LIFETIMES);
    others = openActionTokens(elsewhere, LIFETIMES);
  });
  afterAll(async () => {
    if (elsewhere !== opened.database) await elsewhere.destroy();
    await opened.close();
  });
  beforeEach(async () => {
    count += 1;
    const [created] = await accounts.create([{ email: `p${count}@clinic.example`, name: 'P', passwordHash: 'one' }]);
    account = created?.id ?? '';
  });

  const minted = async (purpose: LinkPurpose = 'password-reset', accountId = account, email?: string) =>
    (await tokens.mint({ purpose, accountId, email }))?.token ?? '';
  const taken = (token: string, purpose: LinkPurpose = 'password-reset', by = tokens) =>
    by.take(purpose, token, async (_transaction, action) => action.account.id);

  it('SEC-69 is 256 bits at random, of which only a digest is stored', async () => {
    const token = await minted();
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(await minted('invitation')).not.toBe(token);
    expect(JSON.stringify(await opened.database('action_tokens'))).not.toContain(token);
  });

  it('SEC-69 counts once: of 20 at the same time, by two processes, one gets in', async () => {
    const token = await minted();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => taken(token, 'password-reset', index % 2 ? tokens : others)),
    );
    expect(outcomes.filter((id) => id === account)).toHaveLength(1);
    expect(outcomes.filter((id) => id === undefined)).toHaveLength(19);
    expect(await tokens.find('password-reset', token)).toBeUndefined();
  });

  it('SEC-69 looking at it does not use it up, and neither does what fails', async () => {
    const token = await minted();
    for (let times = 0; times < 3; times += 1) {
      expect((await tokens.find('password-reset', token))?.account.id).toBe(account);
    }
    const failing = tokens.take('password-reset', token, async () => {
      throw new Error('the disk is full');
    });
    await expect(failing).rejects.toThrow('the disk is full');
    expect(await taken(token)).toBe(account);
  });

  it.each(['invitation', 'email-verification', 'email-change'] as const)(
    'SEC-69 is worth nothing as %s, and stays what it was',
    async (purpose) => {
      const token = await minted();
      expect(await tokens.find(purpose, token)).toBeUndefined();
      expect(await taken(token, purpose)).toBeUndefined();
      expect(await taken(token)).toBe(account);
    },
  );

  it('SEC-69 is its account’s, whoever else has one', async () => {
    const [other] = await accounts.create([{ email: `other${count}@clinic.example`, name: 'O' }]);
    const [token] = [await minted(), await minted('password-reset', other?.id)];
    expect(await taken(token)).toBe(account);
  });

  it('SEC-69 a newer one of the same purpose replaces it, and no other', async () => {
    const [first, verification, second] = [await minted(), await minted('email-verification'), await minted()];
    expect(await taken(first)).toBeUndefined();
    expect(await taken(second)).toBe(account);
    expect(await taken(verification, 'email-verification')).toBe(account);
  });

  const changes: [what: string, change: () => Promise<unknown>][] = [
    ['another password', () => accounts.setPassword(account, 'two')],
    ['another address', () => accounts.update(account, { email: `new${count}@clinic.example` })],
    ['an end of all sessions', () => accounts.endSessions([account])],
    ['a disabled account', () => accounts.update(account, { status: 'disabled' })],
    [
      'an account that was disabled for a while',
      async () => {
        await accounts.update(account, { status: 'disabled' });
        await accounts.update(account, { status: 'active' });
      },
    ],
    [
      'a second factor',
      async () => {
        const factors = openSecondFactors(opened.database, encryptionWith(['a secret of the keys of this test']));
        const proposal = await factors.propose(account);
        await factors.setUp(account, proposal, totp(await factors.secretOf(account, proposal), stepAt(epochSeconds())));
      },
    ],
  ];
  it.each(changes)('SEC-69 is worth nothing after %s', async (_what, change) => {
    const state = await tokens.stateOf(account);
    const token = await minted();
    await change();
    expect(await tokens.find('password-reset', token)).toBeUndefined();
    expect(await taken(token)).toBeUndefined();
    // Nor is one made afterwards of what was asked for before.
    expect(await tokens.mint({ purpose: 'email-change', accountId: account, state })).toBeUndefined();
  });

  it('SEC-69 a change of the account and the link that it ends never both happen', async () => {
    const token = await minted();
    const reset = others.take('password-reset', token, (transaction, action) =>
      openAccounts(transaction).setPassword(action.account.id, 'reset'),
    );
    const changed = accounts.setPassword(account, 'changed', { before: 'one' });
    const [byLink, byPerson] = await Promise.all([reset, changed]);
    expect([byLink, byPerson].filter((notBefore) => notBefore !== undefined)).toHaveLength(1);
  });

  it('SEC-69 links that are used while their accounts are deleted: both go on, in either order', async () => {
    const deletion = openAccountDeletion(elsewhere);
    for (let round = 0; round < 10; round += 1) {
      const created = await accounts.create([{ email: `gone${round}@clinic.example`, name: 'P' }]);
      const id = created[0]?.id ?? '';
      const token = await minted('password-reset', id);
      const [, removed] = await Promise.all([taken(token), deletion.remove(id)]);
      expect(removed).toBe(true);
    }
  });

  it.each(['', 'x', '%', `${'a'.repeat(43)}\u0000`, 'a'.repeat(500)])('SEC-44 %j is no link', async (token) => {
    expect(await tokens.find('password-reset', token)).toBeUndefined();
    expect(await taken(token)).toBeUndefined();
  });
});

// directory-data.md 3 "Practitioner.id ... stable for ever": which records of the directory sign-in accounts are linked to.
describe.each(bothEngines('store/accounts/links-and-limits'))('linked records on %s', (engine) => {
  it('are found by type and id, beyond the first page of accounts', async () => {
    const { database, close } = await openTestDatabase(engine);
    const people = Array.from({ length: 1001 }, (_, index) => ({ practitioners: [`81${index}`] }));
    const works = { practitioners: ['A', 'B'], workspaces: ['F1'] };
    const accounts = [...people, works, {}].map((one, index) => ({ email: `${index}@a.example`, name: 'A', ...one }));
    await openAccounts(database).create(accounts);
    const every = accounts.map((_, index) => `Practitioner/81${index}`);
    const wanted = [...every, 'Practitioner/B', 'Practitioner/F1', 'Organization/F1', 'Organization/A'];
    const linked = await openAccountLinks(database).linkedIds(wanted);
    await close();
    expect([...linked].sort()).toEqual([...every.slice(0, 1001), 'Organization/F1', 'Practitioner/B'].sort());
  });
});

// The kinds of device that an account was signed in to with, on both engines.
describe.each(bothEngines('store/accounts/links-and-limits'))('seen devices on %s', (engine) => {
  const DAY = 86_400;

  it('one is new once, of many sign-ins at once too, and again after 90 days; never the first of an account', async () => {
    const { database, close } = await openTestDatabase(engine);
    try {
      const people = ['a', 'b'].map((name) => ({ email: `${name}@a.example`, name }));
      const [one = '', other = ''] = (await openAccounts(database).create(people)).map(({ id }) => id);
      const devices = openSeenDevices(database);
      const seenAt = (device: string, days: number) =>
        database('seen_devices')
          .where({ account_id: one, device })
          .update({ seen_at: epochSeconds() - days * DAY });
      expect(await devices.note(one, 'Safari, iOS')).toBe(false);
      const together = await Promise.all(Array.from({ length: 10 }, () => devices.note(one, 'Firefox, Linux')));
      expect(together.filter(Boolean)).toHaveLength(1);
      expect(await devices.note(one, 'Firefox, Linux')).toBe(false);
      expect(await devices.note(other, 'Firefox, Linux')).toBe(false);
      await seenAt('Safari, iOS', 89);
      expect(await devices.note(one, 'Safari, iOS')).toBe(false);
      // The sign-in renewed it.
      const [row] = await database('seen_devices').where({ account_id: one, device: 'Safari, iOS' });
      expect(Number(row.seen_at)).toBeGreaterThan(epochSeconds() - DAY);
      await seenAt('Safari, iOS', 91);
      const again = await Promise.all(Array.from({ length: 10 }, () => devices.note(one, 'Safari, iOS')));
      expect(again.filter(Boolean)).toHaveLength(1);
      await database('accounts').where({ id: one }).delete();
      expect(await database('seen_devices').where({ account_id: one })).toEqual([]);
    } finally {
      await close();
    }
  });
});

// SEC-58 the clean-up of counted failures: its statements follow an index, so that a flood's rows hold up nobody.
describe('counted failures', () => {
  const LIMITS = { accountFailures: 10, addressFailures: 100, failureWindow: 900 };

  const opened = openedForAll(() => openTestDatabase('sqlite'));

  it('SEC-58 no statement of the clean-up reads the whole table of counted failures', async () => {
    const { database } = opened;
    const { prune } = openSignInLimiters(database, LIMITS);
    const statements: { sql: string; bindings: readonly unknown[] }[] = [];
    const note = (query: { sql: string; bindings: readonly unknown[] }) => void statements.push(query);
    database.on('query', note);
    await prune();
    database.removeListener('query', note);
    const removals = statements.filter(({ sql }) => sql.startsWith('delete'));
    expect(removals.length).toBeGreaterThan(0);
    for (const { sql, bindings } of removals) {
      const plan: { detail: string }[] = await database.raw(`explain query plan ${sql}`, [...bindings] as string[]);
      const ofRows = plan.map(({ detail }) => detail).filter((detail) => detail.includes('rate_limits'));
      expect(ofRows.length).toBeGreaterThan(0);
      for (const detail of ofRows) expect(detail).toMatch(/^SEARCH/);
    }
  });
});
