// Passkeys of accounts on both engines (SEC-70): nobody changes those of another account, and what is added or removed ends all other sessions.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openAccounts } from '#store/accounts/accounts.ts';
import { MOST_PASSKEYS, openPasskeys, type Passkeys } from '#store/accounts/factors/passkeys.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '#support/databases.ts';

const COMMON = {
  userHandle: 'AAAA',
  publicKey: 'AAAA',
  counter: 0,
  transports: [],
  synced: true,
  aaguid: '',
  name: 'x',
};

describe.each(ENGINES)('SEC-70 on %s', (engine) => {
  let opened: TestDatabase;
  let passkeys: Passkeys;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
    passkeys = openPasskeys(opened.database);
  });
  afterAll(() => opened.close());

  let count = 0;
  const newAccount = async () => {
    count += 1;
    const person = { email: `person-${count}@clinic.example`, name: 'Camille Exemple', passwordHash: 'x' };
    const [account] = await openAccounts(opened.database).create([person]);
    return account?.id ?? '';
  };
  const add = async (accountId: string, keep?: string) => {
    count += 1;
    const added = await passkeys.add(accountId, { ...COMMON, credentialId: `credential-${count}` }, keep);
    if (added.refused) throw new Error(added.refused);
    return added;
  };
  const signInTwice = async (accountId: string) => {
    const records = openOidcRecords(opened.database);
    for (const uid of ['here', 'there']) {
      await records.upsert(
        'Session',
        `${uid}-${accountId}`,
        { accountId, uid: `${uid}-${accountId}`, loginTs: 1 },
        600,
      );
    }
  };
  const sessions = async (accountId: string) =>
    (await opened.database('oidc_records').where({ model: 'Session', account_id: accountId }).pluck('uid')).sort();

  it('an account renames and removes its own alone', async () => {
    const [mine, other] = [await newAccount(), await newAccount()];
    const [{ passkey: own }, { passkey: theirs }] = [await add(mine), await add(other)];
    await add(mine);
    await signInTwice(other);
    expect(await passkeys.rename(mine, theirs.id, 'stolen')).toBe(false);
    expect(await passkeys.remove(mine, theirs.id, undefined)).toBe('gone');
    expect(await passkeys.removeLost(mine, theirs.id)).toBe(0);
    expect(await passkeys.list(other)).toEqual([theirs]);
    expect(await sessions(other)).toHaveLength(2);
    expect(await passkeys.rename(mine, own.id, 'Phone')).toBe(true);
    expect(await passkeys.removeLost(mine, own.id)).toBe(1);
    expect(await passkeys.list(mine)).toHaveLength(1);
  });

  it('SEC-55 all sessions end but the person’s own, where one is added and where one is removed', async () => {
    const id = await newAccount();
    await signInTwice(id);
    const { passkey } = await add(id, `here-${id}`);
    expect(await sessions(id)).toEqual([`here-${id}`]);
    await signInTwice(id);
    await passkeys.remove(id, passkey.id, `here-${id}`);
    expect(await sessions(id)).toEqual([`here-${id}`]);
    await add(id, `here-${id}`);
    expect(await passkeys.removeLost(id)).toBe(1);
    expect(await sessions(id)).toEqual([]);
  });

  it('recovery codes come with the first one, and go with the last', async () => {
    const id = await newAccount();
    const codes = async () =>
      Number((await opened.database('recovery_codes').where({ account_id: id }).count({ n: '*' }))[0]?.['n']);
    const [first, second] = [await add(id), await add(id)];
    expect([first.codes?.length, second.codes]).toEqual([await codes(), undefined]);
    await passkeys.remove(id, first.passkey.id, undefined);
    expect(await codes()).toBeGreaterThan(0);
    await passkeys.remove(id, second.passkey.id, undefined);
    expect(await codes()).toBe(0);
  });

  it('an account has so many at most', async () => {
    const id = await newAccount();
    for (let have = 0; have < MOST_PASSKEYS; have += 1) await add(id);
    await expect(add(id)).rejects.toThrow('too-many');
  });
});
