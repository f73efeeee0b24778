// The entries under which a resource is found, as a whole; and what is counted of its elements.

import { describe, expect, it } from '@jest/globals';
import { deduplicateResources } from '#import/fhir/deduplicate.ts';
import { type DirectoryResource, indexResource, withoutMeta } from '#import/fhir/index-entries.ts';
import { cellsOf, RESOURCE_COLUMNS } from '#import/fhir/resource-columns.ts';
import { repeated } from '#search-index/index.ts';

const index = (resource: object) => indexResource({ id: 'x', ...resource } as DirectoryResource);

const PRACTITIONER = {
  resourceType: 'Practitioner',
  id: 'p',
  active: true,
  name: [
    { use: 'usual', family: 'BERNARD', given: ['Cécile'] },
    { use: 'official', family: "D'HERVÉ", given: ['Jean', 'Luc'], text: 'Dr' },
    { text: 'Docteur X' },
    { use: 'old', family: "D'HERVÉ" },
    {},
  ],
  address: [
    { line: ['1 RUE', 'BP'], city: 'LYON', postalCode: '69003', district: 'RHONE', country: 'France' },
    { text: 'nowhere' },
    { postalCode: '69003', text: 'not this' },
    { line: ['2 RUE'] },
    {},
  ],
  identifier: [{ system: 'https://s', value: '1' }, { value: '2' }, { system: 'https://t' }],
  qualification: [
    {
      code: {
        coding: [{ system: 'https://q', code: '10', display: 'Médecin' }, { display: 'Autre' }],
        text: 'Généraliste',
      },
    },
    { code: { coding: [{ code: '10' }] } },
  ],
  telecom: [{ system: 'email', value: 'A@b.example' }, { system: 'phone' }],
};
const ADDRESSES = {
  address: ['1 RUE BP 69003 LYON', 'nowhere', ' 69003 ', '2 RUE  '],
  'address-city': ['LYON'],
  'address-postalcode': ['69003'],
};

