// The representation of one resource, whole: what each subset keeps, what is refused and why, and how numbers and Bundles are written.

import { describe, expect, it } from '@jest/globals';
import { FORMATS, formatFor } from '#directory/format/content-negotiation.ts';
import { parsedJson, representationFor } from '#directory/format/serialize.ts';
import {
  checkSubset,
  elementNames,
  type Subset,
  subsetTag,
  subsetted,
} from '#directory/format/summary-and-elements.ts';
import { elementOfXml, withElements, writeXml } from '#directory/format/xml/write-xml.ts';
import { thrownBy } from '#support/directory/thrown.ts';

const TAG = { system: 'http://hl7.org/fhir/v3/ObservationValue', code: 'SUBSETTED', display: 'subsetted' };
const OWN_TAG = { system: 'urn:x', code: 'own' };
const SUMMARY: Subset = { summary: 'true' };

const ORGANIZATION = {
  resourceType: 'Organization',
  id: 'o',
  meta: { versionId: '1', tag: [OWN_TAG] },
  text: { status: 'generated', div: '<div>x</div>' },
  contained: [{ resourceType: 'Endpoint', id: 'e' }],
  extension: [{ url: 'urn:x', valueString: 'y' }],
  modifierExtension: [{ url: 'urn:m', valueBoolean: true }],
  identifier: [{ use: 'official', system: 'urn:s', value: 'v' }, { extension: [{ url: 'urn:x' }] }],
  active: true,
  _active: { id: 'a' },
  name: 'Hospital',
  alias: ['H'],
  telecom: [{ system: 'phone', value: '1' }],
  partOf: { reference: 'Organization/p' },
  endpoint: [{ reference: '#e' }],
  unknown: 1,
};
const META = { versionId: '1', tag: [OWN_TAG, TAG] };
const {
  resourceType,
  id,
  text,
  contained,
  modifierExtension,
  active,
  _active,
  name,
  unknown: _,
  ...others
} = ORGANIZATION;
const head = { resourceType, id, meta: META };

function refusalOf(call: () => unknown) {
  const { status, issues = [] } = thrownBy(call) ?? {};
  const { severity: _severity, location, ...issue } = issues[0] ?? {};
  return status && { status, ...issue, at: location?.[0] };
}

