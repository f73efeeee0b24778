// Decision 67: when an id belongs to another person or structure now, and who is the successor of an id. A doubtful case counts as the same.

import { describe, expect, it } from '@jest/globals';
import { CODE_SYSTEMS } from '#import/mapping/code-systems.ts';
import { findSuccessor, identityOf, identityText, isAnother } from '#server/linked-accounts/same-record.ts';

const DOCTOR = { '10': 'Médecin' };

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
    ['accents that were lost', { given: 'J?anne', professions: midwife }, false],
    ['both names, the profession unknown', { given: 'Paul', family: 'Durand', professions: {} }, true],
    ['both family names', { family: 'Durand-Martin', professions: midwife }, false],
    ['the family name missing', { given: 'Paul', family: '' }, false],
    ['a slip of the pen in both names', { given: 'Jeane', family: 'Martn', professions: midwife }, false],
  ])('%s: %j -> %j', (_, change, another) => {
    expect(isAnother(before, { ...before, ...change })).toBe(another);
    expect(isAnother({ ...before, ...change }, before)).toBe(another);
  });

  it('with nothing but a particle in common is another one', () => {
    const le = (family: string, given: string) => ({ given, family, professions: DOCTOR });
    expect(isAnother(le('LE GALL', 'Jeanne'), le('LE BRAS', 'Paul'))).toBe(true);
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
    expect(identities).toEqual([
      {},
      { family: 'Martin', given: 'Jeanne Marie', professions: { '10': 'Médecin' } },
      { family: 'First' },
      {},
      { name: 'CH', postalCode: '69003' },
    ]);
    expect(identities.map(identityText)).toEqual(['', 'Jeanne Marie Martin, Médecin', 'First', '', 'CH, 69003']);
    expect(identityText({ name: 'CH', professions: { '10': '', '50': 'Sage-femme' }, postalCode: '69003' })).toBe(
      'CH, 10, Sage-femme, 69003',
    );
  });
});

describe('the successor of an id', () => {
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
  /** A clause that finds records with all of these words in the field. */
  const words = (field: string, ...all: string[]) => ({
    field,
    match: 'words',
    anyOf: [all.map((word) => ({ whole: [word] }))],
  });
  const asking = (type: string, ...clauses: object[]) => [{ type, clauses, limit: 50, total: false }];

  it('is the only new record of the same name', async () => {
    const [found, asked] = await find(known, [person('1', 'Martin'), person('2', 'Durand'), person('3')], {
      before: ['3'],
    });
    expect([found, asked]).toEqual([
      '1',
      asking('Practitioner', words('family', 'le', 'martin'), words('given', 'jeanne')),
    ]);
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
    const clauses = [words('name', 'ch'), words('address-postalcode', '69003')];
    expect(await find(place, records, { type: 'Organization' })).toEqual(['1', asking('Organization', ...clauses)]);
    expect(await find({ name: 'CH' }, records, { type: 'Organization' })).toEqual([undefined, []]);
    expect(await find({ postalCode: '69003' }, records, { type: 'Organization' })).toEqual([undefined, []]);
  });
});
