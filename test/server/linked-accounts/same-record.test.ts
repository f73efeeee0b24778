// Decision 67: when an id belongs to another person or structure now, and who is the successor of an id. A doubtful case counts as the same.

import { describe, expect, it } from '@jest/globals';
import { CODE_SYSTEMS } from '#import/mapping/code-systems.ts';
import { findSuccessor, identityOf, identityText, isAnother } from '#server/linked-accounts/same-record.ts';
import type { RecordIdentity } from '#store/accounts/links/link-changes.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';

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

const midwife = { '50': 'Sage-femme' };

describe('a person', () => {
  const before = { given: 'Jeanne', family: 'Martin', professions: DOCTOR };
  it.each([
    ['the same', {}, false],
    ['another family name, as by a marriage', { family: 'Durand' }, false],
    ['other given names', { given: 'Paul' }, false],
    ['both names are others', { given: 'Paul', family: 'Durand' }, true],
    ['another family name and profession', { family: 'Durand', professions: midwife }, true],
    ['other given names and another profession', { given: 'Paul', professions: midwife }, true],
    ['another profession alone', { professions: midwife }, false],
    ['a further profession', { family: 'Durand', professions: { ...midwife, ...DOCTOR } }, false],
    ['no profession known', { family: 'Durand', professions: {} }, false],
    ['names that were swapped', { given: 'Martin', family: 'Jeanne', professions: midwife }, false],
    ['a typing error', { given: 'Paul', family: 'Martim' }, false],
    ['four letters of which two differ', { given: 'Paul', family: 'Mardon' }, true],
    ['a hyphen more', { given: 'Jeanne-Marie', family: 'Mar-tin', professions: midwife }, false],
    ['no names at all', { given: '', family: '' }, false],
    ['an accent and a particle more', { given: 'Jéanne', family: 'de MARTIN', professions: midwife }, false],
  ])('%s: %j -> %j', (_, change, another) => {
    expect(isAnother(before, { ...before, ...change })).toBe(another);
    expect(isAnother({ ...before, ...change }, before)).toBe(another);
  });
});

describe('a structure', () => {
  const before = { name: 'Centre hospitalier de Lyon', postalCode: '69003' };
  it.each([
    ['the same', {}, false],
    ['another name at the same place', { name: 'Clinique des Alpes' }, false],
    ['another department, the same name', { postalCode: '38000' }, false],
    ['another name and department', { name: 'Clinique des Alpes', postalCode: '38000' }, true],
    ['more words, another department', { name: 'Grand centre hospitalier de Lyon', postalCode: '38000' }, false],
    ['another town, most words the same', { name: 'Centre hospitalier du Rhône', postalCode: '69100' }, false],
    ['another town, half of the words others', { name: 'Centre de Bron', postalCode: '69100' }, true],
    ['no postal code', { name: 'Clinique des Alpes', postalCode: '' }, false],
    ['no name', { name: '', postalCode: '38000' }, false],
  ])('%s: %j -> %j', (_, change, another) => {
    expect(isAnother(before, { ...before, ...change })).toBe(another);
    expect(isAnother({ ...before, ...change }, before)).toBe(another);
  });

  it.each([
    ['97110', '97200', true],
    ['97110', '97140', false],
    ['98800', '98700', true],
    ['20000', '20200', false],
    ['69003', '68000', true],
  ])('departments of %s and %s are others: %j', (one, other, another) => {
    // Two words of three are common, which is no other structure within a department.
    const [before, now] = [
      { name: 'Pharmacie centrale Nord', postalCode: one },
      { name: 'Pharmacie centrale Sud', postalCode: other },
    ];
    expect(isAnother(before, now)).toBe(another);
  });
});

const system = CODE_SYSTEMS.profession;

