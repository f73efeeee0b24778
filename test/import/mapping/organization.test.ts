// An Organization from facts of several registers, roles as a whole, concepts, and ids of structures.

import { describe, expect, it } from '@jest/globals';
import { CODE_SYSTEMS, DIPLOMA_SYSTEMS, SKILL_SYSTEMS } from '#import/mapping/code-systems.ts';
import { codeOf, conceptOf, createConcepts, distinctConcepts } from '#import/mapping/codeable-concepts.ts';
import { mapOrganization } from '#import/mapping/organization.ts';
import { mapRoles } from '#import/mapping/practitioner-role.ts';
import { finessId, idFrom, luhnValid, shortHash, siretId, structureId } from '#import/mapping/resource-ids.ts';
import type { StructureFacts } from '#import/mapping/structure-facts.ts';
import { A } from '#import/registers/person-columns.ts';
import { type Cells, lineOf } from '#support/import/lines.ts';
import { facts } from '#support/import/structure-facts.ts';

const place = (postalCode: string, above: string[] = []) => ({
  element: { use: 'work' as const, postalCode },
  parts: {
    above,
    street: '',
    mention: '',
    cedex: '',
    postalCode,
    city: '',
    commune: '',
    district: '',
    country: '',
  },
});
const contact = (system: 'phone' | 'fax' | 'email', value: string) => ({
  element: { system, value },
  identity: `${system}|${value}`,
});
const LYON = { latitude: 45.75, longitude: 4.85 };
function mapped(all: readonly StructureFacts[], id = 'F690000013', position?: typeof LYON) {
  const warnings: string[] = [];
  const context = {
    namespace: 'https://x.example',
    warn: (kind: string, text: string) => warnings.push(`${kind} ${text}`),
  };
  return { organization: mapOrganization(id, all, [], context as never, position), warnings };
}

describe('directory data 3: an Organization', () => {
  const concepts = createConcepts();

  it('takes names, addresses and the legal entity of the most credible register, and unites the rest', () => {
    const { organization, warnings } = mapped([
      facts('reference', { finess: '690000013', nationalId: '1690000013', partOf: 'F1' }),
      facts('mailbox', { name: 'Box', address: place('13001'), siren: '990202640' }),
      facts('legal-entity', { name: 'Entité', siret: '99020264000018', partOf: 'F2' }),
      facts('establishment', {
        name: 'SITE',
        aliases: ['CH-Lyon', 'Site'],
        partOf: 'F690000021',
        address: place('69004'),
        types: [concepts.category('355', 'Centre')],
        contacts: [contact('email', 'a@x'), contact('fax', '3'), contact('phone', '1')],
      }),
      facts('activities', {
        name: 'CH LYON',
        aliases: ['', 'Hôpital'],
        partOf: 'F690000013',
        finess: '690000012',
        siret: '99020264000018',
        address: place('69003'),
        types: [concepts.sector('SA01', 'Public'), undefined],
        contacts: [contact('phone', '2'), contact('phone', '1')],
      }),
      facts('activities', { name: 'ch lyon', address: place('69003', ['SERVICE']) }),
    ]);
    const official = (system: string, value: string) => ({ use: 'official', system, value });
    expect(organization).toEqual({
      resourceType: 'Organization',
      id: 'F690000013',
      active: true,
      identifier: [
        official('urn:oid:1.2.250.1.71.4.2.2', '1690000013'),
        official('https://finess.esante.gouv.fr', '690000012'),
        official('https://finess.esante.gouv.fr', '690000013'),
        official('https://sirene.fr', '99020264000018'),
        official('https://sirene.fr', '990202640'),
        official('https://x.example/fhir/Identifier/organization-technical-id', 'F690000013'),
      ],
      name: 'CH LYON',
      alias: ['Hôpital', 'SITE', 'Entité', 'Box'],
      type: [
        { coding: [{ system: CODE_SYSTEMS.establishmentCategory, code: '355', display: 'Centre' }] },
        { coding: [{ system: CODE_SYSTEMS.sector, code: 'SA01', display: 'Public' }] },
      ],
      telecom: ['phone 2', 'phone 1', 'fax 3', 'email a@x'].map((text) => {
        const [system, value] = text.split(' ');
        return { system, value };
      }),
      address: [{ use: 'work', postalCode: '69003' }],
      partOf: { reference: 'Organization/F690000021' },
    });
    expect(warnings).toEqual([
      'bad-check-digit FINESS 690000012 of Organization/F690000013',
      'bad-check-digit SIRET 99020264000018 of Organization/F690000013',
    ]);
    const nothing = mapped([facts('reference')], 'F1').organization;
    expect(Object.keys(nothing)).toEqual(['resourceType', 'id', 'identifier', 'active']);
    expect(mapped([facts('activities', { siren: '990202641' })]).warnings).toEqual([
      'bad-check-digit SIREN 990202641 of Organization/F690000013',
    ]);
  });

  it.each([
    ['the same postal code', ['01000', '69003', '69004'], '69004', 2],
    ['else the same department', ['01000', '69003', '69009'], '69004', 1],
    ['else none', ['01000', '13001'], '69004', undefined],
    ['none without a code', ['01000', ''], '', undefined],
  ])('has the position at the address of %s', (_what, codes, ofFiness, located) => {
    const all = codes.map((code, at) =>
      facts('activities', { address: { ...place(code), parts: { ...place(code).parts, city: `${at}` } } }),
    );
    const { organization } = mapped([...all, facts('establishment', { address: place(ofFiness) })], 'F1', LYON);
    const found = organization.address?.findIndex(({ extension }) => extension !== undefined);
    expect(organization.address?.[found ?? -1]?.postalCode).toBe(located === undefined ? undefined : codes[located]);
    expect(organization.address).toHaveLength(codes.length);
  });
});

