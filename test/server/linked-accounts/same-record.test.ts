// directory-data.md 2 "names in capitals or mixed case, accents mostly but not always missing": when an id belongs to another person or
// structure than before (decision 0067), and when it only looks so.

import { describe, expect, it } from '@jest/globals';
import { isAnother } from '#server/linked-accounts/same-record.ts';
import type { RecordIdentity } from '#store/accounts/links/link-changes.ts';

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
