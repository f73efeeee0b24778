// The resources that the directory makes itself, whole: a definition of a search parameter, a code system of the edition; and the snapshots that hold them.

import { describe, expect, it } from '@jest/globals';
import { codeSystemSnapshots } from '#directory/resources/edition-codes.ts';
import { synonymsOfLabel } from '#directory/resources/label-synonyms.ts';
import { ORGANIZATION } from '#directory/resources/organization.ts';
import { createPersonNames } from '#directory/resources/record-names.ts';
import { CODE_SYSTEM, SERVED, TABLES } from '#directory/resources/resource-types.ts';
import { definitionOf, definitionSnapshots } from '#directory/resources/search-parameter-resources.ts';
import { shelfSnapshot } from '#directory/resources/shelf.ts';
import type { Snapshot } from '#search-index/index.ts';
import { edition, PROFESSION, ROLE, SPECIALTY } from '#support/directory/edition.ts';
import { SCANNED_AT, scanSnapshot } from '#support/directory/scan-snapshot.ts';

const base = 'https://connect.example/directory/v2';

describe('own definitions of search parameters', () => {
  const { current, byId } = definitionSnapshots({ base, version: '1.2.3' });
  const read = async (id: string) => {
    const { meta, ...definition } = JSON.parse((await current()?.read('Organization', id))?.json ?? '{}');
    expect(meta).toEqual({ versionId: expect.stringMatching(/^[\w-]{16}$/), lastUpdated: expect.any(String) });
    return definition;
  };
  const documented = (name: string) => ORGANIZATION.parameters.find((one) => one.name === name)?.documentation;

  it('are whole, with modifiers, target and chains', async () => {
    const common = { resourceType: 'SearchParameter', version: '1.2.3', status: 'active', experimental: false };
    expect(await read('Organization-part-of')).toEqual({
      ...common,
      id: 'Organization-part-of',
      url: `${base}/SearchParameter/Organization-part-of`,
      name: 'part-of',
      code: 'part-of',
      base: ['Organization'],
      type: 'reference',
      derivedFrom: 'http://hl7.org/fhir/SearchParameter/Organization-partof',
      description: documented('part-of'),
      expression: 'Organization.partOf',
      xpath: 'f:Organization/f:partOf',
      xpathUsage: 'normal',
      target: ['Organization'],
      modifier: ['type', 'missing'],
      chain: ORGANIZATION.parameters.map(({ name }) => name),
    });
    expect(await read('Organization-near')).toMatchObject({
      ...common,
      name: 'near',
      type: 'token',
      xpathUsage: 'nearby',
      modifier: ['missing'],
      description: documented('near'),
    });
    expect(Object.keys(await read('Organization-near'))).not.toContain('derivedFrom');
  });

  it('are in a snapshot that is named after them', async () => {
    const snapshot = current();
    expect(snapshot?.id).toMatch(/^definitions-[\w-]{16}$/);
    expect([await byId(snapshot?.id ?? ''), await byId('other')]).toEqual([snapshot, undefined]);
    expect(definitionSnapshots({ base, version: '1.2.4' }).current()?.id).not.toBe(snapshot?.id);
    const [part] = ORGANIZATION.parameters.filter(({ name }) => name === 'part-of');
    if (!part) throw new Error('no parameter');
    expect(definitionOf(base, ORGANIZATION, part)).toBe(`${base}/SearchParameter/Organization-part-of`);
    expect(() => definitionOf(base, ORGANIZATION, { ...part, name: 'x' })).toThrow(
      'Organization-x: neither HL7 nor search-parameter-resources.ts defines it',
    );
    expect([TABLES, SERVED].map((tables) => tables.map(({ type }) => type))).toEqual([
      ['Practitioner', 'Organization', 'PractitionerRole'],
      ['Practitioner', 'Organization', 'PractitionerRole', 'SearchParameter', 'CodeSystem'],
    ]);
  });

  it('a shelf has none of what only an edition has', async () => {
    const shelf = shelfSnapshot('s', async () => []);
    const asked = { field: 'name', word: 'x', within: 1 };
    expect([
      await shelf.spellings('Organization', asked),
      await shelf.codes('Organization', 'type'),
      await shelf.gone('Organization', 'x'),
      await shelf.history(),
      await shelf.scan('Organization', { from: 0, to: 9 }),
      await shelf.listGone('Organization', { limit: 1 }),
      await shelf.counts(),
      await shelf.close(),
    ]).toEqual([
      { known: true, near: [], apart: [] },
      ...[[], undefined, [], '', []],
      { Practitioner: 0, Organization: 0, PractitionerRole: 0 },
      undefined,
    ]);
  });
});

