// Specification 2.3 and 2.4, "matches on the beginning of a word", for what people write: words together or apart, titles, initials,
// abbreviations, numbers of houses, and addresses with commas. By fhir-kit-client.

import { describe, expect, it } from '@jest/globals';
import type { Organization, Practitioner } from 'fhir/r3.js';
import type { Issue } from '#directory/errors.ts';
import { indexResource } from '#import/fhir/index-entries.ts';
import { openIndex } from '#support/directory/open-index.ts';
import { entriesOf, idsOf } from '#support/directory/reading.ts';
import { startDirectory } from '#support/directory/service.ts';
import { openedForAll } from '#support/opened.ts';

function person(id: string, family: string, given: string): Practitioner & { id: string } {
  return { resourceType: 'Practitioner', id, name: [{ use: 'official', family, given: given.split('/') }] };
}

function structure(id: string, name: string, line: string, city = 'LYON'): Organization & { id: string } {
  return { resourceType: 'Organization', id, name, address: [{ line: [line], postalCode: '69003', city }] };
}

const RESOURCES = [
  person('le-gall', 'LE GALL', 'Anne'),
  person('legall', 'LEGALL', 'Bruno'),
  person('legallic', 'LE GALLIC', 'Claire'),
  person('herve', "D'HERVE", 'Denis'),
  person('jean-pierre', 'AUBRY', 'Jean-Pierre'),
  person('jeanpierre', 'AUBIN', 'Jeanpierre'),
  person('chardey', 'DU CHARDEY', 'Emma'),
  person('de-la-tour', 'DE LA TOUR', 'Fanny'),
  person('delatour', 'DELATOUR', 'Gilles'),
  person('van-den-berg', 'VAN DEN BERG', 'Hilde'),
  person('mbaye', "M'BAYE", 'Ousmane'),
  person('mbaye-together', 'MBAYE', 'Awa'),
  person('docteur', 'DOCTEUR', 'Paul'),
  person('michel-e', 'ROCHE', 'Michel/E.'),
  structure('chu-dots', 'C.H.U. DE LYON', '5 PLACE D ARSONVAL'),
  structure('chu', 'CHU NORD', '12 BIS RUE VICTOR HUGO'),
  structure('chu-words', 'CENTRE HOSPITALIER UNIVERSITAIRE SUD', '12B RUE VICTOR HUGO'),
  structure('ctre', 'CTRE DE SANTE', '12 RUE VICTOR HUGO'),
  structure('bvd', 'PHARMACIE', '3EME ETAGE 8 BVD CARNOT'),
  structure('boulevard', 'PHARMACIE DU MARCHE', '3E ETAGE 8 BOULEVARD CARNOT'),
  structure('bat', 'LABORATOIRE', 'BATIMENT 2 A RUE NEUVE'),
  structure('bat-together', 'LABORATOIRE', 'BATIMENT 2A RUE NEUVE'),
].map(indexResource);

const PEOPLE: readonly (readonly [searched: string, ids: readonly string[]])[] = [
  ['name=legall', ['le-gall', 'legall']],
  ['name=le gall', ['le-gall', 'legallic', 'legall']],
  ['family=LEGALL', ['le-gall', 'legall']],
  ['name=dherve', ['herve']],
  ["name=d'herve", ['herve']],
  ['name=jeanpierre', ['jeanpierre', 'jean-pierre']],
  ['given=jean pierre', ['jeanpierre', 'jean-pierre']],
  ['name=duchardey', ['chardey']],
  ['name=delatour', ['de-la-tour', 'delatour']],
  ['name=vandenberg', ['van-den-berg']],
  ['name=de latour', ['de-la-tour', 'delatour']],
  ['name=de la tour', ['de-la-tour', 'delatour']],
  ["name=m'baye", ['mbaye', 'mbaye-together']],
  ['name=mbaye', ['mbaye', 'mbaye-together']],
  ['name=michele', []],
  ['name=gallanne', []],
  ['name=legallemma', []],
  ['name:exact=LEGALL', ['legall']],
];

