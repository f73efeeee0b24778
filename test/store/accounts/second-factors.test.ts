// Second factors and passkeys of an account.

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { stepAt, totp } from '#shared/crypto/totp.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openPasskeys, type Passkeys } from '#store/accounts/factors/passkeys.ts';
import { openSecondFactors, type SecondFactors } from '#store/accounts/factors/second-factors.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { encryptionWith } from '#support/encryption.ts';
import { openedForAll } from '#support/opened.ts';
import { newPasskey } from '#support/store/passkey.ts';

// Security checklist 41 in the database, on both engines: a code counts once, and a dump helps nobody to make one.
describe.each(bothEngines('store/accounts/second-factors'))('SEC-41 a second factor on %s', (engine) => {
  const SECRET = 'a secret of the operator for the keys';

  let factors: SecondFactors;
  let account: string;
  let app: Buffer;
  let recoveryCodes: string[];
  // In the middle of a step, so that no test runs over its end.
  const now = stepAt(epochSeconds()) * 30 + 15;
  const codeNow = (steps = 0) => totp(app, stepAt(now) + steps);
  const open = (...secrets: string[]) => openSecondFactors(opened.database, encryptionWith(secrets), () => now);

  const opened = openedForAll(() => openTestDatabase(engine));
  beforeEach(async () => {
    for (const table of ['second_factors', 'recovery_codes', 'accounts']) await opened.database(table).delete();
    factors = open(SECRET);
    account = await newAccount('zoe@clinic.example');
    const proposal = await factors.propose(account);
    app = await factors.secretOf(account, proposal);
    recoveryCodes = (await factors.setUp(account, proposal, codeNow(-1)))?.codes ?? [];
  });

  async function newAccount(email: string): Promise<string> {
    const [created] = await openAccounts(opened.database).create([{ email, name: 'Zoé' }]);
    return created?.id ?? '';
  }

  it('SEC-41 is set up by a code of the app, and by no other', async () => {
    const other = await newAccount('luc@clinic.example');
    const proposal = await factors.propose(other);
    expect(await factors.setUp(other, proposal, '000000')).toBeUndefined();
    expect(await factors.find(other)).toBeUndefined();
    expect(await factors.take(other, '000000')).toBe('wrong');
    expect(await factors.find(account)).toMatchObject({ recoveryCodes: 8 });
  });

  it.each([
    [0, 8],
    [1, 0],
    [2, 0],
  ])('SEC-41 to %i recovery codes that an account has, an app brings %i', async (had, brought) => {
    const other = await newAccount('luc@clinic.example');
    const digests = Array.from({ length: had }, (_, index) => ({ account_id: other, digest: String(index) }));
    if (had > 0) await opened.database('recovery_codes').insert(digests);
    const proposal = await factors.propose(other);
    const code = totp(await factors.secretOf(other, proposal), stepAt(now));
    expect((await factors.setUp(other, proposal, code))?.codes).toHaveLength(brought);
    expect(await factors.find(other)).toMatchObject({ recoveryCodes: had + brought });
  });

  it('SEC-41 the code that set it up is spent, and so is each that was taken', async () => {
    expect(await factors.take(account, codeNow(-1))).toBe('used');
    const code = codeNow();
    expect(await factors.take(account, `${code.slice(0, 3)} ${code.slice(3)}`)).toBe('code');
    expect(await factors.take(account, code)).toBe('used');
  });

  it('SEC-41 one of 20 who send the same code at the same time gets in', async () => {
    const code = codeNow(1);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => factors.take(account, code)));
    expect(outcomes.filter((outcome) => outcome === 'code')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'used')).toHaveLength(19);
    // An older one has been on show for longer: it is worth nothing any more.
    expect(await factors.take(account, codeNow())).toBe('used');
  });

  it('SEC-41 of ten that are set up at the same time one counts, with its own recovery codes', async () => {
    const other = await newAccount('luc@clinic.example');
    const proposals = await Promise.all(Array.from({ length: 10 }, () => factors.propose(other)));
    const done = await Promise.all(
      proposals.map(async (proposal) =>
        factors.setUp(other, proposal, totp(await factors.secretOf(other, proposal), stepAt(now))),
      ),
    );
    const given = done.flatMap((added) => (added ? [added.codes] : []));
    expect(given).toHaveLength(1);
    expect(await factors.take(other, given[0]?.[7] ?? '')).toBe('recovery-code');
    expect(await factors.find(other)).toMatchObject({ recoveryCodes: 7 });
  });

  it('SEC-41 a recovery code counts once, however it is typed', async () => {
    const [first = '', second = ''] = recoveryCodes;
    expect(first).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(await factors.take(account, first.toLowerCase().replaceAll('-', ' '))).toBe('recovery-code');
    expect(await factors.take(account, first)).toBe('wrong');
    const misread = second.replaceAll('0', 'O').replaceAll('1', 'l');
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => factors.take(account, misread)));
    expect(outcomes.filter((outcome) => outcome === 'recovery-code')).toHaveLength(1);
    expect(await factors.find(account)).toMatchObject({ recoveryCodes: 6 });
  });

  it('SEC-41 a recovery code of one account is nothing at another', async () => {
    const other = await newAccount('luc@clinic.example');
    expect(await factors.take(other, recoveryCodes[0] ?? '')).toBe('wrong');
  });

  it('SEC-41 new recovery codes end those before; without a second factor there are none', async () => {
    const renewed = (await factors.renewRecoveryCodes(account)) ?? [];
    expect(renewed).toHaveLength(8);
    expect(await factors.take(account, recoveryCodes[0] ?? '')).toBe('wrong');
    expect(await factors.take(account, renewed[0] ?? '')).toBe('recovery-code');
    expect(await factors.renewRecoveryCodes(await newAccount('luc@clinic.example'))).toBeUndefined();
  });

  it('SEC-41 none takes the place of another; a removed one is gone with its recovery codes', async () => {
    const proposal = await factors.propose(account);
    const another = await factors.secretOf(account, proposal);
    expect(await factors.setUp(account, proposal, totp(another, stepAt(now)))).toBeUndefined();
    expect(await factors.take(account, recoveryCodes[0] ?? '')).toBe('recovery-code');
    expect(await factors.take(account, codeNow())).toBe('code');
    expect(await factors.remove(account)).toBe(true);
    expect(await factors.remove(account)).toBe(false);
    expect(await factors.take(account, codeNow(1))).toBe('wrong');
    expect(await opened.database('recovery_codes')).toEqual([]);
  });

  it('SEC-16, SEC-41 the tables hold neither the secret nor a recovery code', async () => {
    const dump = JSON.stringify([await opened.database('second_factors'), await opened.database('recovery_codes')]);
    for (const form of ['base64url', 'base64', 'hex'] as const) expect(dump).not.toContain(app.toString(form));
    for (const code of recoveryCodes) {
      expect(dump).not.toContain(code);
      expect(dump).not.toContain(code.replaceAll('-', ''));
    }
  });

  it('SEC-17 a secret that cannot be stored is not in the error, which the log gets', async () => {
    const nobody = '6f1a2c9e-0b7d-4c53-9a41-3d5e8f7fffff';
    const proposal = await open().propose(nobody);
    const theirs = await factors.secretOf(nobody, proposal);
    const message = await open()
      .setUp(nobody, proposal, totp(theirs, stepAt(now)))
      .catch((error: Error) => `${error.message} ${error.stack} ${JSON.stringify(error)}`);
    expect(message).toContain('second_factors');
    expect(message).not.toContain(proposal);
  });

  it('SEC-16 reports what is stored in plain text, and what cannot be decrypted', async () => {
    expect(await factors.atRest()).toEqual({ plain: 0, closed: [] });
    expect(await open('another secret of the operator').atRest()).toEqual({ plain: 0, closed: [account] });
    expect(await open().atRest()).toEqual({ plain: 0, closed: [account] });
    const other = await newAccount('luc@clinic.example');
    await opened.database('second_factors').insert({
      account_id: other,
      secret: await open().propose(other),
      last_step: 0,
      created_at: now,
    });
    expect(await factors.atRest()).toEqual({ plain: 1, closed: [] });
  });

  it('SEC-16 is encrypted anew under another secret, and cannot be moved to another account', async () => {
    const changed = open('another secret of the operator', SECRET);
    expect(await changed.encryptAll()).toBe(1);
    expect(await changed.encryptAll()).toBe(0);
    const alone = open('another secret of the operator');
    expect(await alone.take(account, codeNow())).toBe('code');
    const other = await newAccount('luc@clinic.example');
    await opened.database('second_factors').update({ account_id: other });
    await expect(alone.take(other, codeNow(1))).rejects.toThrow('no secret that is set decrypts it');
  });
});

// Passkeys of accounts on both engines (SEC-70): nobody changes those of another account, and what is added or removed ends all other sessions.
describe.each(bothEngines('store/accounts/second-factors'))('SEC-70 on %s', (engine) => {
  let passkeys: Passkeys;
  const opened = openedForAll(() => openTestDatabase(engine));
  beforeAll(() => {
    passkeys = openPasskeys(opened.database);
  });

  let count = 0;
  const newAccount = async () => {
    count += 1;
    const person = { email: `person-${count}@clinic.example`, name: 'Camille Exemple', passwordHash: 'x' };
    const [account] = await openAccounts(opened.database).create([person]);
    return account?.id ?? '';
  };
  const add = async (accountId: string, keep?: string) => {
    count += 1;
    const added = await passkeys.add(accountId, newPasskey(`credential-${count}`), keep);
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
});
