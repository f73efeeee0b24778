// Second factors and passkeys as they are kept: what each call gives, what it refuses, and which sessions end with it.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DecryptionError } from '#shared/crypto/encryption.ts';
import { stepAt, totp } from '#shared/crypto/totp.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { SessionGone } from '#store/accounts/end-sessions.ts';
import { MOST_PASSKEYS, openPasskeys, type Passkeys } from '#store/accounts/factors/passkeys.ts';
import { openSecondFactors, type SecondFactors, UNREADABLE_SECRET } from '#store/accounts/factors/second-factors.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { openTestDatabase } from '#support/databases.ts';
import { encryptionWith } from '#support/encryption.ts';
import { openedForEach } from '#support/opened.ts';
import { newPasskey } from '#support/store/passkey.ts';

const NOW = 1_800_000_015;
const SECRET = 'a secret of the operator for the keys';
const PASSKEY = newPasskey('credential', { counter: 3, transports: ['usb', 'nfc'], aaguid: 'model' });

describe('second factors as they are kept', () => {
  const opened = openedForEach(() => openTestDatabase('sqlite'));
  let factors: SecondFactors;
  let passkeys: Passkeys;
  let now = NOW;
  const open = (...secrets: string[]) => openSecondFactors(opened.database, encryptionWith(secrets), () => now);
  beforeEach(async () => {
    jest.spyOn(Date, 'now').mockImplementation(() => now * 1000);
    now = NOW;
    factors = open(SECRET);
    passkeys = openPasskeys(opened.database, () => now);
    await openAccounts(opened.database).create([
      { id: 'a', name: 'A', passwordHash: 'x' },
      { id: 'b', name: 'B' },
    ]);
    const records = openOidcRecords(opened.database);
    for (const uid of ['here', 'there'])
      await records.upsert('Session', uid, { uid, accountId: 'a', loginTs: NOW }, 600);
  });
  afterEach(() => void jest.restoreAllMocks());
  const sessions = async () =>
    (await opened.database('oidc_records').where({ account_id: 'a' }).pluck('uid')).toSorted();
  const codes = (id = 'a') => factors.countRecoveryCodes(id);
  const setUp = async (of = factors, id = 'a', keep?: string, options = {}) => {
    const proposal = await of.propose(id);
    const code = totp(await of.secretOf(id, proposal), stepAt(now));
    return of.setUp(id, proposal, code, keep, options);
  };

  it('an app ends all sessions but the person’s own, and says since when it is there', async () => {
    expect([await factors.find('a'), await factors.kinds('a'), await codes()]).toEqual([undefined, [], 0]);
    expect(await setUp(factors, 'a', 'here')).toEqual({ codes: expect.any(Array), notBefore: NOW + 1 });
    expect(await sessions()).toEqual(['here']);
    expect(await factors.find('a')).toEqual({ since: NOW, recoveryCodes: 8 });
    expect([await factors.kinds('a'), await factors.kinds('b')]).toEqual([['app'], []]);
    expect(await setUp(factors, 'a', 'here')).toBeUndefined();
  });

  it('as the first factor, an app is refused beside a passkey, which brought the recovery codes', async () => {
    await passkeys.add('a', PASSKEY, 'here');
    expect(await setUp(factors, 'a', 'here', { first: true })).toBeUndefined();
    expect([await factors.kinds('a'), await codes()]).toEqual([['passkey'], 8]);
    expect(await setUp(factors, 'a', 'here', {})).toEqual({ codes: [], notBefore: NOW + 2 });
    expect((await factors.kinds('a')).toSorted()).toEqual(['app', 'passkey']);
    expect(await setUp(factors, 'b', undefined, { first: true })).toMatchObject({ codes: { length: 8 } });
  });

  it('SEC-55 a session that has ended meanwhile changes nothing, and is not the one that is kept', async () => {
    await passkeys.add('a', PASSKEY, 'here');
    const [passkey] = await passkeys.list('a');
    await setUp(factors, 'a', 'here');
    const limit = async () =>
      opened.database('accounts').where({ id: 'a' }).first('sessions_not_before', 'kept_session');
    const before = [await limit(), await passkeys.list('a'), await factors.find('a'), await sessions()];
    for (const change of [
      () => passkeys.add('a', newPasskey('another'), 'there'),
      () => passkeys.remove('a', passkey?.id ?? '', 'there'),
      () => factors.renewRecoveryCodes('a', 'there'),
      () => factors.remove('a', 'there'),
      () => setUp(factors, 'a', 'there'),
      () => openAccounts(opened.database).setPassword('a', 'y', { before: 'x', keep: 'there', own: true }),
    ])
      await expect(change()).rejects.toThrow(SessionGone);
    expect([await limit(), await passkeys.list('a'), await factors.find('a'), await sessions()]).toEqual(before);
    // A sign-in that is under way has its own limit, and needs no session.
    expect(await passkeys.add('a', newPasskey('another'), 'there', now + 9)).toMatchObject({ notBefore: NOW + 3 });
    // A clock that was ahead has noted a sign-in of before.
    expect(await passkeys.add('a', newPasskey('third'), 'there', now + 2 * 86_400)).toEqual({ refused: 'ended' });
  });

  it('recovery codes that are made anew, and an app that is removed, end the sessions too', async () => {
    await setUp(factors, 'a', 'here');
    await openOidcRecords(opened.database).upsert(
      'Session',
      'late',
      { uid: 'late', accountId: 'a', loginTs: NOW + 9 },
      600,
    );
    expect(await factors.renewRecoveryCodes('a', 'here')).toHaveLength(8);
    expect([await sessions(), await codes()]).toEqual([['here'], 8]);
    await passkeys.add('a', PASSKEY, 'here');
    expect(await factors.remove('a', 'here')).toBe(true);
    expect([await sessions(), await codes(), await factors.kinds('a')]).toEqual([['here'], 8, ['passkey']]);
    expect([await factors.remove('a'), await sessions()]).toEqual([false, ['here']]);
    expect(await passkeys.removeLost('a')).toBe(1);
    expect([await sessions(), await codes()]).toEqual([[], 0]);
  });

  it('SEC-16 a secret that no secret of the keys opens is said with the remedy, and counted by account', async () => {
    await setUp();
    await setUp(factors, 'b');
    const other = open('another secret of the operator');
    await expect(other.take('a', '000000')).rejects.toThrow(DecryptionError);
    expect(await other.atRest()).toEqual({ plain: 0, closed: ['a', 'b'] });
    await expect(other.encryptAll()).rejects.toThrow(DecryptionError);
    expect(await open('another secret of the operator', SECRET).encryptAll()).toBe(2);
    expect([await other.atRest(), await factors.atRest()]).toEqual([
      { plain: 0, closed: [] },
      { plain: 0, closed: ['a', 'b'] },
    ]);
    expect(UNREADABLE_SECRET).toMatch(
      /^the secret of a second factor cannot be decrypted: see \S.* keys list; set HYGIE_KEY_SECRET_OLD to the secret before and run \S.* keys encrypt$/,
    );
    await opened.database.destroy();
    await expect(factors.atRest()).rejects.not.toThrow(DecryptionError);
  });

  it('a passkey is given back as it was added, with its times, in the order of adding', async () => {
    const first = await passkeys.add('a', PASSKEY, 'here');
    const kept = { ...PASSKEY, id: expect.stringMatching(/^[0-9a-f-]{36}$/), accountId: 'a', createdAt: NOW };
    expect(first).toEqual({ passkey: kept, notBefore: NOW + 1, codes: expect.any(Array) });
    expect([await sessions(), await codes()]).toEqual([['here'], 8]);
    now = NOW + 10;
    const second = { ...PASSKEY, credentialId: 'second', synced: false, transports: [], counter: 0 };
    expect(await passkeys.add('a', second, 'here')).toEqual({
      passkey: { ...kept, ...second, createdAt: NOW + 10 },
      notBefore: NOW + 11,
    });
    expect(await passkeys.list('a')).toEqual([kept, { ...kept, ...second, createdAt: NOW + 10 }]);
    expect([await passkeys.find('credential'), await passkeys.find('x')]).toEqual([kept, undefined]);
    expect(await passkeys.list('b')).toEqual([]);
  });

  it('a passkey that somebody has, one too many, and one of a sign-in that has ended are refused', async () => {
    expect(await passkeys.add('a', PASSKEY, 'here', NOW)).toMatchObject({ notBefore: NOW + 1 });
    expect(await passkeys.add('b', PASSKEY, undefined)).toEqual({ refused: 'taken' });
    const next = { ...PASSKEY, credentialId: 'next' };
    expect(await passkeys.add('a', next, undefined, NOW)).toEqual({ refused: 'ended' });
    expect((await passkeys.add('a', next, undefined, NOW + 1)).refused).toBeUndefined();
    for (let count = 2; count < MOST_PASSKEYS; count += 1)
      await passkeys.add('a', { ...PASSKEY, credentialId: `${count}` }, undefined);
    expect(await passkeys.add('a', { ...PASSKEY, credentialId: 'more' }, undefined)).toEqual({ refused: 'too-many' });
    expect([MOST_PASSKEYS, (await passkeys.list('a')).length, await codes('b')]).toEqual([20, 20, 0]);
  });

  it.each([
    [3, 4, true],
    [3, 3, false],
    [3, 2, false],
    [3, 0, false],
    [0, 0, true],
    [0, 1, true],
  ])('a signature after counter %i with counter %i counts: %j', async (counter, next, counts) => {
    const added = await passkeys.add('a', { ...PASSKEY, counter }, undefined);
    const id = added.refused ? '' : added.passkey.id;
    now = NOW + 20;
    expect(await passkeys.use(id, next)).toBe(counts);
    const [found] = await passkeys.list('a');
    expect([found?.counter, found?.lastUsedAt]).toEqual(counts ? [next, NOW + 20] : [counter, undefined]);
    expect(await passkeys.use('gone', 100)).toBe(false);
  });

  it('the last passkey of an account without a password stays, that of one with a password goes', async () => {
    const idOf = async (account: string, credentialId: string) => {
      const added = await passkeys.add(account, { ...PASSKEY, credentialId }, undefined);
      return added.refused ? '' : added.passkey.id;
    };
    const [a, b, c] = [await idOf('a', '1'), await idOf('b', '2'), await idOf('b', '3')];
    expect(await passkeys.remove('b', a, undefined)).toBe('gone');
    expect(await passkeys.remove('b', b, undefined)).toMatchObject({ id: b, credentialId: '2', accountId: 'b' });
    expect(await passkeys.remove('b', c, undefined)).toBe('last');
    expect(await passkeys.remove('a', a, undefined)).toMatchObject({ id: a });
    expect([(await passkeys.list('a')).length, (await passkeys.list('b')).length]).toEqual([0, 1]);
    expect(await passkeys.rename('b', c, 'Key')).toBe(true);
    expect((await passkeys.list('b'))[0]?.name).toBe('Key');
    expect([await passkeys.removeLost('b', 'x'), await passkeys.removeLost('b', c)]).toEqual([0, 1]);
  });
});
