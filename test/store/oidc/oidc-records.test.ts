// Statements that do several things at once, on SQLite and on a real PostgreSQL.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { openAccounts } from '#store/accounts/accounts.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { type OidcRecords, openOidcRecords } from '#store/oidc/oidc-records.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';

describe.each(bothEngines('store/oidc/oidc-records'))('records on %s', (engine) => {
  let records: OidcRecords;
  const opened = openedForAll(() => openTestDatabase(engine));
  beforeAll(() => {
    records = openOidcRecords(opened.database);
  });

  it('SEC-78 spends a token with everything it is spent for, or not at all, and of several at once for one', async () => {
    const token = (model: string, id: string) => ({ model, id, payload: { grantId: 'family' }, expiresIn: 60 });
    const issued = async () =>
      (await opened.database('oidc_records').whereIn('model', ['AccessToken', 'RefreshToken'])).length;
    await records.upsert('RefreshToken', 'spent', { grantId: 'family' }, 60);
    await records.upsert('AccessToken', 'taken', {}, 60);
    const before = await issued();
    // The second one cannot be stored.
    const failing = records.consume('RefreshToken', 'spent', 'next', [
      token('RefreshToken', 'next'),
      token('AccessToken', 'taken'),
    ]);
    await expect(failing).rejects.toThrow();
    expect(await issued()).toBe(before);
    expect(await records.findUse('RefreshToken', 'spent')).toBeUndefined();

    const uses = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        records.consume('RefreshToken', 'spent', `next-${n}`, [
          token('AccessToken', `access-${n}`),
          ...(n % 2 ? [token('RefreshToken', `next-${n}`)] : []),
        ]),
      ),
    );
    const winner = uses.findIndex(({ status }) => status === 'fulfilled');
    expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await records.findUse('RefreshToken', 'spent')).toMatchObject({ successor: `next-${winner}` });
    expect(await records.find('AccessToken', `access-${winner}`)).toMatchObject({ grantId: 'family' });
    expect(await issued()).toBe(before + (winner % 2 ? 2 : 1));
  });

  it('reads the session of an authorization request in one look, with its account and the grant of a client', async () => {
    const [account] = await openAccounts(opened.database).create([
      { email: 'session@example.test', name: 'Camille Test' },
    ]);
    const accountId = account?.id ?? '';
    const authorizations = { one: { grantId: 'g-one' }, 'éa"\'{}': { grantId: 'g-two' }, three: { sid: 'none' } };
    await records.upsert('Session', 's-in', { uid: 'u-in', accountId, authorizations }, 100);
    for (const id of ['g-one', 'g-two']) await records.upsert('Grant', id, { accountId, clientId: id }, 100);
    const held = async (client: string) => {
      const { read, context } = (await records.readSignedIn('s-in', client)) ?? {};
      expect(read).toMatchObject({ payload: expect.stringContaining('u-in') });
      expect(context?.account).toEqual(account);
      return [context?.token.grantId, context?.grant?.content['clientId']];
    };
    const onPostgres = (id: string) => (engine === 'postgresql' ? id : undefined);
    expect(await held('one')).toEqual(['g-one', onPostgres('g-one')]);
    expect(await held('éa"\'{}')).toEqual(['g-two', onPostgres('g-two')]);
    for (const none of ['three', 'four', '__proto__', '\0']) expect(await held(none)).toEqual([undefined, undefined]);
    expect(await records.readSignedIn('other', 'one')).toBeUndefined();
    // A sign-in that no longer counts.
    await opened.database('accounts').where({ id: accountId }).update({ sessions_not_before: epochSeconds() });
    expect(await records.readSignedIn('s-in', 'one')).toBeUndefined();
  });

  it('reads a token anew at each use, and parses it again when any of its rows is another', async () => {
    const accounts = openAccounts(opened.database);
    const [account] = await accounts.create([{ email: 'again@example.test', name: 'Camille Test' }]);
    const accountId = account?.id ?? '';
    const given = { accountId, grantId: 'g10' };
    const changes = {
      Session: () => records.upsert('Session', 's10', { jti: 's10', uid: 'u10', accountId, acr: 'new' }, 100),
      Grant: () => records.upsert('Grant', 'g10', { jti: 'g10', accountId, rejected: {} }, 100),
      account: () => accounts.update(accountId, { name: 'Camille Nouveau' }),
      AccessToken: () => records.upsert('AccessToken', 't10', { jti: 't10', ...given, sessionUid: 'u10' }, 90),
      use: () => records.consume('AccessToken', 't10'),
    };
    await records.upsert('Session', 's10', { jti: 's10', uid: 'u10', accountId }, 100);
    await records.upsert('Grant', 'g10', { jti: 'g10', accountId }, 100);
    await records.upsert('AccessToken', 't10', { jti: 't10', ...given, sessionUid: 'u10' }, 60);
    let before = await records.findTokenContext('t10');
    expect(await records.findTokenContext('t10')).toBe(before);
    for (const change of Object.values(changes)) {
      await change();
      const after = await records.findTokenContext('t10');
      expect(after).not.toEqual(before);
      before = after;
    }
    expect(before).toMatchObject({
      session: { content: { acr: 'new' } },
      grant: { content: { rejected: {} } },
      account: { name: 'Camille Nouveau' },
      consumedAt: expect.any(Number),
    });
  });
});
