// The validators themselves: each planted error is found, and what HL7 published as valid is left alone. Without this, a
// validator that says yes to everything would pass every other test.

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { errorsOf, errorsOfText, packageErrors } from '#support/fhir/validate.ts';
import { walkErrors } from '#support/fhir/walk.ts';

// biome-ignore lint/suspicious/noExplicitAny: errors are planted anywhere
type Resource = any;

const VALID: Record<string, () => Resource> = {
  Practitioner: () => ({
    resourceType: 'Practitioner',
    id: 'p-1',
    meta: { versionId: '1', lastUpdated: '2026-11-02T05:00:00.250Z', tag: [{ system: 'urn:oid:1.2.3', code: 'A' }] },
    identifier: [{ use: 'official', system: 'urn:oid:1.2.250.1.71.4.2.1', value: '810000000011' }],
    active: true,
    name: [{ use: 'official', family: 'DUVAL', given: ['Hélène', 'Marie'], period: { start: '2020', end: '2021-02' } }],
    telecom: [{ system: 'email', value: 'helene@mail.example', use: 'work' }],
    address: [{ use: 'work', line: ['1 RUE HAUTE'], city: 'PARIS', postalCode: '75001' }],
    gender: 'female',
    birthDate: '1980-02-29',
    qualification: [
      {
        identifier: [{ value: 'D1' }],
        code: { coding: [{ system: 'urn:oid:1.2.3', code: '10' }], text: 'Médecin' },
        issuer: { reference: 'Organization/o-1' },
      },
    ],
  }),
  Organization: () => ({
    resourceType: 'Organization',
    id: 'o-1',
    identifier: [{ system: 'https://finess.esante.gouv.fr', value: '250000015' }],
    name: 'CENTRE HOSPITALIER',
    telecom: [{ system: 'phone', value: '0102030405', use: 'work' }],
    address: [{ city: 'NANCY' }],
    partOf: { reference: 'Organization/o-2' },
    contact: [{ name: { family: 'X' } }],
  }),
  PractitionerRole: () => ({
    resourceType: 'PractitionerRole',
    id: 'r-1',
    practitioner: { reference: 'Practitioner/p-1' },
    organization: { reference: 'https://connect.example/directory/v2/Organization/o-1' },
    code: [{ text: 'Médecin' }],
    availableTime: [{ daysOfWeek: ['mon'], availableStartTime: '08:30:00' }],
  }),
  Bundle: () => ({
    resourceType: 'Bundle',
    type: 'searchset',
    total: 1,
    link: [{ relation: 'self', url: 'https://connect.example/directory/v2/Organization' }],
    entry: [
      {
        fullUrl: 'https://connect.example/directory/v2/Organization/o-1',
        resource: { resourceType: 'Organization', id: 'o-1', name: 'X' },
        search: { mode: 'match' },
      },
    ],
  }),
  OperationOutcome: () => ({
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'error', code: 'value', diagnostics: 'x', location: ['http.name'] }],
  }),
  CapabilityStatement: () => ({
    resourceType: 'CapabilityStatement',
    status: 'active',
    date: '2026-11-02T05:00:00Z',
    kind: 'instance',
    implementation: { description: 'x' },
    fhirVersion: '3.0.2',
    acceptUnknown: 'no',
    format: ['json'],
    rest: [
      {
        mode: 'server',
        security: { extension: [{ url: 'urn:x', extension: [{ url: 'token', valueUri: 'https://connect.example' }] }] },
        resource: [
          {
            type: 'Organization',
            profile: { reference: 'http://hl7.org/fhir/StructureDefinition/Organization' },
            interaction: [{ code: 'read' }],
            versioning: 'versioned',
            searchParam: [{ name: 'name', type: 'string' }],
          },
        ],
      },
    ],
  }),
  SearchParameter: () => ({
    resourceType: 'SearchParameter',
    url: 'https://connect.example/SearchParameter/Organization-part-of',
    name: 'part-of',
    status: 'active',
    code: 'part-of',
    base: ['Organization'],
    type: 'reference',
    description: 'x',
    expression: 'Organization.partOf',
    xpath: 'f:Organization/f:partOf',
    xpathUsage: 'normal',
    target: ['Organization'],
  }),
};

