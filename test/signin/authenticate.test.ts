// Why a sign-in was refused, as the audit trail alone is told; that the page says the same to all is proved in `login.test.ts`.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CLIENT_SECRET_COST, hashSecret } from '../../src/shared/secret-hash.ts';
import { createAuthenticate } from '../../src/signin/authenticate.ts';
import { openAccounts } from '../../src/store/accounts.ts';
import { openTestDatabase, type TestDatabase } from '../databases.ts';

const PASSWORD = 'tortue violette 87';

describe('SEC-39 a refused sign-in', () => {
  let opened: TestDatabase;
  let accounts: ReturnType<typeof openAccounts>;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    opened = await openTestDatabase('sqlite');
    accounts = openAccounts(opened.database);
    const passwordHash = await hashSecret(PASSWORD, CLIENT_SECRET_COST);
    for (const name of ['disabled', 'none']) {
      const own = { email: `${name}@clinic.example`, name, ...(name !== 'none' && { passwordHash }) };
      ids[name] = (await accounts.create([own]))[0]?.id ?? '';
    }
    await accounts.update(ids['disabled'] ?? '', { status: 'disabled' });
  });
  afterAll(() => opened.close());

  it.each([
    ['disabled', PASSWORD, 'disabled'],
    ['disabled', 'not the password', 'password'],
    ['none', PASSWORD, 'no-password'],
    ['nobody', PASSWORD, 'no-account'],
  ])('of %s with "%s" has the reason %s', async (name, password, refused) => {
    const { refused: reason, accountId } = await createAuthenticate(accounts)(`${name}@clinic.example`, password);
    expect([reason, accountId]).toEqual([refused, ids[name]]);
  });
});
