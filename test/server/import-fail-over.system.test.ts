// docs/operating/scaling-out.md, "A PostgreSQL that fails over": an import that meets it loses nothing, and one that begins meanwhile waits.

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { launch } from '#support/cli/serving.ts';
import { activity, registerText } from '#support/import/register-files.ts';
import { newFolder } from '#support/new-folder.ts';
import { type ReplicatedPostgres, startReplicatedPostgres } from '#support/replicated-postgres.ts';
import { until } from '#support/until.ts';

/** Servers are started, and imports wait for them. */
const SLOW = 120_000;
const IMPORT = ['directory', 'import', '--json', '--accept', 'other-people,partial'];

/** A folder with a register of these people. */
function register(...names: string[]): string {
  const folder = newFolder();
  const lines = names.map((name, number) => activity({ 1: `1900000001${number}`, 2: `81900000001${number}`, 7: name }));
  writeFileSync(join(folder, 'activities.txt'), registerText('activities', lines));
  return folder;
}

describe('imports around a fail-over', () => {
  let postgres: ReplicatedPostgres;
  let place: Installation;
  const start = (...args: string[]) => launch(place, args, { DATABASE_URL: postgres.url });
  const records = async (port: 'primary' | 'replica') =>
    Number(
      (await postgres[port].sql("select count(*) as n from audit_events where event = 'directory.imported'"))[0]?.['n'],
    );

  beforeAll(async () => {
    postgres = await startReplicatedPostgres();
    place = installation({ DATABASE_URL: postgres.url });
    expect(await place.hygie(['migrate'])).toMatchObject({ code: 0 });
  }, SLOW);
  afterAll(() => postgres?.remove());

  it(
    'one that is under way ends well, with its audit record; one that begins without a primary waits for it',
    async () => {
      const running = start(...IMPORT, register('MARTIN'));
      const isBuilding = () =>
        readdirSync(place.folder, { recursive: true }).some((name) => String(name).endsWith('.sqlite.pending'));
      await until(isBuilding, 'a snapshot is made');
      running.child.kill('SIGSTOP');
      await postgres.primary.stop('immediate');
      running.child.kill('SIGCONT');
      // It gets so far that it needs the database.
      await setTimeout(2000);
      await postgres.replica.promote();
      expect([await running.ended, running.output()]).toEqual([0, expect.stringContaining('"outcome": "imported"')]);
      expect(await records('replica')).toBe(1);

      await postgres.replica.stop('fast');
      const waiting = start(...IMPORT, register('MARTIN', 'DURAND'));
      await waiting.outputMatching(/waiting for 30 s at most/);
      await postgres.replica.start();
      expect(await waiting.ended).toBe(0);
      expect(await records('replica')).toBe(2);
    },
    SLOW,
  );
});
