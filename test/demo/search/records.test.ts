// How the demo writes what stands in the registers: names, structures, telephones, places.

import { describe, expect, it } from '@jest/globals';
import { matchedPlaces } from '#demo/search/find.ts';
import { personOf, structureOf } from '#demo/search/records.ts';
import { civility, folded, mailLink, personName, readable, telephone } from '#demo/search/text.ts';

describe('names and texts', () => {
  it.each([
    ['DU CHARDEY', 'Du Chardey'],
    ['MARIE-ANGE', 'Marie-Ange'],
    ["D'HERVÉ", "D'Hervé"],
    ['Anaïs', 'Anaïs'],
  ])('%s is written %s as the name of a person', (text, name) => {
    expect(personName(text)).toBe(name);
  });

  it.each([
    ['HOPITAL ST JEAN DE LA CROIX', 'Hopital St Jean de la Croix'],
    ['CHU DE CLAIRCOURT', 'CHU de Claircourt'],
    ['SELARL DU DR DURAND', 'SELARL du Dr Durand'],
    ['141 Rue DU DR FONTAINE', '141 Rue du Dr Fontaine'],
    ['81 B Rue RIFON', '81 B Rue Rifon'],
    ['L’ESCALE', 'L’Escale'],
    ["CLINIQUE DE L'EST", "Clinique de l'Est"],
    ['E.H.P.A.D. DE KERGNAC', 'E.H.P.A.D. de Kergnac'],
    ['BP 12 ZA DES LILAS', 'BP 12 ZA des Lilas'],
    ['Résidence LES TILLEULS', 'Résidence les Tilleuls'],
  ])('%s is written %s', (text, written) => {
    expect(readable(text)).toBe(written);
  });

  it('knows civilities', () => {
    expect(['DR', 'MME', 'M', 'PR'].map(civility)).toEqual(['Dr', 'Mme', 'M.', 'Pr']);
  });

  it('compares without accents, case and hyphens', () => {
    for (const town of [' Saint-Étienne ', 'ST ETIENNE', 'st-étienne']) expect(folded(town)).toBe('saint etienne');
    expect(folded('STE FOY')).toBe('sainte foy');
    expect(folded('CŒUR')).toBe('coeur');
  });

  it.each([
    ['0261912443', '02\u00a061\u00a091\u00a024\u00a043', 'tel:+33261912443'],
    ['+33 2 61 91 24 43', '02\u00a061\u00a091\u00a024\u00a043', 'tel:+33261912443'],
    ['3624', '3624', 'tel:3624'],
    ['+41 22 555 00 00', '+41 22 555 00 00', 'tel:+41225550000'],
  ])('the telephone %s is %s', (value, text, href) => {
    expect(telephone(value)).toEqual({ shown: text, href });
  });

  it.each([
    ['accueil@clinique.example', 'mailto:accueil@clinique.example'],
    ['a@b.example?bcc=c@d.example&body=x', 'mailto:a@b.example%3Fbcc%3Dc@d.example%26body%3Dx'],
    ['a@b.example,c@d.example', 'mailto:a@b.example%2Cc@d.example'],
  ])('the link to %s goes to one address and says nothing else', (email, link) => {
    expect(mailLink(email)).toBe(link);
  });
});

const NOS = 'https://mos.esante.gouv.fr/NOS/';
const codes = (...codings: [system: string, code: string, display: string][]) => ({
  coding: codings.map(([system, code, display]) => ({ system: NOS + system, code, display })),
});

