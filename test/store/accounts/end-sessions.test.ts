// What ends with the sessions of accounts, what stays with a kept one, and which applications are told.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { digest } from '#shared/crypto/digest.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { SessionGone } from '#store/accounts/end-sessions.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForEach } from '#support/opened.ts';

describe('the end of sessions', () => {
  const NOW = 1_800_000_000;
  const opened = openedForEach(() => openTestDatabase('sqlite'));
  let id: string;
  let other: string;
  const sessionOf = (accountId: string, name: string, clients: string[]) => ({
    accountId,
    uid: `uid-${name}`,
    loginTs: NOW,
    authorizations: Object.fromEntries(
      clients.map((client) => [client, { sid: `sid-${client}`, grantId: `grant-${client}` }]),
    ),
  });
  beforeEach(async () => {
    jest.spyOn(Date, 'now').mockReturnValue(NOW * 1000);
    const created = await openAccounts(opened.database).create([{ name: 'A' }, { name: 'B' }]);
    [id = '', other = ''] = created.map((one) => one.id);
    const records = openOidcRecords(opened.database);
    for (const [of, name, clients] of [
      [id, 'here', ['app', 'web']],
      [id, 'there', ['mail']],
      [other, 'elsewhere', ['chat']],
    ] as const) {
      await records.upsert('Session', `cookie-${name}`, sessionOf(of, name, [...clients]), 600);
      for (const client of clients) {
        await records.upsert('Grant', `grant-${client}`, { accountId: of, clientId: client }, 600);
        await records.upsert('AccessToken', `token-${client}`, { accountId: of, grantId: `grant-${client}` }, 600);
      }
    }
    await records.upsert('Session', 'cookie-new', { accountId: other, uid: 'uid-new', loginTs: NOW }, 600);
  });
  afterEach(() => void jest.restoreAllMocks());

  const NAMES = ['here', 'there', 'elsewhere', 'new'].map((name) => ['Session', `cookie-${name}`]);
  const OF_CLIENTS = ['app', 'web', 'mail', 'chat'].flatMap((client) => [
    ['Grant', `grant-${client}`],
    ['AccessToken', `token-${client}`],
  ]);
  /** The names of what is left. */
  const left = async () => {
    const stored = new Set(await opened.database('oidc_records').pluck('id'));
    return [...NAMES, ...OF_CLIENTS].flatMap(([, name = '']) => (stored.has(digest(name)) ? [name] : []));
  };
  const told = () => opened.database('logout_deliveries').orderBy('client_id').pluck('sid');
  const end = (ids: string[], keep?: string, onlyFor?: string) =>
    openAccounts(opened.database).endSessions(ids, keep, onlyFor);
  const OF_OTHER = ['cookie-elsewhere', 'cookie-new', 'grant-chat', 'token-chat'];
  const kept = async () => (await opened.database('accounts').where({ id }).first()).kept_session;

  it('takes all sessions, grants and tokens of the account, and tells each application of each session', async () => {
    expect(await end([id])).toEqual({ notBefore: NOW + 1, sessions: 2, notified: 3 });
    expect(await left()).toEqual(OF_OTHER);
    expect([await told(), await kept()]).toEqual([['sid-app', 'sid-mail', 'sid-web'], null]);
    expect(await opened.database('logout_deliveries').where({ account_id: id })).toHaveLength(3);
  });

  it.each([
    ['by a day', 86_401, 86_402],
    ['by more than a day', 86_402, 1],
  ])('a limit that lies ahead, %s', async (_why, ahead, next) => {
    await opened
      .database('accounts')
      .where({ id })
      .update({ sessions_not_before: NOW + ahead });
    expect((await end([id])).notBefore).toBe(NOW + next);
  });

  it('leaves the session that is kept, with all that was given in it', async () => {
    expect(await end([id], 'uid-here')).toEqual({ notBefore: NOW + 1, sessions: 1, notified: 1 });
    const own = ['grant-app', 'token-app', 'grant-web', 'token-web'];
    expect(await left()).toEqual(['cookie-here', 'cookie-elsewhere', 'cookie-new', ...own, 'grant-chat', 'token-chat']);
    expect([await told(), await kept()]).toEqual([['sid-mail'], 'uid-here']);
  });

  it('SEC-33 gives a session that is kept for one client new ids, and leaves it that client’s tokens alone', async () => {
    const ended = await end([id], 'uid-here', 'app');
    const newId = expect.stringMatching(/^[\w-]{43}$/);
    expect(ended).toEqual({ notBefore: NOW + 1, sessions: 1, notified: 2, renewed: { uid: newId, id: newId } });
    const { uid = '', id: cookie = '' } = ended.renewed ?? {};
    expect(uid).not.toBe(cookie);
    expect(await left()).toEqual(OF_OTHER.toSpliced(2, 0, 'grant-app', 'token-app'));
    expect([await told(), await kept()]).toEqual([['sid-mail', 'sid-web'], uid]);
    const session = await opened
      .database('oidc_records')
      .where({ id: digest(cookie) })
      .first();
    expect([session.uid, JSON.parse(session.payload)]).toEqual([uid, { ...sessionOf(id, 'here', ['app']), uid }]);
  });

  it('SEC-33 refuses to continue a session that has ended or was renewed, and then ends nothing', async () => {
    const before = await left();
    const refused = end([id], 'uid-gone', 'app');
    await expect(refused).rejects.toThrow(SessionGone);
    await expect(refused).rejects.toThrow('the session has ended meanwhile');
    expect([await left(), await told(), await kept()]).toEqual([before, [], null]);
  });

  it('is later than the end before, and for several accounts that of the latest', async () => {
    await end([id]);
    expect(await end([id])).toEqual({ notBefore: NOW + 2, sessions: 0, notified: 0 });
    expect(await end([id, other])).toEqual({ notBefore: NOW + 3, sessions: 2, notified: 1 });
    const limits = await opened.database('accounts').whereIn('id', [id, other]).pluck('sessions_not_before');
    expect(limits.toSorted()).toEqual([NOW + 1, NOW + 3]);
    expect(await left()).toEqual([]);
    expect(await end(['nobody'])).toEqual({ notBefore: 0, sessions: 0, notified: 0 });
  });
});