describe('directory import: index entries', () => {
  it('of a Practitioner', () => {
    expect(index(PRACTITIONER)).toEqual({
      type: 'Practitioner',
      id: 'p',
      sortKey: 'd herve\tjean luc',
      resource: PRACTITIONER,
      index: {
        name: ['BERNARD\nCécile', "D'HERVÉ\nJean Luc", 'Docteur X', "D'HERVÉ"],
        family: ['BERNARD', "D'HERVÉ"],
        given: ['Cécile', 'Jean Luc'],
        ...ADDRESSES,
        identifier: ['1', 'https://s|1', 'https://s|', '2', '|2'],
        qualification: ['10', 'https://q|10', 'https://q|', '~medecin', '~autre', '~generaliste', '|10'],
        telecom: ['a@b.example', 'email|', 'email|a@b.example'],
        active: ['true'],
      },
    });
    expect(index({ resourceType: 'Practitioner' })).toMatchObject({
      sortKey: '\t',
      index: {
        name: [],
        family: [],
        given: [],
        address: [],
        'address-city': [],
        'address-postalcode': [],
        identifier: [],
        qualification: [],
        telecom: [],
        active: [],
      },
    });
  });

  it.each([
    [[{ family: 'A' }, { use: 'usual', family: 'B' }], 'b\t'],
    [
      [
        { family: 'A', given: ['X'] },
        { use: 'temp', family: 'B' },
      ],
      'a\tx',
    ],
    [[{ given: ['X', 'Y'], text: 'T' }], '\tx y'],
    [[{ text: 'Docteur X' }], 'docteur x\t'],
  ])('a person named %j is sorted by %j', (name, sortKey) => {
    expect(index({ resourceType: 'Practitioner', name }).sortKey).toBe(sortKey);
  });

  it('of an Organization', () => {
    const geolocation = (latitude: number, longitude: number) => ({
      url: 'http://hl7.org/fhir/StructureDefinition/geolocation',
      extension: [
        { url: 'latitude', valueDecimal: latitude },
        { url: 'longitude', valueDecimal: longitude },
      ],
    });
    const resource = {
      resourceType: 'Organization',
      id: 'o',
      active: false,
      name: 'Clinique d’Été',
      alias: ['ÉTÉ', 'Clinique d’Été'],
      address: [{ city: 'LYON', extension: [geolocation(45.75, 4.85)] }, { extension: [geolocation(45.75, 4.85)] }],
      identifier: [{ value: '1' }],
      partOf: { reference: 'Organization/g/_history/2' },
      type: [{ coding: [{ system: 'https://t', code: '355' }] }],
      telecom: [{ system: 'other', value: 'x' }],
    };
    expect(index(resource)).toEqual({
      type: 'Organization',
      id: 'o',
      sortKey: 'clinique d ete',
      resource,
      index: {
        name: ['Clinique d’Été', 'ÉTÉ'],
        address: ['  LYON'],
        'address-city': ['LYON'],
        'address-postalcode': [],
        identifier: ['1', '|1'],
        'part-of': ['Organization/g'],
        type: ['355', 'https://t|355', 'https://t|'],
        telecom: ['x', 'other|', 'other|x'],
        active: ['false'],
        near: ['45.75|4.85'],
      },
    });
    expect(index({ resourceType: 'Organization', alias: ['A'] })).toMatchObject({
      sortKey: '\u{10ffff}',
      index: { name: ['A'], 'part-of': [], type: [], near: [], active: [] },
    });
  });

  it('of a PractitionerRole', () => {
    const resource = {
      resourceType: 'PractitionerRole',
      id: 'r',
      active: true,
      practitioner: { reference: 'Practitioner/p' },
      organization: { reference: 'https://x.example/Organization/o' },
      code: [{ text: 'Chef' }],
      specialty: [{ coding: [{ code: 'SM26' }] }],
    };
    expect(index(resource)).toEqual({
      type: 'PractitionerRole',
      id: 'r',
      sortKey: '',
      resource,
      index: {
        practitioner: ['Practitioner/p'],
        organization: ['https://x.example/Organization/o'],
        role: ['~chef'],
        specialty: ['SM26', '|SM26'],
        active: ['true'],
      },
    });
    expect(index({ resourceType: 'PractitionerRole', practitioner: {} }).index).toEqual({
      practitioner: [],
      organization: [],
      role: [],
      specialty: [],
      active: [],
    });
  });

  it('of concepts that many resources share are made once, for lists of up to four', () => {
    const concepts = Array.from({ length: 70 }, (_, at) =>
      repeated({ coding: [{ system: 'https://s', code: String(at % 69), display: `Label ${at}` }] }),
    );
    const keysOf = (...some: number[]) =>
      index({ resourceType: 'PractitionerRole', code: some.map((at) => concepts[at]) }).index['role'];
    expect(keysOf(1)).toEqual(['1', 'https://s|1', 'https://s|', '~label 1']);
    expect(keysOf(1, 2)).toEqual(['1', 'https://s|1', 'https://s|', '~label 1', '2', 'https://s|2', '~label 2']);
    expect(keysOf(0, 69)).toEqual(['0', 'https://s|0', 'https://s|', '~label 0', '~label 69']);
    for (const shared of [[1], [1, 2], [1, 2, 3, 4]]) expect(keysOf(...shared)).toBe(keysOf(...shared));
    expect(keysOf(1, 2, 3, 4, 5)).not.toBe(keysOf(1, 2, 3, 4, 5));
    expect(keysOf(1, 2, 3, 4, 5)).toHaveLength(16);
    // 64 lists with one more concept are kept.
    for (let at = 1; at <= 64; at++) keysOf(0, at);
    expect(keysOf(0, 63)).toBe(keysOf(0, 63));
    expect(keysOf(0, 66)).not.toBe(keysOf(0, 66));
    const own = { coding: [{ code: 'x' }] };
    const mixed = () => index({ resourceType: 'PractitionerRole', code: [concepts[1], own] }).index['role'];
    expect(mixed()).toEqual(['1', 'https://s|1', 'https://s|', '~label 1', 'x', '|x']);
    expect(mixed()).not.toBe(mixed());
  });
});