describe('directory data 3: concepts', () => {
  it('have the code systems of their kind', () => {
    const concepts = createConcepts();
    const elements = Object.entries(concepts).map(([kind, make]) => {
      const systems = make('c', 'l', kind === 'skill' ? 'S' : 'DE', 'l2')?.element.coding?.map(({ system }) => system);
      return [kind, ...(systems ?? [])];
    });
    const { profession, category, skillType, diplomaType, field, permitType } = CODE_SYSTEMS;
    expect(elements).toEqual([
      ['profession', profession, category],
      ['skill', SKILL_SYSTEMS.get('S'), skillType],
      ['diploma', DIPLOMA_SYSTEMS.get('DE'), diplomaType],
      ['permit', field, permitType],
      ['mode', CODE_SYSTEMS.mode, undefined],
      ['genre', CODE_SYSTEMS.genre, undefined],
      ['role', CODE_SYSTEMS.role, undefined],
      ['section', CODE_SYSTEMS.section, undefined],
      ['sector', CODE_SYSTEMS.sector, undefined],
      ['category', CODE_SYSTEMS.establishmentCategory, undefined],
      ['publicService', CODE_SYSTEMS.publicService, undefined],
      ['legalStatus', CODE_SYSTEMS.legalStatus, undefined],
    ]);
  });

  it('are made once for each wording, with the codes that there are', () => {
    const { mode, profession } = createConcepts();
    const system = CODE_SYSTEMS.mode;
    expect(mode('L  X', 'Libéral')).toEqual({
      element: { coding: [{ system, code: 'L X', display: 'Libéral' }] },
      order: 'L  X|Libéral||',
    });
    expect(mode('L', '')).toEqual({ element: { coding: [{ system, code: 'L' }] }, order: 'L|||' });
    expect(mode('', 'Libéral')).toEqual({ element: { text: 'Libéral' }, order: '|Libéral||' });
    expect(mode('', '')).toBeUndefined();
    expect(profession('', '', '', 'Civil')).toEqual({ element: { text: 'Civil' }, order: '|||Civil' });
    expect(profession('', 'Médecin', 'C', '')?.element).toEqual({
      coding: [{ system: CODE_SYSTEMS.category, code: 'C' }],
      text: 'Médecin',
    });
    const all = [
      profession('10', 'a', 'C', 'b'),
      profession('10', 'A', 'C', 'b'),
      profession('10', 'a', 'D', 'b'),
      profession('10', 'a', 'C', 'B'),
    ];
    expect(new Set(all).size).toBe(4);
    expect(profession('10', 'a', 'C', 'b')).toBe(all[0]);
    expect(distinctConcepts([all[2], undefined, all[0], all[2]])).toEqual([all[0]?.element, all[2]?.element]);
    expect([codeOf('a   b  c d'), conceptOf(mode, ['x', 'L', 'l'], 1, 2)?.order]).toEqual(['a b c d', 'L|l||']);
    expect(conceptOf(profession, ['10', 'a', 'C', 'b'], 0, 1, 2, 3)).toBe(all[0]);
  });

  it('make a role, as a whole', () => {
    const cells = {
      technicalId: 'R1',
      mode: 'L',
      modeLabel: 'Libéral',
      genre: 'G',
      genreLabel: 'Soin',
      role: 'F',
      roleLabel: 'Titulaire',
      section: 'A',
      sectionLabel: 'Officine',
      skillType: 'S',
      skillTypeLabel: 'Spécialité',
      skill: 'SM26',
      skillLabel: 'MG',
    };
    const coding = (system: string | undefined, code: string, display: string) => ({ system, code, display });
    const [role, ...others] = mapRoles(
      '8'.repeat(60),
      [lineOf(A, cells), lineOf(A, { ...cells, skill: '', skillLabel: '' })],
      createConcepts(),
    );
    expect(others).toEqual([]);
    expect(role).toEqual({
      resourceType: 'PractitionerRole',
      id: `${'8'.repeat(49)}-${shortHash('R1|L|G|F|A')}`,
      active: true,
      practitioner: { reference: `Practitioner/${'8'.repeat(60)}` },
      organization: { reference: 'Organization/R1' },
      code: [
        { coding: [coding(CODE_SYSTEMS.mode, 'L', 'Libéral')] },
        { coding: [coding(CODE_SYSTEMS.genre, 'G', 'Soin')] },
        { coding: [coding(CODE_SYSTEMS.role, 'F', 'Titulaire')] },
        { coding: [coding(CODE_SYSTEMS.section, 'A', 'Officine')] },
      ],
      specialty: [
        { coding: [coding(SKILL_SYSTEMS.get('S'), 'SM26', 'MG'), coding(CODE_SYSTEMS.skillType, 'S', 'Spécialité')] },
      ],
    });
    const [alone] = mapRoles('1', [lineOf(A, { technicalId: 'R1' })], createConcepts());
    expect(Object.keys(alone ?? {})).toEqual(['resourceType', 'id', 'active', 'practitioner', 'organization']);
    expect(mapRoles('1', [lineOf(A, { section: 'A' })], createConcepts())[0]?.id).toBe(`1-${shortHash('||||A')}`);
  });
});

