// Decision 67: what an import reports of the accounts that it suspends, and what the audit trail has of them once its edition is in force.

import { expect, it } from '@jest/globals';
import { openLinkedAccounts } from '#server/linked-accounts/linked-accounts.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForEach } from '#support/opened.ts';

const opened = openedForEach(() => openTestDatabase('sqlite'));

/** A snapshot with these resources, by type and id, that notes what is read of it. */
function edition(id: string, resources: Record<string, object>) {
  const reads: string[] = [];
  const snapshot = {
    id,
    read: async (type: string, one: string) => {
      reads.push(`${type}/${one}`);
      const found = resources[`${type}/${one}`];
      return found && { json: JSON.stringify({ resourceType: type, ...found }) };
    },
    gone: async (_type: string, one: string) => (one === '2' ? {} : undefined),
    search: async () => ({ matches: [], more: false }),
  };
  return { snapshot: snapshot as never, reads };
}
const person = (given: string, family: string) => ({ name: [{ given: [given], family }] });
const structure = (name: string, postalCode: string) => ({ name, address: [{ postalCode }] });

it('counts links that left, are of others, are unknown or hold again, and records each of them once', async () => {
  const people = openAccounts(opened.database);
  const created = await people.create([
    { email: 'a@c.example', name: 'A', practitioners: ['1'], workspaces: ['h'] },
    { email: 'b@c.example', name: 'B', practitioners: ['2'], workspaces: ['h'] },
    { email: 'c@c.example', name: 'C', practitioners: ['3'], workspaces: ['k'] },
  ]);
  const ids = created.map(({ id }) => id);
  const same = { 'Organization/h': structure('Hospital', '69003'), 'Organization/k': structure('Clinic', '38000') };
  const before = edition('A', {
    'Practitioner/1': person('Jeanne', 'Martin'),
    'Practitioner/2': person('Zoé', 'Petit'),
    ...same,
  });
  const next = edition('B', {
    ...same,
    'Practitioner/1': person('Paul', 'Durand'),
    'Organization/k': structure('Pharmacy', '13001'),
  });
  const linked = openLinkedAccounts(
    opened.database,
    { dataFolder: '/data', keys: { secrets: [] } as never },
    'service',
  );
  const report = await linked.compare(
    { snapshot: next.snapshot, before: { id: 'A', snapshot: before.snapshot } },
    { store: true },
  );
  expect(report).toEqual({ accounts: 3, left: 1, other: 2, missing: 1, changed: { left: 1, other: 2, held: 0 } });
  // A hospital is read once for all who work there.
  expect(next.reads.filter((one) => one === 'Organization/h')).toHaveLength(1);
  expect(await openAuditEvents(opened.database).search({ limit: 9 })).toEqual([]);
  await linked.inForce(next.snapshot);
  const told = async () =>
    (await openAuditEvents(opened.database).search({ limit: 99 }))
      .map(({ event, account, details }) => [event, `account ${ids.indexOf(account ?? '')}`, details] as const)
      .sort(([, one], [, other]) => one.localeCompare(other));
  expect(await told()).toMatchSnapshot();
  await linked.inForce(next.snapshot);
  expect(await told()).toHaveLength(3);

  const back = edition('C', {
    'Practitioner/1': person('Jeanne', 'Martin'),
    'Practitioner/2': person('Zoé', 'Petit'),
    ...same,
  });
  const again = openLinkedAccounts(
    opened.database,
    { dataFolder: '/data', keys: { secrets: [] } as never },
    'operator:a',
  );
  expect(
    await again.compare({ snapshot: back.snapshot, before: { id: 'B', snapshot: next.snapshot } }, { store: true }),
  ).toEqual({
    accounts: 3,
    left: 0,
    other: 0,
    missing: 1,
    changed: { left: 0, other: 0, held: 3 },
  });
  await again.inForce(back.snapshot);
  expect((await told()).filter(([event]) => event === 'account.link-restored')).toHaveLength(3);
});