describe('directory import: elements that are counted like columns', () => {
  it('are these, by their paths', () => {
    const paths = Object.entries(RESOURCE_COLUMNS).map(([type, columns]) => [
      type,
      columns.map(({ key, label, to }) => (label === to ? `${key} ${label}` : '')),
    ]);
    const contact = [
      'telecom telecom',
      'addressLine address.line',
      'city address.city',
      'postalCode address.postalCode',
    ];
    expect(Object.fromEntries(paths)).toEqual({
      Practitioner: [
        ...['identifier identifier.value', 'family name.family', 'given name.given'],
        ...['qualification qualification.code.coding.code', ...contact],
      ],
      Organization: [
        ...['identifier identifier.value', 'name name', 'type type.coding.code', 'partOf partOf.reference', ...contact],
      ],
      PractitionerRole: [
        ...['practitioner practitioner.reference', 'organization organization.reference', 'code code.coding.code'],
        'specialty specialty.coding.code',
      ],
    });
  });

  it('have the first value that there is', () => {
    expect(cellsOf(PRACTITIONER as never)).toEqual([
      ...['1', 'BERNARD', 'Cécile', '10', '(given)', '1 RUE', 'LYON', '69003'],
    ]);
    const clinic = { resourceType: 'Organization', id: 'o', name: 'A', identifier: [{}, { value: '7' }], telecom: [] };
    expect(cellsOf(clinic as never)).toEqual(['7', 'A', '', '', '', '', '', '']);
    const role = {
      resourceType: 'PractitionerRole',
      id: 'r',
      practitioner: { reference: 'Practitioner/p' },
      code: 'x',
    };
    expect(cellsOf(role as never)).toEqual(['Practitioner/p', '', '', '']);
  });
});

describe('directory import: versions of a resource', () => {
  const version = (name: string, lastUpdated?: unknown, more: object = {}) => ({
    resourceType: 'Organization',
    id: 'x',
    name,
    ...more,
    ...(lastUpdated !== undefined && { meta: { lastUpdated } }),
  });
  /** The name that is kept of versions, each with its file and line, and the warnings. */
  function kept(...versions: readonly (readonly [resource: object, file: number, line: number])[]) {
    const warnings: string[] = [];
    const spilled = versions.map(([resource, file, line]) => ({ file, line, text: JSON.stringify(resource) }));
    const found = deduplicateResources(spilled, (kind, example) => warnings.push(`${kind} ${example}`));
    return [...[...found.values()].map((resource) => (resource as { name?: string }).name), ...warnings];
  }
  const CONFLICT = 'conflicting-resource Organization/x';

  it('the latest is kept, and of those without a date the first that was read', () => {
    const [old, young] = [version('OLD', '2026-01-01T00:00:00Z'), version('NEW', '2026-01-01T00:00:00+01:00')];
    expect(kept([old, 0, 1], [young, 0, 2])).toEqual(['OLD', CONFLICT]);
    expect(kept([young, 0, 1], [old, 0, 2])).toEqual(['OLD', CONFLICT]);
    expect(kept([version('NONE'), 0, 1], [young, 1, 2])).toEqual(['NEW', CONFLICT]);
    expect(kept([version('ODD', { toString: 1 }), 0, 2], [version('BAD', 'x'), 0, 1])).toEqual(['BAD', CONFLICT]);
    expect(kept([version('A'), 1, 1], [version('B'), 0, 9])).toEqual(['B', CONFLICT]);
    expect(kept([version('A'), 0, 9], [version('B'), 1, 1])).toEqual(['A', CONFLICT]);
    expect(kept([version('A'), 0, 9], [version('B'), 0, 8], [version('C'), 0, 10])).toEqual(['B', CONFLICT, CONFLICT]);
  });

  it('the same again is repeated, whatever its order, meta and narrative', () => {
    const turned = { name: 'A', text: { div: 'x' }, id: 'x', resourceType: 'Organization', meta: { versionId: '3' } };
    expect(kept([version('A'), 0, 1], [turned, 0, 2])).toEqual(['A', 'repeated-resource Organization/x']);
    expect(kept([version('A'), 0, 1], [version('A', undefined, { id: 'y' }), 0, 2])).toEqual(['A', 'A']);
    const bare = withoutMeta({ ...turned, id: 'x' } as never);
    expect(bare).toEqual({ name: 'A', id: 'x', resourceType: 'Organization' });
  });
});
