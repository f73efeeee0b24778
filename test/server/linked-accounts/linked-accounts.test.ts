// Decision 0067: what is stored of links when an edition is compared, and what an import reports of them.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Snapshot } from '#search-index/index.ts';
import { compareLinks } from '#server/linked-accounts/compare-links.ts';
import { countChangedLinks, openLinkedAccounts } from '#server/linked-accounts/linked-accounts.ts';
import { type Accounts, openAccounts } from '#store/accounts/accounts.ts';
import { type AccountLinks, openAccountLinks } from '#store/accounts/links/account-links.ts';
import { withLinksInForce } from '#store/accounts/links/links-in-force.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { activateSnapshot, registerSnapshot } from '#store/snapshots/registry.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';
import { openedForEach } from '#support/opened.ts';

// Decision 0067: what is stored of links when an edition is compared, while operators link and other instances serve other editions.
type People = Record<string, readonly [given: string, family: string]>;

/** A snapshot that holds these people, by id. */
function edition(id: string, people: People, onRead = async (_id: string) => {}): Snapshot {
  const read = async (_type: string, practitioner: string) => {
    await onRead(practitioner);
    const [given, family] = people[practitioner] ?? [];
    const resource = { resourceType: 'Practitioner', name: [{ given: [given], family }] };
    return family === undefined ? undefined : { json: JSON.stringify(resource) };
  };
  return { id, read, gone: async () => undefined, search: async () => ({ matches: [], more: false }) } as never;
}

const JEANNE: People = { '1': ['Jeanne', 'MARTIN'] };
const PAUL: People = { '1': ['Paul', 'DURAND'] };