describe('STU3 search 3.1.1.5.8 and 3.1.1.5.9: the subset of a resource', () => {
  it.each<[Subset, object]>([
    [
      { summary: 'true' },
      {
        ...head,
        modifierExtension,
        active,
        name,
        partOf: ORGANIZATION.partOf,
        identifier: [{ use: 'official', system: 'urn:s', value: 'v' }],
      },
    ],
    [{ summary: 'text' }, { ...head, text, name }],
    [{ summary: 'data' }, { ...head, contained, active, _active, modifierExtension, name, ...others, meta: META }],
    [{ elements: ['alias'] }, { ...head, modifierExtension, active, _active, name, alias: ['H'] }],
    [
      { elements: ['Organization.endpoint', 'Practitioner.photo'] },
      { ...head, modifierExtension, active, _active, name, contained, endpoint: ORGANIZATION.endpoint },
    ],
    [{ elements: ['text', '_active'] }, { ...head, text, modifierExtension, active, _active, name }],
  ])('%j keeps what it says', (subset, kept) => {
    expect(subsetted(ORGANIZATION, subset)).toEqual(kept);
  });

  it('a resource is whole where no element of its type is named, and one of an unknown type always', () => {
    expect(subsetted(ORGANIZATION, { elements: ['Practitioner.name'] })).toBe(ORGANIZATION);
    const unknown = { resourceType: 'Doctor', name: 'x' };
    expect(subsetted(unknown, SUMMARY)).toBe(unknown);
  });

  it('in a summary, what is left of an element decides whether it is there', () => {
    const person = {
      resourceType: 'Practitioner',
      identifier: [{ extension: [{ url: 'urn:x' }] }],
      name: [{ _family: { extension: [{ url: 'urn:a', valueString: 'b' }] } }],
      birthDate: '1970',
      _birthDate: { extension: [{ url: 'urn:a' }] },
    };
    expect(subsetted(person, SUMMARY)).toEqual({
      resourceType: 'Practitioner',
      birthDate: '1970',
      name: [{ _family: { extension: [{ url: 'urn:a', valueString: 'b' }] } }],
      meta: { tag: [TAG] },
    });
  });

  it('of a Bundle, each entry by its mode', () => {
    const match = { resource: { resourceType: 'Organization', id: 'm', name: 'M', alias: ['A'], active: true } };
    const included = { ...match, search: { mode: 'include' } };
    const outcome = { resource: { resourceType: 'OperationOutcome', issue: [] }, search: { mode: 'outcome' } };
    const bundle = { resourceType: 'Bundle', total: 1, entry: [match, included, outcome, { fullUrl: 'urn:x' }] };
    const reduced = { resourceType: 'Organization', id: 'm', name: 'M', active: true, meta: { tag: [TAG] } };
    const aliased = { ...reduced, alias: ['A'] };
    const entriesOf = (subset: Subset) => subsetted(bundle, subset)['entry'];
    expect(subsetted(bundle, { elements: ['id'] })).toEqual({
      ...bundle,
      entry: [{ resource: reduced }, included, outcome, { fullUrl: 'urn:x' }],
    });
    expect(entriesOf({ elements: ['Organization.alias'] })).toEqual([
      { resource: aliased },
      { resource: aliased, search: { mode: 'include' } },
      outcome,
      { fullUrl: 'urn:x' },
    ]);
    const { active: _active, ...summary } = reduced;
    expect(entriesOf({ summary: 'text' })).toEqual([
      { resource: summary },
      { resource: summary, search: { mode: 'include' } },
      outcome,
      { fullUrl: 'urn:x' },
    ]);
    const empty = { resourceType: 'Bundle', total: 0 };
    expect(subsetted(empty, SUMMARY)).toBe(empty);
  });

  it('has a tag of its own', () => {
    const subsets: Subset[] = [SUMMARY, { summary: 'data' }, { elements: ['id', 'Practitioner.name'] }];
    expect(subsets.map(subsetTag)).toEqual(['summary+true', 'summary+data', 'elements+id+Practitioner.name']);
  });

  const ELEMENTS = [...elementNames('PractitionerRole')].join(', ');
  it.each<[Subset, string[], string | undefined, string?]>([
    [SUMMARY, ['Organization'], undefined],
    [{ summary: 'text' }, [], undefined],
    [
      { summary: 'text' },
      ['Organization'],
      '_summary=text goes with no _include or _revinclude: leave one of them out.',
      'http._summary',
    ],
    [{ elements: ['code', 'resourceType', 'Organization.name'] }, ['Organization'], undefined],
    [
      { elements: ['name', 'code', 'nom'] },
      [],
      `PractitionerRole has no element name, nom: _elements takes ${ELEMENTS}.`,
    ],
    [
      { elements: ['Practitioner.name'] },
      ['Organization'],
      'no Practitioner comes with this answer: name elements of PractitionerRole, Organization.',
    ],
    [{ elements: ['PractitionerRole.nom'] }, [], `PractitionerRole has no element nom: _elements takes ${ELEMENTS}.`],
  ])('%j beside %j is checked', (subset, included, diagnostics, at = 'http._elements') => {
    const refusal = diagnostics === undefined ? undefined : { status: 400, code: 'value', diagnostics, at };
    const included_ = new Set(included);
    expect(refusalOf(() => checkSubset('PractitionerRole', subset, included_))).toEqual(refusal);
    expect(refusalOf(() => representationFor('PractitionerRole', undefined, { subset }, included_))).toEqual(refusal);
  });

  it('the elements of a type are those of its definition, and resourceType', () => {
    expect(ELEMENTS).toBe(
      'resourceType, id, meta, implicitRules, language, text, contained, extension, modifierExtension, identifier, active, period, practitioner, organization, code, specialty, location, healthcareService, telecom, availableTime, notAvailable, availabilityExceptions, endpoint',
    );
    expect([...elementNames('Doctor')]).toEqual(['resourceType']);
  });
});

