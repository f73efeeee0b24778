// Directory data, section 3: what each column of PA, DI, SF and MSS becomes in Practitioner, and how it is found.

import { describe, expect, it } from '@jest/globals';
import { indexResource } from '#import/fhir/index-entries.ts';
import { createConcepts } from '#import/mapping/codeable-concepts.ts';
import { mapPractitioner } from '#import/mapping/practitioner.ts';
import { labelKey, tokenKeys } from '#search-index/exact-keys.ts';
import { activity, type Cells, HEADERS, type PipeRegister } from '#support/import/register-files.ts';

const NOS = (number: string, name: string) =>
  `https://mos.esante.gouv.fr/NOS/TRE_${number}-${name}/FHIR/TRE-${number}-${name}`;

function row(register: PipeRegister, cells: Cells): string[] {
  return HEADERS[register].split('|').map((_, column) => cells[column] ?? '');
}

interface Lines {
  activities?: Cells[];
  diplomas?: Cells[];
  skills?: Cells[];
  mailboxes?: Cells[];
  nationalId?: string;
}

function map({
  activities = [activity()],
  diplomas = [],
  skills = [],
  mailboxes = [],
  nationalId = '819000000018',
}: Lines = {}) {
  const warnings: string[] = [];
  const mapped = mapPractitioner(
    {
      nationalId,
      activities: activities.map((cells) => row('activities', cells)),
      diplomas: diplomas.map((cells) => row('diplomas', cells)),
      skills: skills.map((cells) => row('skills', cells)),
      mailboxes: mailboxes.map((cells) => row('mailboxes', cells)),
    },
    { namespace: 'https://hygie.example', concepts: createConcepts(), warn: (kind) => warnings.push(kind) },
  );
  // biome-ignore lint/suspicious/noExplicitAny: tests look into a free-form resource
  return { ...indexResource(mapped), resource: mapped as any, warnings };
}

describe('directory data 3: Practitioner identifiers and id', () => {
  it('copies PA.2 and derives the id from it', () => {
    const { resource, index } = map();
    expect(resource.id).toBe('819000000018');
    expect(resource.identifier).toEqual([
      { use: 'official', system: 'urn:oid:1.2.250.1.71.4.2.1', value: '819000000018' },
      { use: 'official', system: 'https://hygie.example/fhir/Identifier/practitioner-rpps', value: '19000000018' },
      { use: 'official', system: 'https://rpps.esante.gouv.fr', value: '19000000018' },
    ]);
    const tokens = resource.identifier.flatMap((one: { system: string; value: string }) => tokenKeys(one));
    expect(new Set(index['identifier'])).toEqual(new Set(tokens));
  });

  it('gives PA.1 as RPPS number only where PA.0 is 8', () => {
    const { resource } = map({ activities: [activity({ 0: '0', 1: '751234567' })], nationalId: '0751234567' });
    expect(resource.identifier.map((one: { system: string }) => one.system)).toEqual(['urn:oid:1.2.250.1.71.4.2.1']);
  });

  it('hashes a national identifier that is no legal FHIR id, always to the same id', () => {
    const [first, second] = [map({ nationalId: '3/1234567' }), map({ nationalId: '3/1234567' })];
    expect(first.id).toMatch(/^p-[0-9a-f]{32}$/);
    expect(second.id).toBe(first.id);
    expect(first.resource.identifier[0].value).toBe('3/1234567');
  });

  it('warns of a bad check digit and keeps the person', () => {
    expect(map({ activities: [activity({ 1: '19000000017' })] }).warnings).toEqual(['bad-check-digit']);
  });
});

