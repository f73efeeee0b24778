// Records of the provider, consents and keys as they are kept: what each call stores, gives and removes, to the second.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { digest } from '#shared/crypto/digest.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import {
  AlreadyConsumed,
  AlreadyThere,
  isFirstUse,
  type OidcRecords,
  openOidcRecords,
} from '#store/oidc/oidc-records.ts';
import { TOKEN_MODELS } from '#store/oidc/token-lookup.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';

const NOW = 1_800_000_000;
const at = (seconds: number) => void jest.spyOn(Date, 'now').mockReturnValue(seconds * 1000 + 999);

describe.each(bothEngines('store/oidc/kept-records'))('records of the provider on %s', (engine) => {
  const opened = openedForAll(() => openTestDatabase(engine));
  let records: OidcRecords;
  beforeEach(async () => {
    records = openOidcRecords(opened.database);
    for (const table of ['oidc_records', 'accounts']) await opened.database(table).delete();
    at(NOW);
    await openAccounts(opened.database).create([
      { id: 'a', name: 'A' },
      { id: 'b', name: 'B' },
    ]);
  });
  afterEach(() => void jest.restoreAllMocks());
  const row = async (id: string) => {
    const found = await opened
      .database('oidc_records')
      .where({ id: digest(id) })
      .first();
    if (!found) return undefined;
    const numbers = [found.expires_at, found.consumed_at].map((value) => (value === null ? null : Number(value)));
    const [expires_at, consumed_at] = numbers;
    return { ...found, payload: JSON.parse(found.payload), expires_at, consumed_at };
  };
  const ids = async (model: string) => {
    const rows: { id: string }[] = await opened.database('oidc_records').where({ model });
    return rows.length;
  };

  it('have their columns from the payload, and the payload without secrets', async () => {
    const session = { cookie: 'secret', uid: 'of a session' };
    const payload = {
      jti: 'id',
      consumed: 5,
      uid: 'u',
      sessionUid: 's',
      grantId: 'g',
      accountId: 'a',
      session,
      x: 1,
    } as const;
    await records.upsert('AuthorizationCode', 'code', payload, 60);
    expect(await row('code')).toEqual({
      model: 'AuthorizationCode',
      id: digest('code'),
      payload: { uid: 'u', sessionUid: 's', grantId: 'g', accountId: 'a', session: { uid: 'of a session' }, x: 1 },
      grant_id: digest('g'),
      uid: 'u',
      account_id: 'a',
      expires_at: NOW + 60,
      consumed_at: null,
      successor: null,
    });
    expect(session.cookie).toBe('secret');
    await records.upsert('AuthorizationCode', 'code', { sessionUid: 's' }, undefined);
    expect(await row('code')).toMatchObject({ uid: 's', account_id: null, grant_id: null, expires_at: null });
    expect(await records.find('AuthorizationCode', 'code')).toEqual({ sessionUid: 's', jti: 'code' });
    expect(await records.find('AuthorizationCode', 'none')).toBeUndefined();
    await expect(records.insertOnce('AuthorizationCode', 'code', {}, 60)).rejects.toThrow(AlreadyThere);
    await expect(records.insertOnce('AuthorizationCode', 'code', {}, 60)).rejects.toThrow('AuthorizationCode exists');
    await records.insertOnce('AuthorizationCode', 'other', {}, 60);
    expect(await row('other')).toMatchObject({ expires_at: NOW + 60 });
  });

  it('are used once, at a second, with a successor that is forgotten after its grace', async () => {
    for (const id of ['1', '2', '3']) await records.upsert('RefreshToken', id, {}, 60);
    await records.consume('RefreshToken', '1', 'next');
    await expect(records.consume('RefreshToken', '1')).rejects.toThrow(AlreadyConsumed);
    await expect(records.consume('RefreshToken', '9')).rejects.toThrow('RefreshToken was used before');
    expect(await records.find('RefreshToken', '1')).toEqual({ jti: '1', consumed: NOW });
    at(NOW + 1);
    await records.consume('RefreshToken', '2', 'later');
    await records.consume('RefreshToken', '3');
    const uses = () => Promise.all(['1', '2', '3', '9'].map((id) => records.findUse('RefreshToken', id)));
    const [one, two, three] = [{ consumedAt: NOW }, { consumedAt: NOW + 1 }, { consumedAt: NOW + 1 }];
    expect(await uses()).toEqual([{ ...one, successor: 'next' }, { ...two, successor: 'later' }, three, undefined]);
    at(NOW + 10);
    expect([await records.forgetSuccessors(10), await records.forgetSuccessors(9)]).toEqual([0, 1]);
    expect(await uses()).toEqual([one, { ...two, successor: 'later' }, three, undefined]);
    await records.consume('AccessToken', 'x').catch(() => {});
    expect([await records.forgetSuccessors(0, 5), await records.forgetSuccessors(0, 5)]).toEqual([1, 0]);
  });

  it('are spent for one or two others in one step', async () => {
    const issued = (id: string) => ({ model: 'AccessToken', id, payload: { x: id }, expiresIn: 30 });
    for (const [id, others] of [
      ['1', ['a']],
      ['2', ['b', 'c']],
      ['3', []],
    ] as const) {
      await records.upsert('RefreshToken', id, {}, 60);
      await records.consume('RefreshToken', id, 'next', others.map(issued));
    }
    expect(await ids('AccessToken')).toBe(3);
    expect(await row('c')).toMatchObject({ model: 'AccessToken', payload: { x: 'c' }, expires_at: NOW + 30 });
    expect(await row('2')).toMatchObject({ consumed_at: NOW, successor: 'next' });
  });

  it('are removed one by one, by grant, by client, and when they expired some time ago', async () => {
    for (const [id, seconds] of [
      ['1', -10],
      ['2', -11],
      ['3', -12],
      ['4', 5],
    ] as const)
      await records.upsert('Interaction', id, { grantId: id === '4' ? 'g' : 'other' }, seconds);
    expect([await records.prune(10, 1), await row('3')]).toEqual([1, undefined]);
    expect([await records.prune(10), await records.prune(10), await ids('Interaction')]).toEqual([1, 0, 2]);
    await records.destroyByGrant('AccessToken', 'g');
    expect(await ids('Interaction')).toBe(2);
    await records.destroyByGrant('Interaction', 'g');
    expect([await row('4'), await ids('Interaction')]).toEqual([undefined, 1]);
    expect([await records.destroy('Session', '1'), await records.destroy('Interaction', '1')]).toEqual([false, true]);
    expect(await records.destroy('Interaction', '1')).toBe(false);
    for (const [id, accountId, clientId] of [
      ['g1', 'a', 'app'],
      ['g2', 'a', 'app'],
      ['g3', 'a', 'x'],
      ['g4', 'b', 'app'],
    ] as const) {
      await records.upsert('Grant', id, { accountId, clientId }, 60);
      await records.upsert('AccessToken', `of ${id}`, { grantId: id }, 60);
    }
    expect([await records.endGrantsTo('a', 'app'), await ids('Grant'), await ids('AccessToken')]).toEqual([2, 2, 2]);
    expect([await row('of g1'), await row('g2')]).toEqual([undefined, undefined]);
  });

  it('of sessions are found by either id while they live, the oldest sign-in first', async () => {
    const add = (name: string, accountId: string, loginTs: number, exp: number) =>
      records.upsert('Session', name, { uid: `uid-${name}`, accountId, loginTs, exp }, 500);
    await add('young', 'a', NOW - 1, NOW + 1);
    await add('old', 'a', NOW - 9, NOW + 2);
    await add('over', 'a', NOW - 5, NOW);
    await add('theirs', 'b', NOW - 5, NOW + 9);
    const jti = digest('old');
    const payload = { uid: 'uid-old', accountId: 'a', loginTs: NOW - 9, exp: NOW + 2 };
    expect(await records.findSession('uid-old')).toEqual({ ...payload, jti, exp: NOW + 500 });
    expect(await records.findLiveSession('uid-old')).toEqual({ ...payload, jti });
    expect([await records.findLiveSession('uid-over'), await records.findLiveSession('none')]).toEqual([
      undefined,
      undefined,
    ]);
    expect((await records.liveSessionsOf('a')).map(({ uid }) => uid)).toEqual(['uid-old', 'uid-young']);
    expect((await records.liveSessionsOf('a'))[0]).toEqual({ ...payload, jti });
    const read = await records.readSession({ uid: 'uid-old' });
    expect(read).toMatchObject({ id: jti, payload: JSON.stringify(payload) });
    expect(await records.readSession({ id: 'old' })).toEqual(read);
    expect(await records.read('Session', 'old')).toEqual({ id: jti, payload: JSON.stringify(payload) });
    expect(await records.destroySession('uid-old', 'b')).toBeUndefined();
    expect(await records.destroySession('uid-old', 'a')).toEqual({ ...payload, jti });
    expect(await records.destroySession('uid-theirs')).toMatchObject({ accountId: 'b', jti: digest('theirs') });
    expect(await ids('Session')).toBe(2);
  });

  it('SEC-55 of sessions that signed in before the limit of their account count no more', async () => {
    for (const [name, loginTs] of [
      ['before', NOW - 1],
      ['since', NOW],
      ['kept', NOW - 1],
    ] as const)
      await records.upsert('Session', name, { uid: name, accountId: 'a', loginTs, exp: NOW + 50 }, 500);
    await opened.database('accounts').where({ id: 'a' }).update({ sessions_not_before: NOW, kept_session: 'kept' });
    const found = await Promise.all(
      ['before', 'since', 'kept'].map(async (name) => [
        (await records.find('Session', name)) !== undefined,
        (await records.findSession(name)) !== undefined,
        (await records.findLiveSession(name)) !== undefined,
        (await records.readSession({ id: name })) !== undefined,
      ]),
    );
    expect(found).toEqual([Array(4).fill(false), Array(4).fill(true), Array(4).fill(true)]);
    expect((await records.liveSessionsOf('a')).map(({ uid }) => uid)).toEqual(['kept', 'since']);
  });

  it('are replaced only as they were read, and written again only while they are there', async () => {
    await records.upsert('Session', 'one', { uid: 'u', accountId: 'a' }, 60);
    const read = await records.read('Session', 'one');
    if (!read) throw new Error('it was stored');
    const next = { uid: 'u', accountId: 'b', grantId: 'g' };
    expect(await records.replace('Session', read, 'two', next, 90)).toBe(true);
    const columns = { payload: next, account_id: 'b', grant_id: digest('g'), uid: 'u', expires_at: NOW + 90 };
    expect([await row('one'), await row('two')]).toEqual([undefined, expect.objectContaining(columns)]);
    expect(await records.replace('Session', read, undefined, next, 90)).toBe(false);
    expect(await records.update('Session', 'two', { accountId: 'a' }, undefined)).toBe(true);
    const changed = { payload: { accountId: 'a' }, account_id: 'a', grant_id: null, uid: null, expires_at: null };
    expect(await row('two')).toMatchObject(changed);
    expect([await records.update('Session', 'one', {}, 60), await records.read('Session', 'one')]).toEqual([
      false,
      undefined,
    ]);
  });

  it('of a token are read with all that it depends on', async () => {
    await records.upsert('Session', 's', { uid: 'u', accountId: 'a' }, 100);
    await records.upsert('Grant', 'g', { accountId: 'a', clientId: 'app' }, 90);
    const payload = { accountId: 'a', grantId: 'g', sessionUid: 'u' };
    for (const model of TOKEN_MODELS) await records.upsert(model, model, payload, 60);
    const session = { uid: 'u', accountId: 'a' };
    const [account] = await openAccounts(opened.database).list({ limit: 1 });
    const whole = {
      expiresAt: NOW + 60,
      consumedAt: null,
      token: payload,
      session: { id: digest('s'), payload: JSON.stringify(session), content: session, expiresAt: NOW + 100 },
      grant: { content: { accountId: 'a', clientId: 'app' }, expiresAt: NOW + 90 },
      account,
    };
    expect(TOKEN_MODELS).toEqual(['AccessToken', 'RefreshToken', 'AuthorizationCode', 'ClientCredentials']);
    for (const model of TOKEN_MODELS) {
      expect(await records.findTokenContext(model)).toEqual({ model, ...whole });
      expect(await records.findSingleUse(model)).toEqual({ model, ...whole });
    }
    await records.upsert('AccessToken', 'bare', {}, undefined);
    const bare = { model: 'AccessToken', expiresAt: 0, consumedAt: null, token: {} };
    expect([await records.findTokenContext('bare'), await records.findTokenContext('s')]).toEqual([bare, undefined]);
    await records.consume('AccessToken', 'AccessToken');
    expect(await records.findSingleUse('AccessToken')).toMatchObject({ consumedAt: NOW });
    await records.upsert('Session', 'endless', { uid: 'e' }, undefined);
    await records.upsert('Grant', 'endless', {}, undefined);
    await records.upsert('RefreshToken', 'endless', { sessionUid: 'e', grantId: 'endless' }, 60);
    expect(await records.findSingleUse('endless')).toMatchObject({
      session: { expiresAt: 0 },
      grant: { expiresAt: 0 },
    });
    expect([await records.findSingleUse('none'), await records.findSingleUse('s')]).toEqual([undefined, undefined]);
  });

  it('of a token are kept until the number of the data changes, where there is one', async () => {
    let version = 1;
    const cached = openOidcRecords(opened.database, { current: () => version });
    await records.upsert('AccessToken', 'kept', { x: 1 }, 60);
    const found = await cached.findTokenContext('kept');
    expect(cached.findTokenContext('kept')).toBe(found);
    await records.upsert('AccessToken', 'kept', { x: 2 }, 60);
    expect([cached.findTokenContext('kept'), (await cached.findSingleUse('kept'))?.token]).toEqual([found, { x: 2 }]);
    version = 2;
    expect((await cached.findTokenContext('kept'))?.token).toEqual({ x: 2 });
  });

  it('of challenges are used once, and kept a minute longer than they count', async () => {
    expect([await isFirstUse(records, 'c'), await isFirstUse(records, 'c'), await isFirstUse(records, 'd')]).toEqual([
      true,
      false,
      true,
    ]);
    const { payload, expires_at } = await row('c');
    expect([payload, expires_at - NOW]).toEqual([{ kind: 'PasskeyChallenge', exp: expires_at }, 660]);
    const failing = { insertOnce: () => Promise.reject(new Error('away')) };
    await expect(isFirstUse(failing, 'c')).rejects.toThrow('away');
  });
});
