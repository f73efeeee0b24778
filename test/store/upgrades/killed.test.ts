// SEC-49: a process that is killed in the middle of the migrations, again and again, leaves neither a lock nor half of one behind: the
// next one goes on where it was, and the data of the release before is whole.

import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { openSeals } from '#store/audit/audit-chain.ts';
import { verifyTrail } from '#store/audit/verify-trail.ts';
import { openDatabase } from '#store/database/connection.ts';
import { migrate, migrationStatus } from '#store/database/migrate.ts';
import { inherited } from '#support/cli/hygie.ts';
import { ENGINES, newDatabase, openTestDatabase } from '#support/databases.ts';
import { loadFixture } from '#support/upgrades/fixtures.ts';
import { schemaOf } from '#support/upgrades/schema-of.ts';

const PROGRAM = fileURLToPath(new URL('../../support/upgrades/migrate-and-die.ts', import.meta.url));
/** Of the last release whose audit trail was no chain. */
const OLD = 'c244ad0';
const KILLS = 3;
/** Milliseconds for that many processes, one after the other, on a busy machine. */
const PROCESSES = 90_000;

describe.each(ENGINES)('SEC-49 kill -9 in the middle of the migrations, on %s', (engine) => {
  it(
    'heals at the next start',
    async () => {
      const { settings, remove } = await newDatabase(engine);
      const database = openDatabase(settings);
      const moments: number[] = [];
      try {
        await loadFixture(database, engine, OLD);
        const records = await database('audit_events').count({ n: '*' }).first();
        let before = (await migrationStatus(database)).applied.length;
        for (let kill = 0; kill < KILLS; kill += 1) {
          // All of them take some hundred statements.
          moments.push(randomInt(3, 25));
          const env = {
            ...inherited(),
            UPGRADE_DATABASE: JSON.stringify(settings),
            UPGRADE_KILL_AT: `${moments.at(-1)}`,
          };
          const [, signal] = await once(spawn(process.execPath, [PROGRAM], { env, stdio: 'ignore' }), 'close');
          expect([moments, signal]).toEqual([moments, 'SIGKILL']);
          const { applied } = await migrationStatus(database);
          expect(applied.length).toBeGreaterThanOrEqual(before);
          before = applied.length;
        }
        const waited: string[] = [];
        await migrate(database, (reason) => void waited.push(reason));
        // PostgreSQL notices within moments that the last one is gone; the lock of Knex, which nobody would free, is not taken.
        expect(waited.filter((reason) => reason.includes('older release'))).toEqual([]);
        const fresh = await openTestDatabase(engine);
        const [is, shouldBe] = [await schemaOf(database), await schemaOf(fresh.database)];
        await fresh.close();
        expect(is).toEqual(shouldBe);
        const trail = await verifyTrail(database, await openSeals([]));
        expect(trail).toMatchObject({ faults: [], records: Number(records?.['n']) + 1 });
      } finally {
        await database.destroy();
        await remove();
      }
    },
    PROCESSES,
  );
});