describe('directory data 3: Practitioner name', () => {
  it('keeps the case and takes the title of practice before the civility', () => {
    const { resource, index, sortKey } = map({ activities: [activity({ 3: 'DR', 7: "D'HERVÉ", 8: 'Jean-Luc' })] });
    expect(resource.name).toEqual([{ use: 'official', family: "D'HERVÉ", given: ['Jean-Luc'], prefix: ['DR'] }]);
    // A line break keeps the family and the given name from being neighbours.
    expect(index['name']).toEqual(["D'HERVÉ\nJean-Luc"]);
    expect(sortKey).toBe('d herve\tjean luc');
  });

  it('takes the civility without a title, neither without both, and never derives a gender', () => {
    expect(map().resource.name[0].prefix).toEqual(['MME']);
    const { resource } = map({ activities: [activity({ 5: '' })] });
    expect(resource.name[0]).not.toHaveProperty('prefix');
    expect(map().resource).not.toHaveProperty('gender');
  });

  it('leaves out an empty part', () => {
    expect(map({ activities: [activity({ 5: '', 8: ' ' })] }).resource.name).toEqual([
      { use: 'official', family: 'MARTIN' },
    ]);
    expect(map({ activities: [activity({ 5: '', 7: '', 8: '' })] }).resource).not.toHaveProperty('name');
  });
});

describe('directory data 3: Practitioner qualification', () => {
  it('maps profession and category of PA.9-12', () => {
    const { resource, index } = map();
    expect(resource.qualification).toEqual([
      {
        code: {
          coding: [
            { system: NOS('G15', 'ProfessionSante'), code: '10', display: 'Médecin' },
            { system: NOS('R09', 'CategorieProfessionnelle'), code: 'C', display: 'Civil' },
          ],
        },
      },
    ]);
    const codings = resource.qualification[0].code.coding;
    const keys = codings.flatMap(({ system, code, display }: { system: string; code: string; display: string }) => [
      ...tokenKeys({ system, value: code }),
      labelKey(display),
    ]);
    expect(new Set(index['qualification'])).toEqual(new Set(keys));
  });

  it.each([
    ['S', NOS('R38', 'SpecialiteOrdinale')],
    ['C', NOS('R39', 'Competence')],
    ['CEX', NOS('R40', 'CompetenceExclusive')],
    ['CAPA', NOS('R43', 'CapaciteSavoirFaire')],
    ['PAC', NOS('R44', 'QualificationPAC')],
    ['OP', NOS('G13', 'OrientationParticuliere')],
    ['NEW', undefined],
  ])('gives a skill of type %s the system %s', (type, system) => {
    const { resource } = map({ skills: [{ 9: type, 10: 'Type', 11: 'X1', 12: 'Savoir' }] });
    expect(resource.qualification[1].code.coding).toEqual([
      { ...(system !== undefined && { system }), code: 'X1', display: 'Savoir' },
      { system: NOS('R04', 'TypeSavoirFaire'), code: type, display: 'Type' },
    ]);
  });

  it('unites the skills of PA.13-16 and SF.9-12', () => {
    const skill = { 13: 'S', 14: 'Spécialité ordinale', 15: 'SM26', 16: 'Qualifié en Médecine Générale' };
    const { resource } = map({
      activities: [activity(skill), activity({ ...skill, 17: 'S' })],
      skills: [
        { 9: 'S', 10: 'Spécialité ordinale', 11: 'SM26', 12: 'Qualifié en Médecine Générale' },
        { 9: 'CAPA', 10: 'Capacité', 11: 'CAPA01', 12: 'Angiologie' },
      ],
    });
    const codes = resource.qualification.map(
      (one: { code: { coding: { code: string }[] } }) => one.code.coding[0]?.code,
    );
    expect(codes).toEqual(['10', 'CAPA01', 'SM26']);
  });

  it('maps diplomas (DI.5-8) and authorisations (DI.9-12)', () => {
    const { resource, index } = map({
      diplomas: [
        { 5: 'DE', 6: "Diplôme d'Etat français", 7: 'DE28', 8: 'Docteur en médecine' },
        { 9: 'AE', 10: "Autorisation d'exercice", 11: '10', 12: 'Médecin' },
      ],
    });
    const concepts = resource.qualification.map((one: { code: unknown }) => one.code);
    expect(concepts.slice(1)).toEqual([
      {
        coding: [
          { system: NOS('R48', 'DiplomeEtatFrancais'), code: 'DE28', display: 'Docteur en médecine' },
          { system: NOS('R14', 'TypeDiplome'), code: 'DE', display: "Diplôme d'Etat français" },
        ],
      },
      {
        coding: [
          { system: NOS('R18', 'DisciplineAutorisation'), code: '10', display: 'Médecin' },
          { system: NOS('R17', 'TypeAutorisation'), code: 'AE', display: "Autorisation d'exercice" },
        ],
      },
    ]);
    expect(index['qualification']).toContain('~diplome d etat francais');
  });

  it('keeps a label without a code as text', () => {
    const { resource } = map({ activities: [activity({ 9: '', 11: '', 12: '' })] });
    expect(resource.qualification).toEqual([{ code: { text: 'Médecin' } }]);
  });
});

