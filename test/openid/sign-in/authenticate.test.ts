// The reason for a refused sign-in, which only the audit trail shows; that the page is the same for all: `login.test.ts`.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createAuthenticate, createStillRight } from '#openid/sign-in/login/authenticate.ts';
import { CLIENT_SECRET_COST, hashSecret } from '#shared/crypto/secret-hash.ts';
import { createSecretHashing } from '#shared/crypto/secret-hashing.ts';
import { OWN } from '#shared/fair-queue.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';

const PASSWORD = 'tortue violette 87';
const CHEAP = { log2N: 4, r: 8, p: 1 };
const hashing = createSecretHashing();

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
    const { refused: reason, accountId } = await createAuthenticate(accounts, hashing)(
      `${name}@clinic.example`,
      password,
      OWN,
    );
    expect([reason, accountId]).toEqual([refused, ids[name]]);
  });

  it('SEC-40 a right password renews a hash that was made at a lower cost, and still counts at the second step', async () => {
    const passwordHash = await hashSecret(PASSWORD, CHEAP);
    await accounts.create([{ email: 'cheap@clinic.example', name: 'Cheap', passwordHash }]);
    const authenticate = createAuthenticate(accounts, hashing);
    expect((await authenticate('cheap@clinic.example', 'not the password', OWN)).refused).toBe('password');
    expect((await accounts.findByEmail('cheap@clinic.example'))?.passwordHash).toBe(passwordHash);
    const right = await authenticate('cheap@clinic.example', PASSWORD, OWN);
    const renewed = (await accounts.findByEmail('cheap@clinic.example'))?.passwordHash ?? '';
    expect([hashing.needsRehash(passwordHash), hashing.needsRehash(renewed)]).toEqual([true, false]);
    expect((await authenticate('cheap@clinic.example', PASSWORD, OWN)).refused).toBeUndefined();
    if (right.refused !== undefined) throw new Error(right.refused);
    expect(await createStillRight(accounts)(right.accountId, right.mark)).toBe(true);
  });
});
