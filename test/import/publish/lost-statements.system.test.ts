// docs/operating/scaling-out.md, "A PostgreSQL that fails over": each statement of an import may be lost with its connection.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import type { AuditEventName } from '#shared/audit/events.ts';
import { newFolder } from '#support/new-folder.ts';
import { openedForEach } from '#support/opened.ts';

// The pauses before a statement is repeated are short. In that time, the server notices that a connection is lost, and releases its locks.
const timers = await import('node:timers/promises');
jest.unstable_mockModule('node:timers/promises', () => ({ ...timers, setTimeout: () => timers.setTimeout(20) }));
const { importEdition } = await import('#import/locked-import.ts');
const { openLinkedAccounts } = await import('#server/linked-accounts/linked-accounts.ts');
const { openAccounts } = await import('#store/accounts/accounts.ts');
const { openAuditEvents } = await import('#store/audit/audit-events.ts');
const { listSnapshots, readPointer } = await import('#store/snapshots/registry.ts');
const { judgementOf, lastRefusal } = await import('#store/snapshots/judgements.ts');
const { openTestDatabase } = await import('#support/databases.ts');
const { activity, registerText, SETTINGS } = await import('#support/import/register-files.ts');

const LOST = new Error('Connection terminated unexpectedly');
/** A client whose connection is lost cannot know how its transaction ended. What asks this, or ends it, is not lost again. */
const ENDS = /^(ROLLBACK|select 1$)/;
const rppsOf = (number: number) => `1900000001${number}`;

describe.each(['before', 'after'] as const)('an import whose connection is lost %s each statement, once', (when) => {
  const opened = openedForEach(() => openTestDatabase('postgresql'));

  it('imports, compares with the edition before and with accounts, finds the same one, and refuses as ever', async () => {
    const { database } = opened;
    const settings = {
      ...SETTINGS,
      dataFolder: newFolder(),
      directory: { ...SETTINGS.directory, distribution: 'database' as const },
      keys: { secrets: ['a-secret-of-the-test-run-that-opens-nothing'], rotateAfter: 1, cachedFor: 1 },
    };
    const lost = new Set<string>();
    const outcomes: string[] = [];
    const client = Object.getPrototypeOf(database.client);
    const query = client._query;

    /** Imports a register of these people, by their numbers. */
    async function run(people: Record<number, string>, options: { foundIn?: string; dryRun?: boolean } = {}) {
      const folder = newFolder();
      const lines = Object.entries(people).map(([number, name]) =>
        activity({ 1: rppsOf(Number(number)), 2: `8${rppsOf(Number(number))}`, 7: name }),
      );
      writeFileSync(join(folder, 'activities.txt'), registerText('activities', lines));
      const inThisRun = new Set<string>();
      const losing = jest.spyOn(client, '_query').mockImplementation(async function (
        this: unknown,
        ...args: unknown[]
      ) {
        const { sql } = args[1] as { sql: string };
        if (inThisRun.has(sql) || ENDS.test(sql)) return query.apply(this, args);
        lost.add(sql);
        inThisRun.add(sql);
        if (when === 'after') await query.apply(this, args);
        const connection = args[0] as { __knex__disposed?: unknown; connection: { stream: { destroy(): void } } };
        connection.__knex__disposed = LOST;
        connection.connection.stream.destroy();
        throw LOST;
      });
      try {
        const linkedAccounts = openLinkedAccounts(database, settings, 'service');
        const report = await importEdition({ paths: [folder], settings, database, linkedAccounts, ...options });
        outcomes.push(report.outcome);
        return report;
      } finally {
        losing.mockRestore();
      }
    }
    const events = async (event: AuditEventName) =>
      (await openAuditEvents(database).search({ events: [event], limit: 9 })).map(({ details }) => details?.['change']);

    await run({ 1: 'MARTIN', 2: 'DURAND' });
    const { current: first } = await readPointer(database);
    await openAccounts(database).create([
      { email: 'a@c.example', name: 'A', practitioners: [`8${rppsOf(2)}`] } as never,
    ]);
    await run({ 1: 'MARTIN', 3: 'PETIT' }, { foundIn: '/incoming' });
    expect(await events('account.link-suspended')).toEqual(['left']);
    // As after an upgrade from a release that compared no accounts: the same edition compares them.
    await database('accounts').update({ link_changes: null });
    const same = await run({ 1: 'MARTIN', 3: 'PETIT' });
    expect([same.linkedAccounts?.changed.left, await events('account.link-suspended')]).toEqual([1, ['left', 'left']]);
    await run({ 1: 'MARTIN', 3: 'PETIT', 4: 'LEROY' }, { dryRun: true });
    expect(outcomes).toEqual(['imported', 'imported', 'unchanged', 'checked']);
    const { current, previous } = await readPointer(database);
    expect([previous, (await listSnapshots(database)).length]).toEqual([first, 2]);
    expect(await judgementOf(database, current as string)).toMatchObject({ counts: { Practitioner: 2 } });
    await run({ 5: 'AUTRE' });
    expect([outcomes[4], (await readPointer(database)).current]).toEqual(['refused', current]);
    expect(await lastRefusal(database)).toBeDefined();
    expect(lost.size).toBeGreaterThan(25);
  });
});
