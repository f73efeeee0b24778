// Decision 0067: when an id belongs to another person or structure than before, and what is stored of links when an edition is compared.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Snapshot } from '#search-index/index.ts';
import { compareLinks } from '#server/linked-accounts/compare-links.ts';
import { countChangedLinks } from '#server/linked-accounts/linked-accounts.ts';
import { isAnother } from '#server/linked-accounts/same-record.ts';
import { type Accounts, openAccounts } from '#store/accounts/accounts.ts';
import { type AccountLinks, openAccountLinks } from '#store/accounts/links/account-links.ts';
import type { RecordIdentity } from '#store/accounts/links/link-changes.ts';
import { withLinksInForce } from '#store/accounts/links/links-in-force.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';

const DOCTOR = { '10': 'Médecin' };
const NURSE = { '60': 'Infirmier' };
const jeanne: RecordIdentity = { given: 'Jeanne Marie', family: 'LE GALL', professions: DOCTOR };

describe('an id belongs to another person', () => {
  it.each<[string, RecordIdentity]>([
    ['of other family and given names', { given: 'Paul', family: 'DURAND', professions: DOCTOR }],
    ['of other names, the profession unknown', { given: 'Paul', family: 'DURAND' }],
    ['of another family name and profession', { given: 'Jeanne', family: 'DURAND', professions: NURSE }],
    ['of other given names and profession', { given: 'Paul', family: 'Le Gall', professions: NURSE }],
    ['with nothing but a particle in common', { given: 'Paul', family: 'LE BRAS', professions: DOCTOR }],
  ])('%s', (_, now) => {
    expect(isAnother(jeanne, now)).toBe(true);
    expect(isAnother(now, jeanne)).toBe(true);
  });
});

describe('an id is still the same person’s', () => {
  it.each<[string, RecordIdentity]>([
    ['after a marriage', { given: 'Jeanne', family: 'DURAND', professions: DOCTOR }],
    ['under both names', { given: 'Jeanne', family: 'DURAND-LE GALL', professions: NURSE }],
    ['with another profession', { given: 'Jeanne', family: 'LE GALL', professions: NURSE }],
    ['with one profession more', { given: 'Jeanne', family: 'DURAND', professions: { ...DOCTOR, ...NURSE } }],
    ['in other spelling', { given: 'MARIE-JEANNE', family: 'Legall', professions: NURSE }],
    ['with a slip of the pen in both names', { given: 'Jeane', family: 'LEGAL', professions: NURSE }],
    ['with accents that were lost', { given: 'J?anne', family: 'LE GALL', professions: NURSE }],
    ['with its names in the wrong columns', { given: 'LE GALL', family: 'Jeanne', professions: NURSE }],
    ['while the names are missing', { professions: NURSE }],
    ['while the family name is missing', { given: 'Paul', professions: DOCTOR }],
  ])('%s', (_, now) => {
    expect(isAnother(jeanne, now)).toBe(false);
    expect(isAnother(now, jeanne)).toBe(false);
  });

  it('with accents or without', () => {
    const before = { given: 'Zoé', family: 'LEFÈVRE', professions: DOCTOR };
    expect(isAnother(before, { given: 'ZOE', family: 'LEFEVRE', professions: NURSE })).toBe(false);
  });
});

describe('a FINESS number belongs to another structure', () => {
  const clinic: RecordIdentity = { name: 'CLINIQUE DU PARC', postalCode: '69003' };
  it.each<[string, boolean, RecordIdentity]>([
    ['of another name in another department', true, { name: 'CLINIQUE SAINT JEAN', postalCode: '13001' }],
    ['of another name in another town', true, { name: 'PHARMACIE BONNET', postalCode: '69300' }],
    ['of half of the name in another town', true, { name: 'CLINIQUE SAINT-JEAN', postalCode: '69300' }],
    ['not after a move', false, { name: 'Clinique du Parc', postalCode: '69300' }],
    [
      'not after a move to another department, its name longer',
      false,
      { name: 'NOUVELLE CLINIQUE DU PARC', postalCode: '38000' },
    ],
    ['not by another name alone', false, { name: 'POLE SANTE RHONE', postalCode: '69003' }],
    ['not without a postal code', false, { name: 'POLE SANTE RHONE' }],
    ['not without a name', false, { postalCode: '13001' }],
  ])('%s', (_, another, now) => {
    expect(isAnother(clinic, now)).toBe(another);
  });

  it('overseas, departments have three digits', () => {
    const before = { name: 'CENTRE HOSPITALIER DE POINTE A PITRE', postalCode: '97110' };
    const elsewhere = { name: 'CENTRE HOSPITALIER DE FORT DE FRANCE', postalCode: '97200' };
    const near = { name: 'CENTRE HOSPITALIER DE POINTE NOIRE', postalCode: '97116' };
    expect([isAnother(before, elsewhere), isAnother(before, near)]).toEqual([true, false]);
  });
});

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