describe('the identity of a record', () => {
  withOwnSnapshots(import.meta.filename);
  it('is read out of its resource, and written as people say it', () => {
    const resources = [
      { resourceType: 'Practitioner' },
      {
        resourceType: 'Practitioner',
        name: [
          { family: 'Other', given: ['X'] },
          { use: 'official', family: 'Martin', given: ['Jeanne', '', 'Marie'] },
        ],
        qualification: [
          {
            code: { coding: [{ system, code: '10', display: 'Médecin' }, { system: 'urn:x', code: '1' }, { system }] },
          },
          { code: {} },
        ],
      },
      { resourceType: 'Practitioner', name: [{ family: 'First' }, { family: 'Second' }] },
      { resourceType: 'Organization' },
      { resourceType: 'Organization', name: 'CH', address: [{}, { postalCode: '69003' }, { postalCode: '1' }] },
    ];
    const identities = resources.map((one) => identityOf(JSON.stringify(one)));
    expect([identities, identities.map(identityText)]).toMatchSnapshot();
    expect(identityText({ name: 'CH', professions: { '10': '', '50': 'Sage-femme' }, postalCode: '69003' })).toBe(
      'CH, 10, Sage-femme, 69003',
    );
  });
});

describe('the successor of an id', () => {
  withOwnSnapshots(import.meta.filename);
  const person = (id: string, family = 'Martin', code?: string) => ({
    id,
    json: JSON.stringify({
      resourceType: 'Practitioner',
      name: [{ family, given: ['Jeanne'] }],
      qualification: code === undefined ? [] : [{ code: { coding: [{ system, code }] } }],
    }),
  });
  const structure = (id: string, postalCode: string) => ({
    id,
    json: JSON.stringify({ resourceType: 'Organization', name: 'CH', address: [{ postalCode }] }),
  });
  const find = async (
    known: object,
    matches: object[],
    { more = false, before = [] as string[], type = 'Practitioner' } = {},
  ) => {
    const asked: unknown[] = [];
    const snapshot = {
      search: async (query: unknown) => {
        asked.push(query);
        return { matches, more };
      },
    };
    const old = { read: async (_: string, id: string) => (before.includes(id) ? {} : undefined) };
    const found = await findSuccessor(`${type}/0` as never, known, { snapshot, before: old } as never);
    return [found, asked];
  };
  const known = { given: 'Jeanne', family: 'Le Martin' };

  it('is the only new record of the same name', async () => {
    const [found, asked] = await find(known, [person('1', 'Martin'), person('2', 'Durand'), person('3')], {
      before: ['3'],
    });
    expect([found, asked]).toMatchSnapshot();
    expect((await find(known, [person('1'), person('2')]))[0]).toBeUndefined();
    expect((await find(known, [person('1')], { more: true }))[0]).toBeUndefined();
    expect(await find({ given: 'Jeanne' }, [person('1')])).toEqual([undefined, []]);
    expect(await find({ family: 'Martin' }, [person('1')])).toEqual([undefined, []]);
  });

  it('has the same names in any order, case and accents, and no other profession', async () => {
    const nameOf = async (family: string, of: string) =>
      (await find({ given: 'Jeanne', family }, [person('1', of)]))[0];
    const families = [
      ['Martin Durand', 'DURAND-MARTÍN'],
      ['Martin', 'Martin Durand'],
      ['de la', 'de la'],
      ['de la', 'du'],
      ['Martin', 'Durand'],
    ] as const;
    expect(await Promise.all(families.map(([one, other]) => nameOf(one, other)))).toEqual([
      '1',
      undefined,
      '1',
      undefined,
      undefined,
    ]);
    const withProfession = async (professions: Record<string, string>, code?: string) =>
      (await find({ ...known, professions }, [person('1', 'Martin', code)]))[0];
    expect([
      await withProfession(DOCTOR, '10'),
      await withProfession(DOCTOR, '50'),
      await withProfession({ ...DOCTOR, ...midwife }, '50'),
      await withProfession({}, '50'),
      await withProfession(DOCTOR),
    ]).toEqual(['1', undefined, '1', '1', '1']);
  });

  it('of a structure has its postal code, too', async () => {
    const place = { name: 'CH', postalCode: '69003' };
    const records = [structure('1', '69003'), structure('2', '38000')];
    expect(await find(place, records, { type: 'Organization' })).toMatchSnapshot();
    expect(await find({ name: 'CH' }, records, { type: 'Organization' })).toEqual([undefined, []]);
    expect(await find({ postalCode: '69003' }, records, { type: 'Organization' })).toEqual([undefined, []]);
  });
});
