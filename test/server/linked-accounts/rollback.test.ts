// Decision 0067: a rollback compares the accounts with the edition that it brings back, and records the changes once that edition is in force.

import { mkdirSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { compareAroundSwitch } from '#server/linked-accounts/linked-accounts.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { activateSnapshot, findSnapshot, registerSnapshot, rollBack } from '#store/snapshots/registry.ts';
import { openTestDatabase } from '#support/databases.ts';
import { newFolder } from '#support/new-folder.ts';
import { practitioner } from '#support/search-index/naive.ts';
import { writtenFile } from '#support/search-index/written-snapshot.ts';
import { snapshotEntry } from '#support/store/snapshot-entry.ts';

it('a rollback records the links that it suspends, and a second one those that hold again', async () => {
  const { database, close } = await openTestDatabase('sqlite');
  try {
    const dataFolder = newFolder();
    const settings = { dataFolder, keys: { secrets: [] } as never };
    const folder = snapshotFolder(dataFolder);
    mkdirSync(folder);
    const [person] = await openAccounts(database).create([{ email: 'a@c.example', name: 'A', practitioners: ['1'] }]);
    const editions = [
      ['A', 'Jeanne', 'Martin'],
      ['B', 'Paul', 'Durand'],
    ] as const;
    for (const [id, given, family] of editions) {
      await writtenFile([practitioner('1', '1', {}, { name: [{ given: [given], family }] })], { folder, id });
      await registerSnapshot(database, snapshotEntry(id));
      await activateSnapshot(database, id);
    }
    const events = async () =>
      (await openAuditEvents(database).search({ limit: 9 })).map(({ event, actor, account, details }) => [
        event,
        actor,
        account === person?.id,
        details,
      ]);
    const switchTo = async (id: string, from: string) => {
      const between = { from: await findSnapshot(database, from), to: await findSnapshot(database, id) };
      const before = await events();
      return compareAroundSwitch(database, settings, 'operator:a', between, async () => {
        expect(await events()).toEqual(before);
        return rollBack(database);
      });
    };
    const recorded = (event: string, details: object) => [event, 'operator:a', true, expect.objectContaining(details)];

    expect(await switchTo('A', 'B')).toMatchObject({ current: 'A', previous: 'B' });
    const suspended = { change: 'other', edition: 'A', record: 'Practitioner/1', was: 'Paul Durand' };
    const first = recorded('account.link-suspended', { ...suspended, now: 'Jeanne Martin' });
    expect(await events()).toEqual([first]);
    expect(await findSnapshot(database, 'A')).toHaveProperty('linksComparedAt');
    await switchTo('B', 'A');
    const again = recorded('account.link-restored', { edition: 'B', record: 'Practitioner/1' });
    expect(await events()).toEqual([first, again]);
  } finally {
    await close();
  }
});