/** An error, the type that it is planted in, and how. */
const PLANTED: readonly [error: string, type: string, plant: (resource: Resource) => void][] = [
  ['an unknown element', 'Practitioner', (p) => (p.surname = 'x')],
  ['an unknown element inside', 'Practitioner', (p) => (p.name[0].last = 'x')],
  ['an element of R4', 'Practitioner', (p) => (p.qualification[0].status = 'active')],
  ['an unknown element in a backbone element', 'Organization', (o) => (o.contact[0].gender = 'female')],
  ['an empty array', 'Practitioner', (p) => (p.photo = [])],
  ['an empty array inside', 'Practitioner', (p) => (p.name[0].prefix = [])],
  ['an empty object', 'Practitioner', (p) => p.telecom.push({})],
  ['an empty text', 'Practitioner', (p) => (p.name[0].family = '')],
  ['a text of blanks', 'Practitioner', (p) => (p.name[0].family = '  ')],
  ['null', 'Practitioner', (p) => (p.name[0].family = null)],
  ['null in an array', 'Practitioner', (p) => (p.name[0].given = ['A', null])],
  ['one instead of several', 'Practitioner', (p) => (p.name = p.name[0])],
  ['one text instead of several', 'Practitioner', (p) => (p.name[0].given = 'Marie')],
  ['several instead of one', 'Practitioner', (p) => (p.name[0].family = ['DUVAL'])],
  ['several objects instead of one', 'Organization', (o) => (o.partOf = [o.partOf])],
  ['a text for a boolean', 'Practitioner', (p) => (p.active = 'true')],
  ['a number for a text', 'Practitioner', (p) => (p.identifier[0].value = 810000000011)],
  ['a text for an object', 'Practitioner', (p) => (p.qualification[0].code = 'Médecin')],
  ['an id with _', 'Practitioner', (p) => (p.id = 'a_b')],
  ['an id of 65 characters', 'Practitioner', (p) => (p.id = 'a'.repeat(65))],
  ['a version that is no id', 'Practitioner', (p) => (p.meta.versionId = 'a b')],
  ['a date that does not exist', 'Practitioner', (p) => (p.birthDate = '1981-02-29')],
  ['a French date', 'Practitioner', (p) => (p.birthDate = '29/02/1980')],
  ['an instant without a zone', 'Practitioner', (p) => (p.meta.lastUpdated = '2026-11-02T05:00:00')],
  ['an instant without a time', 'Practitioner', (p) => (p.meta.lastUpdated = '2026-11-02')],
  ['a time of hour 25', 'PractitionerRole', (r) => (r.availableTime[0].availableStartTime = '25:00:00')],
  ['a period that ends before it starts', 'Practitioner', (p) => (p.name[0].period.end = '2019')],
  ['a code that is not in the required set', 'Practitioner', (p) => (p.gender = 'woman')],
  ['a use that is not in the required set', 'Practitioner', (p) => (p.name[0].use = 'professional')],
  ['a use of R4', 'Practitioner', (p) => (p.address[0].use = 'billing')],
  ['a code with a blank at its end', 'Practitioner', (p) => (p.qualification[0].code.coding[0].code = '10 ')],
  ['a uri with a blank', 'Practitioner', (p) => (p.identifier[0].system = 'http://a b')],
  ['an OID that is none', 'Practitioner', (p) => (p.identifier[0].system = 'urn:oid:1.2.x')],
  ['a control character', 'Practitioner', (p) => (p.name[0].family = 'a\u0001')],
  ['a lone surrogate', 'Practitioner', (p) => (p.name[0].family = 'a\ud800')],
  ['cpt-2 a contact without a system', 'Practitioner', (p) => delete p.telecom[0].system],
  ['a qualification without a code', 'Practitioner', (p) => delete p.qualification[0].code],
  ['a reference to another type', 'PractitionerRole', (r) => (r.practitioner.reference = 'Organization/o-1')],
  [
    'an absolute reference to another type',
    'PractitionerRole',
    (r) => (r.organization.reference = 'https://a/Patient/1'),
  ],
  [
    'a reference in a backbone element',
    'Practitioner',
    (p) => (p.qualification[0].issuer.reference = 'Practitioner/1'),
  ],
  ['a bare id as reference', 'Organization', (o) => (o.partOf.reference = 'o-2')],
  ['ref-1 a reference to what is not contained', 'Organization', (o) => (o.partOf.reference = '#o-2')],
  ['a weekday that is none', 'PractitionerRole', (r) => (r.availableTime[0].daysOfWeek = ['lundi'])],
  ['org-1 neither name nor identifier', 'Organization', nameless],
  ['org-2 a home address', 'Organization', (o) => (o.address[0].use = 'home')],
  ['org-3 a home telephone', 'Organization', (o) => (o.telecom[0].use = 'home')],
  ['dom-4 a contained resource with a version', 'Organization', contain],
  ['ext-1 an extension without a value', 'Organization', (o) => (o.extension = [{ url: 'urn:x' }])],
  ['an extension without a url', 'Organization', (o) => (o.extension = [{ valueString: 'x' }])],
  [
    'two values of an extension',
    'Organization',
    (o) => (o.extension = [{ url: 'urn:x', valueString: 'x', valueCode: 'x' }]),
  ],
  ['a Bundle without a type', 'Bundle', (b) => delete b.type],
  ['a Bundle with an empty entry', 'Bundle', (b) => (b.entry = [])],
  ['a total that is a text', 'Bundle', (b) => (b.total = '1')],
  ['a negative total', 'Bundle', (b) => (b.total = -1)],
  ['a total of a half', 'Bundle', (b) => (b.total = 1.5)],
  ['bdl-1 a total in a collection', 'Bundle', (b) => (b.type = 'collection')],
  ['bdl-5 an entry without a resource', 'Bundle', (b) => delete b.entry[0].resource],
  ['bdl-7 one resource twice', 'Bundle', (b) => b.entry.push(b.entry[0])],
  ['bdl-8 a fullUrl with a version', 'Bundle', (b) => (b.entry[0].fullUrl += '/_history/1')],
  ['a search mode that is none', 'Bundle', (b) => (b.entry[0].search.mode = 'main')],
  ['a link without a url', 'Bundle', (b) => delete b.link[0].url],
  ['an error in a link of an entry', 'Bundle', (b) => (b.entry[0].link = [{ relation: 'x' }])],
  ['an error in a resource of a Bundle', 'Bundle', (b) => (b.entry[0].resource.name = ['X'])],
  ['an unknown type in a Bundle', 'Bundle', (b) => (b.entry[0].resource.resourceType = 'Person2')],
  ['an outcome without issues', 'OperationOutcome', (o) => delete o.issue],
  ['an issue type of R4', 'OperationOutcome', (o) => (o.issue[0].code = 'deleted')],
  ['a severity that is none', 'OperationOutcome', (o) => (o.issue[0].severity = 'note')],
  ['a statement without acceptUnknown', 'CapabilityStatement', (c) => delete c.acceptUnknown],
  ['a profile that is a text', 'CapabilityStatement', (c) => (c.rest[0].resource[0].profile = 'http://hl7.org')],
  ['a resource without interactions', 'CapabilityStatement', (c) => delete c.rest[0].resource[0].interaction],
  ['an interaction that is none', 'CapabilityStatement', (c) => (c.rest[0].resource[0].interaction[0].code = 'find')],
  ['cpb-1 neither rest nor messaging', 'CapabilityStatement', (c) => delete c.rest],
  ['cpb-9 one type twice', 'CapabilityStatement', (c) => c.rest[0].resource.push(c.rest[0].resource[0])],
  [
    'cpb-12 one parameter twice',
    'CapabilityStatement',
    (c) => c.rest[0].resource[0].searchParam.push(c.rest[0].resource[0].searchParam[0]),
  ],
  ['spd-1 xpath without xpathUsage', 'SearchParameter', (s) => delete s.xpathUsage],
  ['a parameter type that is none', 'SearchParameter', (s) => (s.type = 'text')],
  ['a target that is no type', 'SearchParameter', (s) => (s.target = ['Hospital'])],
];