describe('the code systems of an edition', () => {
  const raw = scanSnapshot('one', edition());
  const snapshots = codeSystemSnapshots({ current: () => raw, byId: async (id) => (id === 'one' ? raw : undefined) });
  const search = async (snapshot: Snapshot | undefined) =>
    (await snapshot?.search({ type: CODE_SYSTEM.type, clauses: [], limit: 9, total: true }))?.matches.map(({ json }) =>
      JSON.parse(json),
    ) ?? [];

  it('are whole: title, description, codes with labels, synonyms and counts', async () => {
    const systems = await search(snapshots.current());
    const property = (type: string, field: string) => [
      {
        code: 'count',
        type: 'integer',
        description: `How many ${type} resources ${type}?${field}= finds by the code.`,
      },
    ];
    const common = (id: string, url: string, name: string, title: string, from: string) => ({
      resourceType: 'CodeSystem',
      id,
      url,
      name,
      title,
      status: 'active',
      experimental: false,
      date: SCANNED_AT,
      description: `The codes of this system in ${from} of the edition in force.`,
      caseSensitive: true,
      content: 'fragment',
    });
    const concept = (code: string, display: string | undefined, count: number) => {
      const synonyms = synonymsOfLabel(display ?? '');
      return {
        code,
        ...(display && { display }),
        ...(synonyms.length > 0 && { designation: synonyms.map((value) => ({ value })) }),
        property: [{ code: 'count', valueInteger: count }],
      };
    };
    const [kinds, professions, roles, specialties] = systems.map(({ meta, ...system }) => {
      expect(meta).toEqual({ versionId: expect.stringMatching(/^[\w-]{16}$/), lastUpdated: SCANNED_AT });
      return system;
    });
    expect(professions).toEqual({
      ...common('TRE-G15-ProfessionSante', PROFESSION, 'ProfessionSante', 'Professions', 'Practitioner.qualification'),
      property: property('Practitioner', 'qualification'),
      concept: [
        concept('10', 'Médecin', 2),
        concept('21', 'Pharmacien', 1),
        concept('26', 'Audioprothésiste, expert', 1),
        concept('50', 'Sage-femme', 1),
      ],
    });
    const { concept: _roles, ...ofRoles } = roles;
    expect(ofRoles).toEqual({
      ...common('TRE-R21-Fonction', ROLE, 'Fonction', 'Roles', 'PractitionerRole.code'),
      property: property('PractitionerRole', 'role'),
    });
    const { concept: specialty, ...ofSpecialties } = specialties;
    expect([ofSpecialties, specialty.length]).toEqual([
      {
        ...common(
          'TRE-R38-SpecialiteOrdinale',
          SPECIALTY,
          'SpecialiteOrdinale',
          'Specialties and skills',
          'PractitionerRole.specialty',
        ),
        property: property('PractitionerRole', 'specialty'),
      },
      1,
    ]);
    const { concept: _kinds, ...ofKinds } = kinds;
    expect(ofKinds).toEqual({
      ...common(
        '1.2.250.1.213.2.28',
        'urn:oid:1.2.250.1.213.2.28',
        '1.2.250.1.213.2.28',
        'Kinds of structures',
        'Organization.type',
      ),
      property: property('Organization', 'type'),
    });
  });

  it('leave out diplomas and kinds of skills, and codes without a system', async () => {
    const counted = (...keys: string[]) => keys.map((key) => ({ key, count: 1 }));
    const odd = {
      ...raw,
      id: 'odd',
      history: async () => [],
      codes: async (_type: string, field: string) =>
        ({
          qualification: counted('urn:Diplome|1', 'urn:ProfessionSante|2', 'urn:ProfessionSante|', '|3', '4'),
          specialty: counted('urn:TypeSavoirFaire|5', 'urn:Savoir|6'),
          role: counted('urn:role_/|7', 'urn:Savoir|8'),
          type: [],
        })[field] ?? [],
      search: async () => ({ matches: [], more: false }),
    } as unknown as Snapshot;
    const systems = await search(codeSystemSnapshots({ current: () => odd, byId: async () => odd }).current());
    expect(
      systems.map(({ id, url, name, date, concept }) => [
        id.length > 16 ? id : 'mark',
        url,
        name,
        date,
        concept.map(({ code }: { code: string }) => code),
      ]),
    ).toEqual(
      [
        ...[
          ['ProfessionSante', 'urn:ProfessionSante', '2'],
          ['Savoir', 'urn:Savoir', '6'],
        ].map(([name = '', url, code]) => ['mark', url, name, '1970-01-01T00:00:00.000Z', [code]]),
        ['mark', 'urn:role_/', 'urn:role_/', '1970-01-01T00:00:00.000Z', ['7']],
      ].toSorted(() => 0),
    );
  });

  it('are made once for each edition, under its name', async () => {
    const current = snapshots.current();
    expect([current?.id, current?.state, snapshots.current() === current]).toEqual(['codes-one', 'codes-one', true]);
    expect([await snapshots.byId('codes-one'), await snapshots.byId('one'), await snapshots.byId('codes-two')]).toEqual(
      [current, undefined, undefined],
    );
    const none = codeSystemSnapshots({ current: () => undefined, byId: async () => undefined });
    expect(none.current()).toBeUndefined();
  });
});

describe('names of a person', () => {
  it('are the given names or the family name alone, where there is no other', async () => {
    const records: Record<string, object[]> = {
      given: [{ given: ['Ann', 'Lee'] }],
      family: [{ family: 'LEE' }],
      none: [{ prefix: ['DR'] }],
    };
    const read = async (_type: string, id: string) => ({ json: JSON.stringify({ name: records[id] }) });
    const names = createPersonNames({ current: () => ({ id: '1', read: read as never }) });
    expect([await names(['given']), await names(['family']), await names(['none', 'family']), await names([])]).toEqual(
      [{ given: 'Ann Lee' }, { family: 'LEE' }, { family: 'LEE' }, undefined],
    );
  });

  it('are forgotten beyond the number that is remembered', async () => {
    let reads = 0;
    const read = async (_type: string, id: string) => {
      reads += 1;
      return { json: JSON.stringify({ name: [{ family: id }] }) };
    };
    const names = createPersonNames({ current: () => ({ id: '1', read: read as never }) }, { most: 1 });
    for (const id of ['a', 'a', 'b', 'a']) expect(await names([id])).toEqual({ family: id });
    expect(reads).toBe(3);
  });
});
