// One contract for the tables of the main database, run on SQLite and on a real PostgreSQL.

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Account } from '#store/accounts/account-row.ts';
import { type Accounts, EmailTaken, endAllSessions, openAccounts } from '#store/accounts/accounts.ts';
import { openPageSessions } from '#store/accounts/page-sessions.ts';
import { migrationStatus } from '#store/database/migrate.ts';
import { openConsents } from '#store/oidc/consents.ts';
import { AlreadyConsumed, AlreadyThere, type OidcRecords, openOidcRecords } from '#store/oidc/oidc-records.ts';
import { openServiceKeys } from '#store/oidc/service-keys.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { openedForAll } from '#support/opened.ts';
import { rounds } from '#support/rounds.ts';

describe.each(bothEngines('store/contract'))('store on %s', (engine) => {
  withOwnSnapshots(import.meta.filename);
  let accounts: Accounts;
  let records: OidcRecords;

  const opened = openedForAll(() => openTestDatabase(engine));
  beforeAll(() => {
    accounts = openAccounts(opened.database);
    records = openOidcRecords(opened.database);
  });

  const person = (email: string) => ({ email, name: 'Camille Test' });

  it('has every migration applied', async () => {
    const { applied, pending } = await migrationStatus(opened.database);
    expect(applied.length).toBeGreaterThan(0);
    expect(pending).toEqual([]);
  });

  it('has these tables, columns, lengths and indexes', async () => {
    const isSqlite = engine === 'sqlite';
    const [columns, indexes] = isSqlite
      ? [
          "select type as table_name, sql as about from sqlite_master where sql is not null and type <> 'index' order by name",
          "select sql as about from sqlite_master where type = 'index' and sql is not null order by name",
        ]
      : [
          "select table_name, column_name, data_type, character_maximum_length as most, is_nullable, column_default from information_schema.columns where table_schema = current_schema() and table_name not like 'knex%' order by table_name, column_name",
          "select indexdef as about from pg_indexes where schemaname = current_schema() and tablename not like 'knex%' order by indexname",
        ];
    const rows = async (query: string) => {
      const found: unknown = await opened.database.raw(query);
      const list = (isSqlite ? found : (found as { rows: unknown }).rows) as Record<string, unknown>[];
      return list.map((row) =>
        Object.values(row)
          .join(' ')
          .replaceAll(/\b(public|hygie_\w+|test_\w+)\./g, ''),
      );
    };
    expect([await rows(columns ?? ''), await rows(indexes ?? '')]).toMatchSnapshot();
  });

  describe('accounts', () => {
    beforeEach(async () => {
      await opened.database('accounts').delete();
      await accounts.create([person('twice@example.test')]);
    });

    it('keeps every field, and gives them back by id and by e-mail, case aside', async () => {
      const [created] = await accounts.create([
        {
          email: 'Ada@Example.test',
          emailVerified: true,
          name: 'Ada Essai',
          nickname: 'ada',
          picture: 'https://example.test/ada.png',
          practitioners: ['810000000001'],
          workspaces: ['F1', 'F2'],
          passwordHash: 'scrypt$x',
        },
      ]);
      expect(created).toMatchObject({
        email: 'Ada@Example.test',
        emailVerified: true,
        nickname: 'ada',
        practitioners: ['810000000001'],
        workspaces: ['F1', 'F2'],
        currentWorkspace: 'F1',
        status: 'active',
        hasPassword: true,
      });
      expect(created?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(await accounts.find(created?.id ?? '')).toEqual(created);
      expect(await accounts.findByEmail('ADA@example.TEST')).toEqual({ account: created, passwordHash: 'scrypt$x' });
    });

    it('refuses a second account with the same e-mail, and keeps nothing of a list that has one', async () => {
      const attempt = accounts.create([person('before@example.test'), person('TWICE@example.test')]);
      await expect(attempt).rejects.toThrow(EmailTaken);
      expect(await accounts.findByEmail('before@example.test')).toBeUndefined();
    });

    it('creates many in one transaction, in the order given', async () => {
      const many = Array.from({ length: 1200 }, (_, index) => person(`many-${index}@example.test`));
      const created = await accounts.create(many);
      expect(created.map(({ email, status }) => [email, status])).toEqual(many.map(({ email }) => [email, 'active']));
      expect(await accounts.find(created.at(-1)?.id ?? '')).toEqual(created.at(-1));
    });

    it('keeps none of many when a later one is taken', async () => {
      const before = await accounts.count();
      const many = Array.from({ length: 600 }, (_, place) => person(`back-${place}@example.test`));
      const taken = accounts.create([...many, person('TWICE@example.test')]);
      await expect(taken).rejects.toMatchObject({ constructor: EmailTaken, email: 'TWICE@example.test' });
      expect(await accounts.count()).toBe(before);
      const within = accounts.create([...many, person('BACK-7@example.test')]);
      await expect(within).rejects.toMatchObject({ constructor: EmailTaken, email: 'BACK-7@example.test' });
      expect(await accounts.count()).toBe(before);
    });

    it('changes what is named and leaves the rest', async () => {
      const [created] = await accounts.create([{ ...person('change@example.test'), nickname: 'c', workspaces: ['A'] }]);
      const id = created?.id ?? '';
      const changed = await accounts.update(id, { status: 'disabled', name: 'Camille Autre' });
      expect(changed).toMatchObject({ status: 'disabled', name: 'Camille Autre', workspaces: ['A'], nickname: 'c' });
      await expect(accounts.update(id, { email: 'twice@example.test' })).rejects.toThrow(EmailTaken);
      expect(await accounts.update('00000000-0000-4000-8000-000000000000', { name: 'x' })).toBeUndefined();
    });

    it('takes several accounts without an address, and lists them behind those with one, page by page', async () => {
      const nameless = { emailVerified: false, name: 'Sans Adresse' };
      const created = await accounts.create([nameless, nameless, nameless]);
      expect(created[0]).not.toHaveProperty('email');
      expect(await accounts.find(created[0]?.id ?? '')).toEqual(created[0]);
      expect(await accounts.findByEmail('')).toBeUndefined();
      const all: Account[] = [];
      for (const _page of rounds()) {
        const page = await accounts.list({ after: all.at(-1), limit: 2 });
        if (page.length === 0) break;
        all.push(...page);
      }
      expect(all).toHaveLength(await accounts.count());
      const addresses = all.map(({ email }) => email?.toLowerCase());
      const ordered = addresses.filter((email) => email !== undefined).sort();
      expect(addresses).toEqual([...ordered, undefined, undefined, undefined]);
      expect(all.slice(-3).map(({ id }) => id)).toEqual(created.map(({ id }) => id).sort());
      expect((await endAllSessions(accounts)).accounts).toBe(all.length);
      const address = await accounts.update(created[0]?.id ?? '', { email: 'given@example.test' });
      expect(address).toMatchObject({ email: 'given@example.test' });
    });
  });

  describe('records of the OpenID provider', () => {
    it('restores the id and the payload, and knows nothing of another model', async () => {
      await records.upsert('AccessToken', 'secret-1', { jti: 'secret-1', scope: 'openid', grantId: 'g1' }, 60);
      expect(await records.find('AccessToken', 'secret-1')).toEqual({
        jti: 'secret-1',
        scope: 'openid',
        grantId: 'g1',
      });
      expect(await records.find('RefreshToken', 'secret-1')).toBeUndefined();
    });

    it('overwrites on upsert', async () => {
      await records.upsert('Session', 's1', { jti: 's1', uid: 'u1', accountId: 'a' }, 60);
      await records.upsert('Session', 's1', { jti: 's1', uid: 'u1', accountId: 'b' }, 60);
      expect(await records.findSession('u1')).toMatchObject({ accountId: 'b' });
      expect(await records.destroySession('u1')).toMatchObject({ accountId: 'b' });
      expect(await records.find('Session', 's1')).toBeUndefined();
      expect(await records.destroySession('u1')).toBeUndefined();
    });

    it('SEC-10 lets exactly one of 50 parallel uses consume a code', async () => {
      await records.upsert('AuthorizationCode', 'code-1', { jti: 'code-1' }, 60);
      const uses = await Promise.allSettled(
        Array.from({ length: 50 }, () => records.consume('AuthorizationCode', 'code-1')),
      );
      expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const use of uses) if (use.status === 'rejected') expect(use.reason).toBeInstanceOf(AlreadyConsumed);
      expect((await records.find('AuthorizationCode', 'code-1'))?.consumed).toBeGreaterThan(0);
    });

    it('stores a proof once', async () => {
      await records.insertOnce('ReplayDetection', 'proof', { iss: 'x' }, 60);
      await expect(records.insertOnce('ReplayDetection', 'proof', { iss: 'x' }, 60)).rejects.toThrow(AlreadyThere);
    });

    it('removes all tokens of a grant, and no others', async () => {
      await records.upsert('AccessToken', 'of-g2', { jti: 'of-g2', grantId: 'g2' }, 60);
      await records.upsert('AccessToken', 'of-g3', { jti: 'of-g3', grantId: 'g3' }, 60);
      await records.destroyByGrant('AccessToken', 'g2');
      expect(await records.find('AccessToken', 'of-g2')).toBeUndefined();
      expect(await records.find('AccessToken', 'of-g3')).toBeDefined();
    });

    it('SEC-16 keeps no token, code, session or grant id in clear', async () => {
      const secret = 'a-very-recognisable-secret-value';
      await records.upsert('AccessToken', secret, { jti: secret, grantId: 'g' }, 60);
      await records.upsert('Interaction', 'i1', { jti: 'i1', session: { uid: 'u', cookie: secret } } as never, 60);
      const dump = JSON.stringify(await opened.database('oidc_records').select('*'));
      expect(dump).not.toContain(secret);
      expect(await records.find('Interaction', 'i1')).toMatchObject({ session: { uid: 'u' } });
    });

    it('reads all that a token depends on in one look', async () => {
      const [account] = await accounts.create([person('token@example.test')]);
      const accountId = account?.id ?? '';
      await records.upsert('Session', 's9', { jti: 's9', uid: 'u9', accountId }, 100);
      await records.upsert('Grant', 'g9', { jti: 'g9', accountId }, 100);
      await records.upsert('AccessToken', 't9', { jti: 't9', accountId, grantId: 'g9', sessionUid: 'u9' }, 60);
      const found = await records.findTokenContext('t9');
      expect(found).toMatchObject({
        model: 'AccessToken',
        token: { accountId },
        session: { content: { accountId } },
        account: await accounts.find(accountId),
      });
      expect(found?.grant?.expiresAt).toBeGreaterThan(found?.expiresAt ?? Number.POSITIVE_INFINITY);
      await records.destroy('Grant', 'g9');
      await records.destroySession('u9');
      const later = await records.findTokenContext('t9');
      expect(later?.grant).toBeUndefined();
      expect(later?.session).toBeUndefined();
      expect(await records.findTokenContext('unknown')).toBeUndefined();
    });

    it('ends what one client was given by one person, and nothing else', async () => {
      const given = async (account: string, client: string) => {
        const name = `${account}-${client}`;
        const payload = { accountId: account, clientId: client };
        await records.upsert('Grant', `grant-${name}`, { jti: `grant-${name}`, ...payload }, 60);
        const token = { jti: `token-${name}`, grantId: `grant-${name}`, ...payload };
        await records.upsert('RefreshToken', `token-${name}`, token, 60);
        return async () => [
          (await records.find('Grant', `grant-${name}`)) !== undefined,
          (await records.find('RefreshToken', `token-${name}`)) !== undefined,
        ];
      };
      const ended = await given('one', 'app');
      const others = [await given('one', 'other'), await given('two', 'app')];
      expect(await records.endGrantsTo('one', 'app')).toBe(1);
      expect(await ended()).toEqual([false, false]);
      for (const kept of others) expect(await kept()).toEqual([true, true]);
      expect(await records.endGrantsTo('one', 'app')).toBe(0);
    });

    it('prunes what expired, and keeps what lives', async () => {
      await records.upsert('AccessToken', 'old', { jti: 'old' }, -100);
      await records.upsert('AccessToken', 'live', { jti: 'live' }, 100);
      expect(await records.prune(15)).toBeGreaterThanOrEqual(1);
      expect(await records.find('AccessToken', 'old')).toBeUndefined();
      expect(await records.find('AccessToken', 'live')).toBeDefined();
    });
  });

  it('SEC-36 remembers a consent until it is revoked', async () => {
    const consents = openConsents(opened.database);
    const [account] = await accounts.create([person('consent@example.test')]);
    const id = account?.id ?? '';
    await consents.give(id, 'app', ['openid', 'email'], 60);
    await consents.give(id, 'app', ['profile', 'email'], 60);
    await consents.give(id, 'third', ['openid'], 60);
    expect((await consents.list(id)).map(({ clientId }) => clientId)).toEqual(['app', 'third']);
    expect(new Set(await consents.find(id, 'app', 60))).toEqual(new Set(['openid', 'email', 'profile']));
    expect(await consents.find(id, 'other', 60)).toEqual([]);
    expect(await consents.find(id, 'app', -60)).toEqual([]);
    await consents.revoke(id, 'app');
    expect(await consents.find(id, 'app', 60)).toEqual([]);
  });

  it('keeps page sessions under a digest until they expire', async () => {
    const sessions = openPageSessions(opened.database);
    const get = (id: string) =>
      new Promise((resolve, reject) => sessions.get(id, (error, found) => (error ? reject(error) : resolve(found))));
    const set = (id: string, expires: Date) =>
      new Promise<void>((resolve, reject) =>
        sessions.set(id, { cookie: { expires }, csrf: 'x' } as never, (error) => (error ? reject(error) : resolve())),
      );
    await set('page-1', new Date(Date.now() + 60_000));
    await set('page-2', new Date(Date.now() - 60_000));
    expect(await get('page-1')).toMatchObject({ csrf: 'x' });
    expect(await get('page-2')).toBeNull();
    expect(JSON.stringify(await opened.database('page_sessions').select('*'))).not.toContain('page-1');
    expect(await sessions.prune()).toBe(1);
  });

  it('of several instances that make a key of one kind at once, one wins', async () => {
    const keys = openServiceKeys(opened.database);
    const add = (after: string | undefined, ids: string[]) =>
      Promise.all(ids.map((id) => keys.add({ id, kind: 'ES256', material: id, activeAt: 5 }, after)));
    expect((await add(undefined, ['a', 'b', 'c', 'd'])).filter(Boolean)).toHaveLength(1);
    const [first] = await keys.list();
    expect((await add(first?.id, ['e', 'f', 'g'])).filter(Boolean)).toHaveLength(1);
    expect(await keys.list()).toHaveLength(2);
    expect(await keys.remove([first?.id ?? '', 'lock'])).toBe(1);
  });
});