describe('fhir-stu3 HTTP: the form of a resource', () => {
  const UNACCEPTABLE =
    'The directory answers in FHIR STU3 (fhirVersion=3.0), as application/fhir+json (_format=json) or application/fhir+xml (_format=xml): ask for one of them, or leave Accept and _format out.';
  it.each([
    ['image/png', undefined, undefined],
    ['*/*', 'yaml', 'http._format'],
    ['*/*', '', 'http._format'],
    ['*/*', 'xml; fhirVersion=4.0', 'http._format'],
    ['application/fhir+json;q=1.0000', undefined, undefined],
    ['application/fhir+json;q=2', undefined, undefined],
  ])('Accept: %s with _format %s is refused', (accept, format, at) => {
    expect(refusalOf(() => formatFor(accept, format))).toEqual({
      status: 406,
      code: 'not-supported',
      diagnostics: UNACCEPTABLE,
      at,
    });
  });

  it.each([
    ['application/fhir+json;q=.5, application/fhir+xml;q=.6', 'xml'],
    ['application/fhir+json;q=1.000, application/fhir+xml;q=0.999', 'json'],
    ['application/json;q=0.1, text/json;q=0.9, text/xml;q=0.5', 'json'],
    ['application/*;q=0.5, */*;q=0.9, text/xml;q=0.6', 'xml'],
    ['application/xml;q=0.5, */*;q=0.5', 'xml'],
    ['application/json;q=0.5, application/xml;q=0.5', 'json'],
    ['text/html, application/xml;q=0.9, */*;q=0.8', 'json'],
    ['text/html;q=0.5, application/xml;q=0.9, */*;q=0.8', 'xml'],
    ['text/html, application/json;q=0.1, application/xml;q=0.9', 'xml'],
    ['text/html, application/fhir+xml;q=0.9, */*;q=0.8', 'xml'],
    ['application/fhir+json; fhirVersion="3.0.1", text/xml; fhirVersion=4.0', 'json'],
    ['application/fhir+xml; fhirVersion=3.0', 'xml'],
  ] as const)('Accept: %s is %s', (accept, format) => {
    expect(formatFor(accept, undefined)).toBe(format);
  });

  it('the formats that are told are those that are served', () => {
    expect(FORMATS).toEqual(['application/fhir+json', 'application/fhir+xml', 'json', 'xml']);
    for (const format of FORMATS) expect(formatFor('image/png', format)).toBe(format.includes('xml') ? 'xml' : 'json');
  });

  it.each([
    '1.10',
    '1e3',
    '-0.50',
    '1000000000000000000001',
    '12345678901234567',
    '[1.0]',
    '{"a":[2,3.00]}',
    '1.5',
    '-7',
  ])('a number such as %s keeps its form', (number) => {
    expect(JSON.stringify(parsedJson(`{"a":${number},"b":"1.10"}`))).toBe(`{"a":${number},"b":"1.10"}`);
  });
});

describe('STU3 xml: the entries of a Bundle', () => {
  const entry = { fullUrl: 'urn:x', resource: { resourceType: 'Organization', id: 'o', name: 'N' } };
  const HEAD = '<?xml version="1.0" encoding="UTF-8"?>';

  it.each([
    [
      false,
      `${HEAD}<Bundle xmlns="http://hl7.org/fhir"><type value="searchset"/><entry><fullUrl value="urn:x"/><resource><Organization><id value="o"/><name value="N"/></Organization></resource></entry></Bundle>`,
    ],
    [
      true,
      `${HEAD}\n<Bundle xmlns="http://hl7.org/fhir">\n  <type value="searchset"/>\n  <entry>\n    <fullUrl value="urn:x"/>\n    <resource>\n      <Organization>\n        <id value="o"/>\n        <name value="N"/>\n      </Organization>\n    </resource>\n  </entry>\n</Bundle>\n`,
    ],
  ])('stand at its end (indented: %j), as if they were written with it', (pretty, xml) => {
    const bundle = { resourceType: 'Bundle', type: 'searchset' };
    expect(writeXml({ ...bundle, entry: [entry] }, { pretty })).toBe(xml);
    expect(withElements(writeXml(bundle, { pretty }), [elementOfXml('Bundle', 'entry', entry, { pretty })])).toBe(xml);
    expect(withElements(writeXml(bundle, { pretty }), [])).toBe(writeXml(bundle, { pretty }));
  });

  it('what STU3 does not define has no form', () => {
    const refused = (call: () => unknown) => thrownBy(call)?.message;
    expect(refused(() => elementOfXml('Bundle', 'name', {}, { pretty: false }))).toBe('STU3 defines no Bundle.name.');
    expect(refused(() => elementOfXml('Doctor', 'name', {}, { pretty: false }))).toBe('STU3 defines no Doctor.name.');
    expect(refused(() => writeXml({ resourceType: 'Doctor' }, { pretty: false }))).toBe(
      'STU3 defines no Doctor: it has no XML form.',
    );
  });
});