describe.each(bothEngines('server/linked-accounts/linked-accounts'))('links that are compared on %s', (engine) => {
  let opened: TestDatabase;
  let other: Database;
  let accounts: Accounts;
  let links: AccountLinks;
  let operators: AccountLinks;
  let count = 0;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
    // Another process: a connection of its own.
    other = openDatabase(opened.settings);
    accounts = openAccounts(opened.database);
    links = openAccountLinks(opened.database);
    operators = openAccountLinks(other);
  });
  afterAll(async () => {
    await other.destroy();
    await opened.close();
  });

  const added = async (...practitioners: string[]) => {
    const [created] = await accounts.create([{ email: `${++count}@c.example`, name: 'N', practitioners }]);
    return created?.id ?? '';
  };
  const compare = async (id: string, snapshot: Snapshot, before: Snapshot | undefined, ...kept: string[]) => {
    const force = before && { before: { id: before.id, snapshot: before } };
    const only = [await links.withIds([id])];
    return compareLinks({ links, edition: { snapshot, kept, ...force }, accounts: only });
  };
  const toldIn = async (id: string, inForce: string | undefined) => {
    const account = await accounts.find(id);
    return account && withLinksInForce(account, { id: inForce, hidden: new Set() }).practitioners;
  };

  it('an account of the release before is compared with the edition before the upgrade', async () => {
    const id = await added('1');
    const { events } = await compare(id, edition('B', PAUL), edition('A', JEANNE), 'A');
    expect(events).toEqual([
      { account: id, reference: 'Practitioner/1', change: 'other', was: 'Jeanne MARTIN', now: 'Paul DURAND' },
    ]);
  });

  it('each instance goes by the edition that it serves; unknown and later ones suspend what was suspended last', async () => {
    const id = await added('1');
    await compare(id, edition('B', PAUL), edition('A', JEANNE), 'A0', 'A');
    const told = await Promise.all(['A0', 'A', 'B', 'C', undefined].map((one) => toldIn(id, one)));
    expect(told).toEqual([['1'], ['1'], [], [], []]);
    // The first person is back in D: not so in B, to which a rollback may go.
    await compare(id, edition('D', JEANNE), edition('B', PAUL), 'A', 'B');
    expect(await Promise.all(['A', 'B', 'D'].map((one) => toldIn(id, one)))).toEqual([['1'], [], ['1']]);
    // Nothing is kept of it once B is dropped.
    await compare(id, edition('E', JEANNE), edition('D', JEANNE), 'A', 'D');
    expect(await accounts.find(id)).not.toHaveProperty('linkChanges');
  });

  it('small changes, one after another, are followed; an empty edition makes nobody forgotten', async () => {
    const id = await added('1');
    await compare(id, edition('B', { '1': ['Jeanne', 'DURAND'] }), edition('A', JEANNE), 'A');
    await compare(id, edition('C', { '1': ['', ''] }), edition('B', { '1': ['Jeanne', 'DURAND'] }), 'A', 'B');
    const [unnamed] = await links.withIds([id]);
    expect(unnamed?.linkedAs['Practitioner/1']).toEqual({ given: 'Jeanne', family: 'DURAND' });
    const { counts } = await compare(
      id,
      edition('D', { '1': ['Marie', 'DURAND'] }),
      edition('C', { '1': ['', ''] }),
      'B',
      'C',
    );
    expect(counts.other).toBe(0);
    const [known] = await links.withIds([id]);
    expect(known?.linkedAs['Practitioner/1']).toMatchObject({ given: 'Marie', family: 'DURAND' });
  });

  it('links that do not hold are counted by edition, of accounts that may sign in', async () => {
    await opened.database('accounts').delete();
    const [before, now] = [edition('A', { ...JEANNE, '2': ['Zoé', 'PETIT'] }), edition('B', PAUL)];
    for (const practitioner of ['1', '1', '2', '3']) await compare(await added(practitioner), now, before, 'A');
    const none = { left: 0, other: 0, missing: 0 };
    const counts = () => Promise.all(['A', 'B', undefined].map((one) => countChangedLinks(opened.database, one)));
    const changed = { left: 1, other: 2, missing: 1 };
    expect(await counts()).toEqual([none, changed, changed]);
    await opened.database('accounts').update({ status: 'disabled' });
    expect(await counts()).toEqual([none, none, none]);
  });

  it('a link that goes while the edition is compared is not suspended, and does not come back', async () => {
    const id = await added('1', '2');
    let done = false;
    const unlink = async () => {
      if (done) return;
      done = true;
      await operators.relink(id, () => ({ practitioners: ['2'], workspaces: [], confirmed: [] }));
    };
    const both = { '2': ['Zoé', 'PETIT'] } as const;
    const before = edition('A', { ...JEANNE, ...both });
    const { accounts: compared, events } = await compare(id, edition('B', { ...PAUL, ...both }, unlink), before, 'A');
    expect([compared, events]).toEqual([1, []]);
    expect(await links.withIds([id])).toMatchObject([
      { practitioners: ['2'], linkedAs: { 'Practitioner/2': { family: 'PETIT' } }, linkChanges: {} },
    ]);
  });

  it('operators who link one account at once lose nothing', async () => {
    const id = await added('0');
    const ids = Array.from({ length: 20 }, (_, index) => String(index + 1));
    const add = (one: string, index: number) =>
      (index % 2 === 0 ? links : operators).relink(id, ({ practitioners, workspaces }) => ({
        practitioners: [...practitioners, one],
        workspaces,
        confirmed: [],
      }));
    await Promise.all(ids.map(add));
    expect((await accounts.find(id))?.practitioners.map(Number).sort((a, b) => a - b)).toEqual([0, ...ids.map(Number)]);
  });

  it('a confirmation while an edition is compared is of who stood there, not of who comes', async () => {
    const id = await added('1');
    const confirm = async () => {
      await operators.relink(id, (before) => ({ ...before, confirmed: ['Practitioner/1'] }));
    };
    await compare(id, edition('B', PAUL, confirm), edition('A', JEANNE), 'A');
    await compare(id, edition('B', PAUL), edition('A', JEANNE), 'A');
    expect([await toldIn(id, 'A'), await toldIn(id, 'B')]).toEqual([['1'], []]);
  });
});

