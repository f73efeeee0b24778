// SEC-49: a process that is killed in the middle of the migrations, again and again, leaves neither a lock nor half of a migration behind.
// The next process goes on where it was.

import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { openDatabase } from '#store/database/connection.ts';
import { migrate, migrationStatus } from '#store/database/migrate.ts';
import { bothEngines } from '#support/both-engines.ts';
import { inherited } from '#support/cli/hygie.ts';
import { newDatabase, openTestDatabase } from '#support/databases.ts';
import { schemaOf } from '#support/upgrades/schema-of.ts';

const ENGINES = bothEngines('store/upgrades/killed.system');

const PROGRAM = fileURLToPath(new URL('../../support/upgrades/migrate-and-die.ts', import.meta.url));
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
        for (let kill = 0; kill < KILLS; kill += 1) {
          // The first migration alone takes some sixty statements.
          moments.push(randomInt(3, 55));
          const env = {
            ...inherited(),
            UPGRADE_DATABASE: JSON.stringify(settings),
            UPGRADE_KILL_AT: `${moments.at(-1)}`,
          };
          const [, signal] = await once(spawn(process.execPath, [PROGRAM], { env, stdio: 'ignore' }), 'close');
          expect([moments, signal]).toEqual([moments, 'SIGKILL']);
          expect((await migrationStatus(database)).applied).toEqual([]);
        }
        const waited: string[] = [];
        await migrate(database, (reason) => void waited.push(reason));
        // PostgreSQL notices within moments that the last one is gone; the lock of Knex, which nobody would free, is not taken.
        expect(waited.filter((reason) => reason.includes('older release'))).toEqual([]);
        const fresh = await openTestDatabase(engine);
        const [is, shouldBe] = [await schemaOf(database), await schemaOf(fresh.database)];
        await fresh.close();
        expect(is).toEqual(shouldBe);
      } finally {
        await database.destroy();
        await remove();
      }
    },
    PROCESSES,
  );
});