describe('directory data 3: Practitioner address', () => {
  it('gives each address once, whatever the order of the lines', () => {
    const two = [activity(), activity({ 32: 'PASTEUR', 17: 'S' }), activity({ 17: 'S', 24: 'OTHER NAME' })];
    expect(map({ activities: two }).resource.address).toHaveLength(2);
    expect(map({ activities: [...two].reverse() }).resource.address).toEqual(map({ activities: two }).resource.address);
  });

  it('gives none for a line without a structure, and one abroad as it is', () => {
    const blank = Object.fromEntries(Array.from({ length: 28 }, (_, index) => [19 + index, '']));
    expect(map({ activities: [activity(blank)] }).resource).not.toHaveProperty('address');
    const abroad = activity({ ...blank, 32: 'CARRICK HOUSE', 34: 'GL 5O 2QJ CHELTENHAM', 35: 'GL', 39: 'Royaume-uni' });
    expect(map({ activities: [abroad] }).resource.address).toEqual([
      { use: 'work', line: ['CARRICK HOUSE', 'GL 5O 2QJ CHELTENHAM'], postalCode: 'GL', country: 'Royaume-uni' },
    ]);
  });
});

describe('directory data 3: Practitioner telecom', () => {
  it('maps MSS lines of type PER, each address once whatever its case', () => {
    const { resource, index } = map({
      mailboxes: [
        { 0: 'PER', 1: 'Zoe.MARTIN@pro.mssante.example', 17: 'O' },
        { 0: 'PER', 1: 'A.MARTIN@APICRYPT.EXAMPLE', 17: 'N' },
        { 0: 'PER', 1: 'zoe.martin@pro.mssante.example', 17: 'O' },
      ],
    });
    expect(resource.telecom.map(({ value, rank }: { value: string; rank: number }) => [value, rank])).toEqual([
      ['A.MARTIN@APICRYPT.EXAMPLE', 1],
      ['Zoe.MARTIN@pro.mssante.example', 2],
    ]);
    expect(resource.telecom[0]).toMatchObject({
      extension: [
        {
          url: 'https://hl7.fr/ig/fhir/core/StructureDefinition/fr-core-contact-point-email-type',
          valueCoding: { system: NOS('R256', 'TypeMessagerie'), code: 'MSSANTE' },
        },
        { extension: [{ url: 'digitization', valueBoolean: false }] },
      ],
      system: 'email',
      use: 'work',
    });
    const keysOf = (address: string) => [address, `email|${address}`, `mss|${address}`];
    expect(new Set(index['telecom'])).toEqual(
      new Set(['email|', 'mss|', ...keysOf('a.martin@apicrypt.example'), ...keysOf('zoe.martin@pro.mssante.example')]),
    );
  });

  it('never takes the ordinary mail address or telephone of PA.40-43', () => {
    const { resource, index } = map({ activities: [activity({ 40: '0381385454', 43: 'contact@cabinet.example' })] });
    expect(resource).not.toHaveProperty('telecom');
    expect(index['telecom']).toEqual([]);
  });
});