function nameless(organization: Resource): void {
  delete organization.name;
  delete organization.identifier;
}

function contain(organization: Resource): void {
  organization.contained = [{ resourceType: 'Organization', id: 'c', meta: { versionId: '1' }, name: 'X' }];
  organization.partOf.reference = '#c';
}

describe('fhir-stu3 the validators', () => {
  it.each(Object.entries(VALID))('leave a valid %s alone', (_type, make) => {
    expect(errorsOf(make())).toEqual([]);
  });

  it.each(PLANTED)('find %s in %s', (_error, type, plant) => {
    const resource = VALID[type]?.();
    plant(resource);
    expect(errorsOf(resource)).not.toEqual([]);
  });

  it.each(PLANTED.filter(([error]) => /^[a-z]{3}-\d/.test(error)))(
    '%s in %s is named by its key',
    (error, type, plant) => {
      const resource = VALID[type]?.();
      plant(resource);
      expect(errorsOf(resource).join()).toContain(error.split(' ')[0]);
    },
  );

  it('each of the two finds some that the other does not, or one of them would do', () => {
    const found = PLANTED.map(([, type, plant]) => {
      const resource = VALID[type]?.();
      plant(resource);
      return { byPackage: packageErrors(resource).length > 0, byWalk: walkErrors(resource).length > 0 };
    });
    expect(found.filter(({ byPackage }) => byPackage).length).toBeGreaterThan(20);
    expect(found.filter(({ byWalk }) => byWalk).length).toBeGreaterThan(70);
  });

  it('text that is no JSON, and a type that STU3 does not have', () => {
    expect(errorsOfText('{"resourceType":"Bundle",')).not.toEqual([]);
    expect(errorsOfText('{"resourceType":"Hospital"}')).not.toEqual([]);
    expect(errorsOfText('[]')).not.toEqual([]);
  });

  it('HL7 examples of the types that are served are valid', () => {
    const folder = dirname(createRequire(import.meta.url).resolve('hl7.fhir.r3.examples/package.json'));
    const files = readdirSync(folder).filter((file) =>
      /^(Practitioner|PractitionerRole|Organization|OperationOutcome)-/.test(file),
    );
    expect(files.length).toBeGreaterThan(30);
    for (const file of files)
      expect([file, errorsOfText(readFileSync(join(folder, file), 'utf8'))]).toEqual([file, []]);
  });
});
