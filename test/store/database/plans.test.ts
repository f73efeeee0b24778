// SEC-49: statements by name keep the plan of their first uses. One that was prepared while the tables were small finds its rows by an index
// when they are large, also before PostgreSQL has looked at them anew (autovacuum).

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { openDatabase } from '#store/database/connection.ts';
import { openConsents } from '#store/oidc/consents.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';

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

describe('SEC-49 on a database that was small when a statement was prepared', () => {
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
      // Also not a whole index, or all rows of a model.
      const byKey = /^.*Scan.* on oidc_records.*\n +Index Cond: .*\((?:id|uid|grant_id)\)::text = /gm;
      const left = plan.replaceAll(byKey, '');
      if (/Seq Scan|Scan.* on oidc_records|Join Filter/.test(left)) scans.push(plan);
    }
    expect(scans).toEqual([]);
  });
});