const ANNE: fhir3.Practitioner = {
  resourceType: 'Practitioner',
  id: '1',
  name: [{ family: 'MARTIN', given: ['ANNE'], prefix: ['DR'] }],
  identifier: [{ system: 'https://rpps.esante.gouv.fr', value: '10000000001' }],
  telecom: ['A@MSSANTE.EXAMPLE', 'a@mssante.example'].map((value) => ({ system: 'email', value })),
  qualification: [
    { code: codes(['TRE-G15-ProfessionSante', '10', 'Médecin'], ['TRE-R09-CategorieProfessionnelle', 'C', 'Civil']) },
    { code: codes(['TRE-R38-SpecialiteOrdinale', 'SM40', 'Pédiatrie'], ['TRE-R04-TypeSavoirFaire', 'S', 'S']) },
    { code: codes(['x', 'DE28', 'Diplôme d’État de docteur en médecine'], ['TRE-R14-TypeDiplome', 'DE', 'DE']) },
    { code: codes(['x', 'DU1', 'DU d’échographie'], ['TRE-R14-TypeDiplome', 'DU', 'DU']) },
  ],
  address: [
    { line: ['3 QUAI DE LYON', '71000 MACON'], postalCode: '71000', city: 'Mâcon' },
    { line: ['1 RUE X', '69003 LYON'], postalCode: '69003', city: 'Lyon 3e  Arrondissement' },
  ],
};
const clinic = (id: string, address: fhir3.Address): fhir3.Organization => ({
  resourceType: 'Organization',
  id,
  name: `CLINIQUE ${id}`,
  address: [address],
  telecom: [
    { system: 'phone', value: '0102030405' },
    {
      system: 'email',
      value: 'SECRETARIAT@MSSANTE.EXAMPLE',
      extension: [
        { url: 'https://hl7.fr/ig/fhir/core/StructureDefinition/fr-core-contact-point-email-type' },
        { url: 'metadata', extension: [{ url: 'service', valueString: 'SECRETARIAT' }] },
      ],
    },
  ],
});
const role = (organization: string, mode: string): fhir3.PractitionerRole => ({
  resourceType: 'PractitionerRole',
  practitioner: { reference: 'Practitioner/1' },
  organization: { reference: `Organization/${organization}` },
  code: [codes(['TRE-R23-ModeExercice', mode, mode])],
});

describe('a person', () => {
  const around = [
    ...[role('A', 'L'), role('A', 'L'), role('A', 'S'), { ...role('B', 'S'), practitioner: { reference: 'x' } }],
    clinic('A', { postalCode: '69003', city: 'Lyon 3e Arrondissement' }),
    clinic('B', {}),
  ];

  it('has name, profession, speciality and mailboxes once, and no diploma that says the profession again', () => {
    const { places, ...anne } = personOf(ANNE, around);
    expect(anne).toEqual({
      id: '1',
      name: 'Dr Anne Martin',
      profession: 'Médecin',
      specialities: ['Pédiatrie'],
      diplomas: ['DU d’échographie'],
      rpps: '10000000001',
      mailboxes: [{ address: 'a@mssante.example', service: '' }],
    });
    expect(places).toHaveLength(2);
  });

  it('has one place for each structure, and those that the own record alone names', () => {
    const { places } = personOf(ANNE, around);
    expect(places.map(({ structure, address, modes }) => [structure?.name, address?.city, modes])).toEqual([
      ['Clinique A', 'Lyon 3e', ['L', 'S']],
      [undefined, 'Mâcon', []],
    ]);
  });

  it.each([
    ['address-city', 'macon', 'Mâcon', 1],
    ['address-city', 'lyon', 'Lyon 3e', 1],
    ['address-postalcode', '71,38', 'Mâcon', 1],
    ['address', 'quai lyon', 'Mâcon', 1],
    ['organization', 'Organization/A', 'Lyon 3e', 1],
    ['address-city', 'paris', 'Lyon 3e', 0],
  ] as const)('who is looked for by %s %s is first shown in %s', (key, value, city, matched) => {
    const found = matchedPlaces(personOf(ANNE, around), [{ key, value }]);
    expect([found.places[0]?.address?.city, found.matched]).toEqual([city, matched]);
  });

  it('may be without anything', () => {
    expect(personOf({ resourceType: 'Practitioner' })).toMatchObject({ name: '', profession: '', places: [] });
  });
});

describe('a structure', () => {
  it('names the two numbers of one register by their own names: SIRET for a site, SIREN for a company', () => {
    const identifier = ['99439971500014', '994399715'].map((value) => ({ system: 'https://sirene.fr', value }));
    expect(structureOf({ resourceType: 'Organization', identifier }).identifiers).toEqual([
      'SIRET\u00a099439971500014',
      'SIREN\u00a0994399715',
    ]);
  });

  it('has its mailboxes with the service that reads them, apart from other mail', () => {
    const { mailboxes, emails, phones } = structureOf(clinic('A', {}));
    expect(mailboxes).toEqual([{ address: 'secretariat@mssante.example', service: 'Secretariat' }]);
    expect([emails, phones]).toEqual([[], ['0102030405']]);
  });
});
