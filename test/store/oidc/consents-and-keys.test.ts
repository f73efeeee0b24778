// Consents, keys and payloads as they are kept: what counts for how long, in which order, and what several readers may not change.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openAccounts } from '#store/accounts/accounts.ts';
import { type Consents, openConsents, revokeConsent } from '#store/oidc/consents.ts';
import { restoreSession, sharedPayload, storedPayload } from '#store/oidc/oidc-payload.ts';
import { KEY_KINDS, openServiceKeys, type ServiceKeys } from '#store/oidc/service-keys.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';

const NOW = 1_800_000_000;
const at = (seconds: number) => void jest.spyOn(Date, 'now').mockReturnValue(seconds * 1000 + 999);

it('payloads are frozen where several read them, restored for one, and kept without what is secret', () => {
  const shared = sharedPayload('{"a":{"b":[1]},"c":null}');
  expect(shared).toEqual({ a: { b: [1] }, c: null });
  const { a } = shared as { a: { b: number[] } };
  expect(() => a.b.push(2)).toThrow();
  expect(() => Object.assign(a, { d: 1 })).toThrow();
  expect(storedPayload({ jti: 'x', consumed: true, session: { cookie: '' }, y: 1 })).toBe(
    '{"session":{"cookie":""},"y":1}',
  );
  const stored = { id: 'x', payload: '{"uid":"u","exp":5}', expiresAt: 9 };
  expect(restoreSession(stored)).toEqual({ uid: 'u', jti: 'x', exp: 9 });
});

describe('consents and keys', () => {
  const opened = openedForAll(() => openTestDatabase('sqlite'));
  let consents: Consents;
  let keys: ServiceKeys;
  beforeEach(async () => {
    consents = openConsents(opened.database);
    keys = openServiceKeys(opened.database);
    await opened.database('accounts').delete();
    await opened.database('service_keys').whereNot({ id: 'lock' }).delete();
    at(NOW);
    await openAccounts(opened.database).create([{ id: 'a', name: 'A' }]);
  });
  afterEach(() => void jest.restoreAllMocks());

  it('SEC-36 a consent counts for a time from its last renewal, with the scopes that counted then', async () => {
    await consents.give('a', 'app', ['openid', 'email'], 60);
    await consents.give('a', 'zoo', ['x'], 60);
    at(NOW + 59);
    expect(await consents.find('a', 'app', 60)).toEqual(['openid', 'email']);
    await consents.give('a', 'app', ['email', 'profile'], 60);
    expect(await consents.list('a')).toEqual([
      { clientId: 'app', scopes: ['openid', 'email', 'profile'], givenAt: NOW + 59 },
      { clientId: 'zoo', scopes: ['x'], givenAt: NOW },
    ]);
    at(NOW + 119);
    expect(await consents.find('a', 'app', 60)).toEqual([]);
    await consents.give('a', 'app', ['openid'], 60);
    expect(await consents.find('a', 'app', 60)).toEqual(['openid']);
    expect([await consents.revoke('a', 'app'), await consents.revoke('a', 'app')]).toEqual([true, false]);
    expect(await consents.list('a')).toHaveLength(1);
  });

  it.each([
    [true, 0, true],
    [false, 2, true],
    [false, 0, false],
  ])(
    'a consent that was given: %j, and %i grants are revoked, the grants before and after it: %j',
    async (given, held, result) => {
      const calls: string[] = [];
      const revoke = async (...args: string[]) => {
        calls.push(`consent ${args}`);
        return given;
      };
      const endGrantsTo = async (...args: string[]) => {
        calls.push(`grants ${args}`);
        return held;
      };
      expect(await revokeConsent({ revoke }, { endGrantsTo }, 'a', 'app')).toBe(result);
      expect(calls).toEqual(['grants a,app', 'consent a,app', 'grants a,app']);
    },
  );

  it('a withdrawal that was cut short can be repeated: the consent is there until the tokens have ended', async () => {
    await consents.give('a', 'cut', ['openid'], 60);
    const endGrantsTo = () => Promise.reject(new Error('the process ends'));
    await expect(revokeConsent(consents, { endGrantsTo }, 'a', 'cut')).rejects.toThrow('the process ends');
    expect((await consents.list('a')).map(({ clientId }) => clientId)).toContain('cut');
    await consents.revoke('a', 'cut');
  });

  it('keys stand in the order of their use, and are added only after the last one of their kind', async () => {
    const add = (id: string, kind: 'ES256' | 'cookies', activeAt: number, after?: string) =>
      keys.add({ id, kind, material: `m ${id}`, activeAt }, after);
    expect([await add('b', 'ES256', 20), await add('a', 'ES256', 20), await add('c', 'cookies', 10)]).toEqual([
      true,
      false,
      true,
    ]);
    at(NOW + 1);
    expect(await add('a', 'ES256', 20, 'b')).toBe(true);
    expect(await keys.list()).toEqual([
      { id: 'c', kind: 'cookies', material: 'm c', createdAt: NOW, activeAt: 10 },
      { id: 'b', kind: 'ES256', material: 'm b', createdAt: NOW, activeAt: 20 },
      { id: 'a', kind: 'ES256', material: 'm a', createdAt: NOW + 1, activeAt: 20 },
    ]);
    await keys.activate('a', 5);
    expect((await keys.list()).map(({ id }) => id)).toEqual(['a', 'c', 'b']);
    const seen: string[] = [];
    const refused = keys.add({ id: 'd', kind: 'EdDSA', material: '', activeAt: 1 }, undefined, async (stored) => {
      seen.push(...stored.map(({ id }) => id));
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    expect([seen, (await keys.list()).length]).toEqual([['a', 'c', 'b'], 3]);
    expect([
      await keys.rewrite({ id: 'a', material: 'x' }, 'y'),
      await keys.rewrite({ id: 'a', material: 'm a' }, 'y'),
    ]).toEqual([false, true]);
    expect((await keys.list())[0]?.material).toBe('y');
    expect([await keys.remove(['a', 'b', 'lock', 'x']), (await keys.list()).map(({ id }) => id)]).toEqual([2, ['c']]);
    expect(await opened.database('service_keys').where({ id: 'lock' })).toHaveLength(1);
    expect(KEY_KINDS).toEqual(['RS256', 'ES256', 'EdDSA', 'cookies']);
  });
});