// What an import reports of the accounts that it suspends, and what the audit trail has of them once its edition is in force.
describe('an import', () => {
  const opened = openedForEach(() => openTestDatabase('sqlite'));
  const settings = { dataFolder: '/data', keys: { secrets: [] } as never };

  /** A snapshot with these resources, by type and id, that notes what is read of it. */
  function resourcesIn(id: string, resources: Record<string, object>, namesakes: string[] = []) {
    const reads: string[] = [];
    const snapshot = {
      id,
      read: async (type: string, one: string) => {
        reads.push(`${type}/${one}`);
        const found = resources[`${type}/${one}`];
        return found && { json: JSON.stringify({ resourceType: type, ...found }) };
      },
      gone: async (_type: string, one: string) => (one === '2' ? {} : undefined),
      search: async ({ type }: { type: string }) => ({
        matches: namesakes.map((one) => ({
          id: one,
          json: JSON.stringify({ resourceType: type, ...resources[`${type}/${one}`] }),
        })),
        more: false,
      }),
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
    const before = resourcesIn('A', {
      'Practitioner/1': person('Jeanne', 'Martin'),
      'Practitioner/2': person('Zoé', 'Petit'),
      ...same,
    });
    const next = resourcesIn('B', {
      ...same,
      'Practitioner/1': person('Paul', 'Durand'),
      'Organization/k': structure('Pharmacy', '13001'),
    });
    const linked = openLinkedAccounts(opened.database, settings, 'service');
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
    const suspended = (account: number, change: string, record: string, was: string, now?: string) => {
      const details = { change, edition: 'B', record, was, ...(now && { now }) };
      return ['account.link-suspended', `account ${account}`, details];
    };
    expect(await told()).toEqual([
      suspended(0, 'other', 'Practitioner/1', 'Jeanne Martin', 'Paul Durand'),
      suspended(1, 'left', 'Practitioner/2', 'Zoé Petit'),
      suspended(2, 'other', 'Organization/k', 'Clinic, 38000', 'Pharmacy, 13001'),
    ]);
    await linked.inForce(next.snapshot);
    expect(await told()).toHaveLength(3);

    const back = resourcesIn('C', {
      'Practitioner/1': person('Jeanne', 'Martin'),
      'Practitioner/2': person('Zoé', 'Petit'),
      ...same,
    });
    const again = openLinkedAccounts(opened.database, settings, 'operator:a');
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

  it('that was killed after its switch records the changes when the same files are imported again', async () => {
    const { database } = opened;
    const people = openAccounts(database);
    await people.create([
      { email: 'a@c.example', name: 'A', practitioners: ['1'] },
      { email: 'b@c.example', name: 'B', practitioners: ['3'] },
    ]);
    const martin = { 'Practitioner/1': person('Jeanne', 'Martin') };
    const petit = { 'Practitioner/3': person('Zoé', 'Petit') };
    // The successor of the first person appears with the last edition.
    const next = resourcesIn('B', { ...petit, 'Practitioner/9': person('Jeanne', 'Martin') }, ['9']);
    const [none, first] = [resourcesIn('O', { ...martin, ...petit }), resourcesIn('A', martin)];
    const switchTo = async (id: string, instead: string | undefined) => {
      const counts = { Practitioner: 1, Organization: 0, PractitionerRole: 0 };
      const about = { engine: 'sqlite' as const, editions: {}, counts, sourcesChecksum: 'x', bytes: 1 };
      await registerSnapshot(database, { ...about, id, file: `${id}.sqlite`, createdAt: new Date() });
      expect(await activateSnapshot(database, id, { id: instead })).toBe(true);
    };
    const told = async () =>
      (await openAuditEvents(database).search({ limit: 99 }))
        .map(
          ({ event, details }) => `${event} ${details?.['record']} ${details?.['edition']} ${details?.['successor']}`,
        )
        .sort();
    await switchTo('O', undefined);
    const before = { id: 'O', snapshot: none.snapshot };
    const whole = openLinkedAccounts(database, settings, 'service');
    await whole.compare({ snapshot: first.snapshot, before }, { store: true });
    await switchTo('A', 'O');
    await whole.inForce(first.snapshot);
    const recorded = ['account.link-suspended Practitioner/3 A undefined'];
    expect(await told()).toEqual(recorded);
    const killed = openLinkedAccounts(database, settings, 'service');
    await killed.compare({ snapshot: next.snapshot, before: { id: 'A', snapshot: first.snapshot } }, { store: true });
    await switchTo('B', 'A');
    for (const _time of ['the second import', 'a third one']) {
      const again = openLinkedAccounts(database, settings, 'service');
      await again.compare({ snapshot: next.snapshot }, { store: true });
      await again.inForce(next.snapshot);
      expect(await told()).toEqual([
        'account.link-restored Practitioner/3 B undefined',
        'account.link-suspended Practitioner/1 B 9',
        ...recorded,
      ]);
    }
  });
});
