// A transaction that locks an account first is not given up when another process writes: an operator's command beside the service.

import { expect, it } from '@jest/globals';
import { lockAccount } from '#store/accounts/account-row.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openDatabase } from '#store/database/connection.ts';
import { openTestDatabase } from '#support/databases.ts';

it('on SQLite nobody writes between the lock and what follows it', async () => {
  const { database, settings, close } = await openTestDatabase('sqlite');
  const other = openDatabase(settings);
  try {
    await other.raw('pragma busy_timeout = 0');
    const [account] = await openAccounts(database).create([{ email: 'p@clinic.example', name: 'P' }]);
    const mine = { id: account?.id };
    await database.transaction(async (transaction) => {
      expect(await lockAccount(transaction, account?.id ?? '')).toEqual({ password_hash: null });
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