describe('directory data 2: ids of structures', () => {
  const ids = (...all: Cells[]) => all.map((cells) => structureId(lineOf(A, cells)));

  it('are hashes of name and address, or of numbers where there are neither', () => {
    const place = { name: 'CABINET', street: 'PASTEUR', country: 'France' };
    const [one, phoned, spaced, elsewhere, other] = ids(
      place,
      { ...place, phone: '0199000001', siren: '990202640' },
      { ...place, name: ' CABINET ' },
      { ...place, country: 'Suisse' },
      { ...place, name: 'CENTRE' },
    );
    expect(one).toMatch(/^o-[0-9a-f]{32}$/);
    expect([phoned, spaced]).toEqual([one, one]);
    expect(new Set([one, elsewhere, other]).size).toBe(3);
    const [siren, former, both] = ids(
      { siren: '990202640' },
      { formerId: '2990202640' },
      { siren: '1', formerId: '2' },
    );
    expect(new Set([siren, former, both]).size).toBe(3);
    expect(ids({ mail: 'a@b' }, { authority: 'x' }, { mode: 'L' }, {})).toEqual([
      expect.stringMatching(/^o-/),
      ...[undefined, undefined, undefined],
    ]);
  });

  it('or the numbers themselves', () => {
    expect(
      ids({ technicalId: 'R/1', finess: '1' }, { finess: '690000013', siret: '1' }, { siret: '99', name: 'x' }),
    ).toEqual([idFrom('R/1', 'o-'), 'F690000013', 'C99']);
    expect([finessId('69/1'), siretId('9 9')]).toEqual([idFrom('F69/1', 'o-'), idFrom('C9 9', 'o-')]);
    expect([finessId('69/1'), siretId('9 9')].every((id) => /^o-[0-9a-f]{32}$/.test(id))).toBe(true);
  });

  it('hashes of roles, and check digits to the last rule', () => {
    expect(['', 'a', 'R1||||', '€'].map(shortHash)).toEqual([
      ...['17yrfpz0x45t0z', '0jgszpi0qaz73i', '1bq36uf123mdi4', '0cr6y5n04stuxw'],
    ]);
    expect(['0', '18', '17', '59', '', '2A4000028', '2B4000027', '2K4000028'].map(luhnValid)).toEqual([
      ...[true, true, false, true, true, true, false, false],
    ]);
    expect(['35600000000048', '35600000000049', '35600000049837', '3560000000004'].map(luhnValid)).toEqual([
      ...[true, false, true, false],
    ]);
  });
});
