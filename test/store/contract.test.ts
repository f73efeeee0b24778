// One contract for the tables of the main database, run on SQLite and on a real PostgreSQL.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { migrationStatus } from '#store/database/migrate.ts';
import { AlreadyConsumed, type OidcRecords, openOidcRecords } from '#store/oidc/oidc-records.ts';
import { openServiceKeys } from '#store/oidc/service-keys.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { openedForAll } from '#support/opened.ts';

describe.each(bothEngines('store/contract'))('store on %s', (engine) => {
  withOwnSnapshots(import.meta.filename);
  let records: OidcRecords;

  const opened = openedForAll(() => openTestDatabase(engine));
  beforeAll(() => {
    records = openOidcRecords(opened.database);
  });

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
    const [columnsOfTables, allIndexes] = [await rows(columns ?? ''), await rows(indexes ?? '')];
    // One line for each table, as SQLite has them.
    const tables = Map.groupBy(columnsOfTables, (row) => (isSqlite ? row : row.replace(/ .*/, '')));
    const lines = [...tables].map(([table, list]) =>
      isSqlite ? table : `${table}: ${list.map((row) => row.slice(table.length).trim()).join(', ')}`,
    );
    const named = allIndexes.map((index) => index.replaceAll(/^CREATE | USING btree/g, ''));
    // Primary keys of PostgreSQL in one line.
    const [keys, others] = [
      named.filter((one) => one.includes('_pkey')),
      named.filter((one) => !one.includes('_pkey')),
    ];
    expect([...lines, ...others, keys.map((key) => key.replace(/^.* ON /, '')).join(', ')]).toMatchSnapshot();
  });

  describe('records of the OpenID provider', () => {
    it('SEC-10 lets exactly one of 50 parallel uses consume a code', async () => {
      await records.upsert('AuthorizationCode', 'code-1', { jti: 'code-1' }, 60);
      const uses = await Promise.allSettled(
        Array.from({ length: 50 }, () => records.consume('AuthorizationCode', 'code-1')),
      );
      expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const use of uses) if (use.status === 'rejected') expect(use.reason).toBeInstanceOf(AlreadyConsumed);
      expect((await records.find('AuthorizationCode', 'code-1'))?.consumed).toBeGreaterThan(0);
    });

    it('SEC-16 keeps no token, code, session or grant id in clear', async () => {
      const secret = 'a-very-recognisable-secret-value';
      await records.upsert('AccessToken', secret, { jti: secret, grantId: 'g' }, 60);
      await records.upsert('Interaction', 'i1', { jti: 'i1', session: { uid: 'u', cookie: secret } } as never, 60);
      const dump = JSON.stringify(await opened.database('oidc_records').select('*'));
      expect(dump).not.toContain(secret);
      expect(await records.find('Interaction', 'i1')).toMatchObject({ session: { uid: 'u' } });
    });
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
