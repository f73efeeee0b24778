// Prepared statements, their plans, and the libraries that run them.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { openDatabase } from '#store/database/connection.ts';
import { PLACEHOLDER, type Prepared, prepare } from '#store/database/prepared.ts';
import { openConsents } from '#store/oidc/consents.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';

// Statements that run at every request: many at once, beside transactions, and with errors among them.
describe.each(bothEngines('store/database/prepared'))('prepared statements on %s', (engine) => {
  let insert: Prepared<unknown>;
  let remove: Prepared<unknown>;
  let count: Prepared<{ n: number | string }>;
  const opened = openedForAll(() => openTestDatabase(engine));
  beforeAll(async () => {
    await opened.database.schema.createTable('kept', (table) => {
      table.integer('id').primary();
      table.string('name').notNullable();
    });
    insert = prepare(opened.database, (knex) => knex('kept').insert({ id: PLACEHOLDER, name: PLACEHOLDER }));
    remove = prepare(opened.database, (knex) => knex('kept').where('name', PLACEHOLDER).delete());
    count = prepare(opened.database, (knex) => knex('kept').count({ n: '*' }).where('id', '>=', PLACEHOLDER));
  });
  beforeEach(() => opened.database('kept').delete());
  const rows = async () => Number((await count(0)).rows[0]?.n);

  it('written at the same time are all there, and each knows what it changed', async () => {
    const written = await Promise.all(Array.from({ length: 40 }, (_, id) => insert(id, id % 2 ? 'odd' : 'even')));
    expect(written.map(({ changed }) => changed)).toEqual(Array(40).fill(1));
    expect(await rows()).toBe(40);
    const removed = await Promise.all([remove('odd'), remove('odd'), remove('none')]);
    expect(removed.map(({ changed }) => changed).toSorted()).toEqual([0, 0, 20]);
  });

  it('of which one fails, the others stand', async () => {
    await insert(7, 'first');
    const ids = [5, 6, 7, 8];
    const failed: unknown[] = [];
    const note = (error: Error) => failed.push(error.message);
    opened.database.on('query-error', note);
    const written = await Promise.allSettled([...ids.map((id) => insert(id, 'second')), insert(9, null)]);
    expect(written.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ]);
    // As for those that Knex runs itself.
    opened.database.removeListener('query-error', note);
    expect(failed).toHaveLength(2);
    expect(await rows()).toBe(4);
    await insert(10, 'third');
    expect(await rows()).toBe(5);
  });

  it('are no part of a transaction that is open elsewhere, and outlive its end', async () => {
    const transaction = await opened.database.transaction();
    await transaction('kept').insert({ id: 1, name: 'undone' });
    const beside = insert(2, 'kept');
    const read = rows();
    await transaction.rollback();
    await beside;
    expect(await read).toBeLessThan(2);
    expect(await rows()).toBe(1);
    // A transaction that begins before writes of the same turn are committed.
    const late = insert(3, 'kept');
    const second = await opened.database.transaction();
    await second('kept').insert({ id: 4, name: 'undone' });
    await second.rollback();
    await late;
    expect((await opened.database('kept').select('id').orderBy('id')).map(({ id }) => id)).toEqual([2, 3]);
  });

  it('are refused when the database is closed, instead of waiting', async () => {
    const other = await openTestDatabase(engine);
    const ask = prepare(other.database, (knex) => knex('accounts').count({ n: '*' }));
    await ask();
    await other.close();
    await expect(ask()).rejects.toThrow();
  });
});

// SEC-49: statements by name keep the plan of their first uses. One that was prepared while the tables were small finds its rows by an index
// when they are large, also before PostgreSQL has looked at them anew (autovacuum).
describe('SEC-49 on a database that was small when a statement was prepared', () => {
  let opened: TestDatabase;
  let service: Knex;
  beforeAll(async () => {
    opened = await openTestDatabase('postgresql');
    await opened.database.raw('alter table oidc_records set (autovacuum_enabled = off)');
    if (opened.settings.engine !== 'postgresql') throw new Error('not on PostgreSQL');
    // One connection, which keeps the plans of all.
    service = openDatabase({ ...opened.settings, connections: 1 }, { warn: () => {} });
  });
  afterAll(async () => {
    await service.destroy();
    await opened.close();
  });

  const grow = (from: number, to: number) =>
    opened.database.raw(
      `insert into oidc_records (model, id, payload, expires_at, uid, grant_id)
     select (array['AccessToken', 'Session', 'Grant'])[1 + n % 3], md5(n::text), '{}', 2000000000, n::text, n::text
     from generate_series(?::int, ?::int) n`,
      [from, to],
    );

  it('every statement by name reads its rows by an index once the tables have grown', async () => {
    const records = openOidcRecords(service);
    const consents = openConsents(service);
    await grow(1, 20);
    await opened.database.raw('analyze');
    const use = async (id: string) => {
      await records.upsert('AccessToken', id, { uid: id, grantId: id }, 60);
      await records.findTokenContext(id);
      await records.find('AccessToken', id);
      await records.find('Session', id);
      await records.findSession(id);
      await records.findUse('RefreshToken', id);
      await records.read('AccessToken', id);
      await records.update('AccessToken', id, { uid: id }, 60);
      await records.consume('AccessToken', id);
      for (const issued of [['IdToken'], ['IdToken', 'Nonce']]) {
        await records.upsert('RefreshToken', `${id}-${issued.length}`, { uid: id }, 60);
        const all = issued.map((model) => ({ model, id: `${id}-${issued.length}`, payload: {}, expiresIn: 60 }));
        await records.consume('RefreshToken', `${id}-${issued.length}`, 'next', all);
      }
      await records.destroySession(id);
      await records.destroySession(id, id);
      await records.destroyByGrant('RefreshToken', id);
      await records.destroy('AccessToken', id);
      await consents.find('nobody', 'none', 60);
    };
    // The plan for any values is made at the sixth use.
    for (let times = 0; times < 8; times += 1) await use(`small-${times}`);
    await grow(21, 20_000);
    const plans: { name: string; parameters: number }[] = (
      await service.raw(
        `select name, cardinality(parameter_types) as parameters from pg_prepared_statements
         where statement like '%oidc_records%' or statement like '%consents%'`,
      )
    ).rows;
    expect(plans.length).toBeGreaterThan(12);
    const scans: string[] = [];
    await service.raw('set plan_cache_mode = force_generic_plan');
    for (const { name, parameters } of plans) {
      const explained = await service.raw(`explain execute "${name}"(${Array(parameters).fill('null').join(', ')})`);
      const plan = explained.rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n');
      // Also not a whole index, or all rows of a model. The rows of a bitmap of an index are read where its condition is checked again.
      const byKey = /^.*Scan.* on oidc_records.*\n +(?:Index|Recheck) Cond: .*\((?:id|uid|grant_id)\)::text = /gm;
      const left = plan.replaceAll(byKey, '');
      if (/Seq Scan|Scan.* on oidc_records|Join Filter/.test(left)) scans.push(plan);
    }
    expect(scans).toEqual([]);
  });
});
