// SEC-67: a database of the version before keeps its records when they are chained, and an instance of that version goes on writing
// while instances are replaced one by one. On both engines.

import { describe, expect, it } from '@jest/globals';
import { openSeals } from '#store/audit/audit-chain.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { verifyTrail } from '#store/audit/verify-trail.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { migrate } from '#store/database/migrate.ts';
import { migrationNames } from '#store/database/migration-source.ts';
import { withoutTriggers } from '#support/audit-trail.ts';
import { ENGINES, newDatabase } from '#support/databases.ts';

const CHAIN = '20261122000350_audit_chain.ts';
const DAY = 86_400_000;

/** As the version before wrote them. */
const oldRows = (count: number, from: number) =>
  Array.from({ length: count }, (_, place) => ({
    at_ms: from + place,
    event: 'token.issued',
    outcome: 'success',
    actor: 'client:app',
    client_id: 'app',
    details: JSON.stringify({ grant: 'authorization_code', scope: 'openid é' }),
  }));

async function migrateToVersionBefore(database: Database): Promise<void> {
  for (const name of migrationNames().filter((name) => name < CHAIN)) await database.migrate.up({ name });
}

describe.each(ENGINES)('SEC-67 the update of a trail without a chain, on %s', (engine) => {
  it('chains what is there in its order, and takes what the version before still writes', async () => {
    const { settings, remove } = await newDatabase(engine);
    const database = openDatabase(settings);
    try {
      await migrateToVersionBefore(database);
      await database.batchInsert('audit_events', oldRows(2100, Date.now() - 400 * DAY), 100);
      await database.batchInsert('audit_events', oldRows(30, Date.now() - DAY), 100);
      const before = await openAuditEvents(database).search({ limit: 10_000 });
      await migrate(database);
      const unsealed = await openSeals([]);
      const verify = () => verifyTrail(database, unsealed);
      expect(await verify()).toMatchObject({ faults: [], records: 2131, last: { sequence: 2131 } });
      const events = openAuditEvents(database);
      const after = await events.search({ limit: 10_000 });
      expect(after.slice(0, -1)).toEqual(before);
      expect(after.at(-1)).toMatchObject({ event: 'audit.chained', details: { records: 2130 } });

      // An instance of the version before: it writes rows without a number, and its clean-up is refused.
      await database('audit_events').insert(oldRows(3, Date.now()));
      await events.append(after.slice(0, 2));
      const old = database('audit_events').where('at_ms', '<', Date.now() - 365 * DAY);
      await expect(old.delete()).rejects.toThrow(/only the clean-up/);
      expect(await verify()).toMatchObject({ faults: [], records: 2133, ofUpdate: { length: 3 } });

      while ((await events.prune(Date.now() - 365 * DAY)) > 0);
      expect(await verify()).toMatchObject({
        faults: [],
        records: 33,
        pruned: { sequence: 2100 },
        ofUpdate: { length: 3 },
      });

      // A year later, and a record that claims to be of the version before though none runs any more.
      await database('audit_events').insert(oldRows(1, Date.now() - 2 * DAY));
      expect((await verify()).faults).toMatchObject([{ problem: expect.stringContaining('inserted') }]);
      await withoutTriggers(database, () =>
        database('audit_events').where({ sequence: 2110 }).update({ actor: 'client:x' }),
      );
      expect((await verify()).faults).toMatchObject([{ sequence: 2110 }, {}]);
    } finally {
      await database.destroy();
      await remove();
    }
  });
});