const STRUCTURES: readonly (readonly [searched: string, ids: readonly string[]])[] = [
  ['name=c.h.u.', ['chu-dots', 'chu']],
  ['name=C.H.U', ['chu-dots', 'chu']],
  ['name=chu', ['chu-dots', 'chu']],
  ['name=chu nord', ['chu']],
  ['name=c h u', ['chu-dots', 'chu-words', 'chu']],
  ['name=centre', ['chu-words', 'ctre']],
  ['name=ctre', ['chu-words', 'ctre']],
  ['address=bvd carnot', ['bvd', 'boulevard']],
  ['address=boulevard carnot', ['bvd', 'boulevard']],
  ['address=12 bis rue victor hugo', ['chu-words', 'chu']],
  ['address=12b rue victor hugo', ['chu-words', 'chu']],
  ['address=12bis rue victor hugo', ['chu-words', 'chu']],
  ['address=12 rue victor hugo', ['chu-words', 'chu', 'ctre']],
  ['address=3eme etage', ['bvd', 'boulevard']],
  ['address=3e etage', ['bvd', 'boulevard']],
  ['address=2A rue neuve', ['bat', 'bat-together']],
  ['address=2 a rue neuve', ['bat', 'bat-together']],
  ['address:exact=12 BIS RUE VICTOR HUGO', ['chu']],
  ['name:exact=C.H.U. DE LYON', ['chu-dots']],
];

describe('what people write', () => {
  const snapshot = openedForAll(() => openIndex(RESOURCES));
  const directory = openedForAll(() => startDirectory(snapshot));

  async function search(resourceType: string, text: string) {
    const [name = '', value = ''] = text.split('=');
    const bundle = await directory.client().search({ resourceType, searchParams: { [name]: value } });
    return bundle;
  }

  /** The notes of an answer, which say where they belong. */
  function notesOf(bundle: object): Issue[] {
    const outcomes = entriesOf(bundle).filter(({ search }) => search.mode === 'outcome');
    return outcomes.flatMap(({ resource }) => (resource as unknown as { issue: Issue[] }).issue);
  }

  it.each(PEOPLE)('2.3 Practitioner %s', async (text, ids) => {
    const bundle = await search('Practitioner', text);
    expect(idsOf(bundle).toSorted()).toEqual(ids.toSorted());
    expect(bundle['total']).toBe(ids.length);
  });

  it.each(STRUCTURES)('2.4 Organization %s', async (text, ids) => {
    const bundle = await search('Organization', text);
    expect(idsOf(bundle).toSorted()).toEqual(ids.toSorted());
    expect(bundle['total']).toBe(ids.length);
  });

  it.each([
    ['dr aubry', 'dr', ['jean-pierre']],
    ['M. le docteur Aubry', 'm le docteur', ['jean-pierre']],
    ['Dr.Aubry', 'dr', ['jean-pierre']],
    ['m baye', 'm', ['mbaye', 'mbaye-together']],
  ])('2.3 a title before the name is left out, and a note says so: %s', async (name, title, ids) => {
    const bundle = await search('Practitioner', `name=${name}`);
    expect(idsOf(bundle).toSorted()).toEqual(ids.toSorted());
    expect(notesOf(bundle)).toEqual([
      expect.objectContaining({
        severity: 'information',
        code: 'informational',
        location: ['http.name'],
        diagnostics: expect.stringContaining(`"${title}" was left out`),
      }),
    ]);
  });

  it.each([
    ['docteur', ['docteur']],
    ['dr', []],
    ["m'baye", ['mbaye', 'mbaye-together']],
    ['aubry dr', []],
  ])('2.3 a title by itself or after the name is a word like others: %s', async (name, ids) => {
    const bundle = await search('Practitioner', `name=${name}`);
    expect(idsOf(bundle).toSorted()).toEqual(ids.toSorted());
    expect(notesOf(bundle).filter(({ diagnostics }) => diagnostics.includes('left out'))).toEqual([]);
  });
});
