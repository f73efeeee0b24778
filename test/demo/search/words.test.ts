// What people type into the two fields of the demo's search, and the FHIR criteria that it becomes.

import { describe, expect, it } from '@jest/globals';
import { type Vocabularies, vocabulariesOf } from '#demo/search/vocabulary.ts';
import { queryOf, readSearch, readWhere, readWho } from '#demo/search/words.ts';

const concept = (display: string, count: number, ...words: string[]) => ({
  code: display,
  display,
  designation: words.map((value) => ({ value })),
  property: [{ code: 'count', valueInteger: count }],
});

const WORDS: Vocabularies = vocabulariesOf(
  [
    { title: 'Professions', concept: [concept('Médecin', 373, 'docteur'), concept('Infirmier', 500, 'infirmière')] },
    {
      title: 'Specialties and skills',
      concept: [
        concept('Pédiatrie', 22, 'pédiatre'),
        concept('Exercice infirmier en pratique avancée', 2, 'infirmier en pratique avancée', 'IPA'),
        concept('Médecine générale', 90, 'généraliste'),
        concept('Qualifié en médecine générale', 9, 'généraliste'),
      ],
    },
    { title: 'Kinds of structures', concept: [concept('Centre hospitalier', 7, 'hôpital')] },
    { title: 'Roles', concept: [concept('Titulaire de cabinet', 758, 'cabinet')] },
  ].map((system) => ({ resourceType: 'CodeSystem', status: 'active', content: 'fragment', ...system }) as const),
);

const shown = (criteria: readonly { key: string; value: string }[]) =>
  criteria.map(({ key, value }) => `${key}=${value}`).join('&');

describe('who is looked for', () => {
  it.each([
    ['martin', 'name=martin'],
    ['  jean   mar ', 'name=jean mar'],
    ['Dr Martin', 'name=Martin'],
    ['M. et Mme Martin', 'name=Martin'],
    ['docteur', 'qualification=docteur'],
    ['mme', 'name=mme'],
    ['pédiatre', 'qualification=pédiatre'],
    ['pédiatres', 'qualification=pédiatres'],
    ['martin pédiatre', 'qualification=pédiatre&name=martin'],
    ['médecin pédiatre', 'qualification=médecin&qualification=pédiatre'],
    ['infirmier en pratique avancée', 'qualification=infirmier en pratique avancée'],
    ['"pédiatre"', 'name=pédiatre'],
    ['« docteur »', 'name=docteur'],
    ['titulaire de cabinet', 'name=titulaire de cabinet'],
    ['19082680976', 'identifier=19082680976'],
    ['RPPS 19082680976', 'identifier=19082680976'],
    ['n° 694000027', 'identifier=694000027'],
    ['2a4000010', 'identifier=2A4000010'],
    ['anne.martin@medecin.mssante.example', 'telecom=anne.martin@medecin.mssante.example'],
    ['02 61 91 24 43', 'phone=0261912443'],
    ['+33 2.61.91.24.43', 'phone=0261912443'],
    ['martin, anne', 'name=martin anne'],
    ['a|b$c', 'name=a\\|b\\$c'],
    ['pédiatre '.repeat(40), `name=${'pédiatre '.repeat(40).trim()}`],
    ['', ''],
  ])('%j is %s', (text, criteria) => {
    expect(shown(readWho(text, WORDS.Practitioner))).toBe(criteria);
  });

  it('is a kind of structure among structures, and a profession among people alone', () => {
    expect(shown(readWho('hôpital', WORDS.Organization))).toBe('type=hôpital');
    expect(shown(readWho('hôpital', WORDS.Practitioner))).toBe('name=hôpital');
    expect(shown(readWho('pédiatre', WORDS.Organization))).toBe('name=pédiatre');
  });
});

describe('where it is looked for', () => {
  it.each([
    ['lyon', 'address-city=lyon'],
    ['Saint-Étienne', 'address-city=Saint-Étienne'],
    ['69003', 'address-postalcode=69003'],
    ['69 003', 'address-postalcode=69003'],
    ['69', 'address-postalcode=69'],
    ['75 92', 'address-postalcode=75,92'],
    ['2A', 'address-postalcode=200,201'],
    ['paris 9', 'address-postalcode=75009'],
    ['Lyon 3e', 'address-postalcode=69003'],
    ['marseille 1er', 'address-postalcode=13001'],
    ['69626 Villeurbanne Cedex', 'address-postalcode=69626&address-city=Villeurbanne'],
    ['rue paris', 'address=rue paris'],
    ['12, bd Gambetta', 'address=12 bd Gambetta'],
    ['"quai de lyon"', 'address=quai de lyon'],
    [' ', ''],
    [',', ''],
    ['cedex', 'address-city=cedex'],
  ])('%j is %s', (text, criteria) => {
    expect(shown(readWhere(text))).toBe(criteria);
  });
});

describe('a search in an address', () => {
  const read = (query: Record<string, unknown>) => readSearch('Practitioner', query, WORDS.Practitioner);

  it('reads a place behind "à" in the first field, if the second one is empty', () => {
    expect(shown(read({ name: 'pédiatre à Lyon' }).criteria)).toBe('qualification=pédiatre&address-city=Lyon');
    expect(shown(read({ name: 'martin à lyon', address: '69' }).criteria)).toBe(
      'name=martin à lyon&address-postalcode=69',
    );
  });

  it('takes the further criteria of links and bookmarks, and nothing that is not a text', () => {
    const { criteria, further } = read({ qualification: ' 10 ', identifier: ['1'], unknown: 'x', 'part-of': 'x' });
    expect(shown(criteria)).toBe('qualification=10');
    expect(further).toEqual(criteria);
  });

  it('comes back as it was written', () => {
    const query = { name: 'dr martin', address: 'Lyon 3e', organization: 'Organization/F1' };
    expect(queryOf(read(query))).toEqual(query);
    expect(queryOf(read({ name: '' }))).toEqual({});
  });
});

describe('the words that are offered', () => {
  it('are the labels, the frequent ones first, then what people say for them', () => {
    const { options } = WORDS.Practitioner;
    expect(options.slice(0, 3)).toEqual([{ value: 'Infirmier' }, { value: 'Médecin' }, { value: 'Médecine générale' }]);
    expect(options).toContainEqual({ value: 'pédiatre', label: 'Pédiatrie' });
    expect(options.some(({ value }) => value === 'cabinet')).toBe(false);
  });

  it('may have several labels', () => {
    expect(WORDS.Practitioner.labelsOf('généraliste')).toEqual(['Médecine générale', 'Qualifié en médecine générale']);
    expect(WORDS.Practitioner.labelsOf('martin')).toEqual([]);
  });
});
