// docs/operating/scaling-out.md, "A PostgreSQL that fails over": each statement of an import may be lost with its connection.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { newFolder } from '#support/new-folder.ts';
import { openedForAll } from '#support/opened.ts';

// The pauses before a statement is repeated are not waited for.
const timers = await import('node:timers/promises');
jest.unstable_mockModule('node:timers/promises', () => ({ ...timers, setTimeout: async () => {} }));
const { importEdition } = await import('#import/locked-import.ts');
const { openLinkedAccounts } = await import('#server/linked-accounts/linked-accounts.ts');
const { listSnapshots, readPointer } = await import('#store/snapshots/registry.ts');
const { judgementOf, lastRefusal } = await import('#store/snapshots/judgements.ts');
const { openTestDatabase } = await import('#support/databases.ts');
const { activity, registerText, SETTINGS } = await import('#support/import/register-files.ts');

describe('an import that loses the answer to each statement once', () => {
  const opened = openedForAll(() => openTestDatabase('postgresql'));
  const settings = {
    ...SETTINGS,
    dataFolder: newFolder(),
    directory: { ...SETTINGS.directory, distribution: 'database' as const },
    keys: { secrets: ['a-secret-of-the-test-run-that-opens-nothing'], rotateAfter: 1, cachedFor: 1 },
  };

  /** Imports a register of these people, while the connection is lost at each statement that is not in `lost` yet. */
  async function runLosing(names: readonly string[], options: { foundIn?: string; dryRun?: boolean } = {}) {
    const { database } = opened;
    const folder = newFolder();
    const lines = names.map((name, number) =>
      activity({ 1: `1900000001${number}`, 2: `81900000001${number}`, 7: name }),
    );
    writeFileSync(join(folder, 'activities.txt'), registerText('activities', lines));
    const lost = new Set<string>();
    const client = Object.getPrototypeOf(database.client);
    const query = client._query;
    const losing = jest.spyOn(client, '_query').mockImplementation(async function (this: unknown, ...args: unknown[]) {
      const { sql } = args[1] as { sql: string };
      // Whoever loses the end of a transaction does not know how it ended; `publish` looks whether it was made.
      if (lost.has(sql) || /^(COMMIT|ROLLBACK)/.test(sql)) return query.apply(this, args);
      lost.add(sql);
      throw new Error('Connection terminated unexpectedly');
    });
    try {
      const linkedAccounts = openLinkedAccounts(database, settings, 'service');
      const report = await importEdition({ paths: [folder], settings, database, linkedAccounts, ...options });
      return { outcome: report.outcome, lost: [...lost] };
    } finally {
      losing.mockRestore();
    }
  }

  it('imports, compares with the edition before, finds the same one, and refuses as ever', async () => {
    const { database } = opened;
    const outcomes: string[] = [];
    const lost: string[] = [];
    const run = async (...args: Parameters<typeof runLosing>) => {
      const done = await runLosing(...args);
      outcomes.push(done.outcome);
      lost.push(...done.lost);
    };
    await run(['MARTIN', 'DURAND']);
    const { current: first } = await readPointer(database);
    await run(['MARTIN', 'DURAND', 'PETIT'], { foundIn: '/incoming' });
    await run(['MARTIN', 'DURAND', 'PETIT']);
    await run(['MARTIN', 'DURAND', 'LEROY'], { dryRun: true });
    expect(outcomes).toEqual(['imported', 'imported', 'unchanged', 'checked']);
    const { current, previous } = await readPointer(database);
    expect([previous, (await listSnapshots(database)).length]).toEqual([first, 2]);
    expect(await judgementOf(database, current as string)).toMatchObject({ counts: { Practitioner: 3 } });
    expect(lost.length).toBeGreaterThan(60);
    await run(['AUTRE']);
    expect([outcomes[4], (await readPointer(database)).current]).toEqual(['refused', current]);
    expect(await lastRefusal(database)).toBeDefined();
  });
});
