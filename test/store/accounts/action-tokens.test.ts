// SEC-69 in the database, on both engines and by two processes: a link counts once, for its purpose, while its account is as it was.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { stepAt, totp } from '#shared/crypto/totp.ts';
import { type Accounts, openAccounts } from '#store/accounts/accounts.ts';
import { type ActionTokens, type LinkPurpose, openActionTokens } from '#store/accounts/action-tokens.ts';
import { openAccountDeletion } from '#store/accounts/delete-account.ts';
import { openSecondFactors } from '#store/accounts/factors/second-factors.ts';
import { type Database, epochSeconds, openDatabase } from '#store/database/connection.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '#support/databases.ts';
import { encryptionWith } from '#support/encryption.ts';

const LIFETIMES = { invitation: 7, passwordReset: 600, emailVerification: 600, emailChange: 600 };

describe.each(ENGINES)('SEC-69 links of mails on %s', (engine) => {
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

  it('SEC-69 ends in time, and goes by itself', async () => {
    const token = await minted('invitation');
    const row = () => opened.database('action_tokens').where({ account_id: account, purpose: 'invitation' }).first();
    const end = Number((await row()).expires_at);
    expect(end).toBeGreaterThan(epochSeconds());
    expect(end).toBeLessThanOrEqual(epochSeconds() + LIFETIMES.invitation);
    await opened.database('action_tokens').where({ account_id: account }).update({ expires_at: epochSeconds() });
    expect(await tokens.find('invitation', token)).toBeUndefined();
    expect(await taken(token, 'invitation')).toBeUndefined();
    const live = await minted('email-change');
    expect(await tokens.prune()).toBeGreaterThan(0);
    expect(await tokens.prune()).toBe(0);
    expect(await row()).toBeUndefined();
    expect(await taken(live, 'email-change')).toBe(account);
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

  it('keeps the address that a mail went to; without one, it is that of the account', async () => {
    const there = await minted('email-change', account, 'There@clinic.example');
    expect((await tokens.find('email-change', there))?.email).toBe('There@clinic.example');
    expect((await tokens.find('password-reset', await minted()))?.email).toBe(`p${count}@clinic.example`);
  });

  it.each(['', 'x', '%', `${'a'.repeat(43)}\u0000`, 'a'.repeat(500)])('SEC-44 %j is no link', async (token) => {
    expect(await tokens.find('password-reset', token)).toBeUndefined();
    expect(await taken(token)).toBeUndefined();
  });
});
