// Owns one example of a value for each search parameter: the descriptions show them, and a test tries them all.
// Fictional, or a beginning that many entries share. Does not own what a value may be (the parameter tables).

import type { Parameter, ParameterTable } from './parameters.ts';

const EXAMPLES: Readonly<Record<string, string>> = {
  'Practitioner.name': 'mart',
  'Practitioner.identifier': 'urn:oid:1.2.250.1.71.4.2.1|810000000011',
  'Practitioner.qualification': 'Médecin',
  'Practitioner.address': 'rue paris',
  'Practitioner.telecom': 'camille.exemple@medecin.mssante.example',
  'Practitioner.family': 'martin',
  'Practitioner.given': 'anne',
  'Organization.name': 'hopital st',
  'Organization.identifier': '250000015',
  'Organization.address': 'bd pontarlier',
  'Organization.type': '355',
  'PractitionerRole.role': 'L',
  'PractitionerRole.specialty': 'SM54',
  'SearchParameter.url': 'http://hl7.org/fhir/SearchParameter/Organization-partof',
  'SearchParameter.code': 'part-of',
  'SearchParameter.base': 'Organization',
  'SearchParameter.type': 'reference',
  'address-city': 'strasbourg',
  'address-postalcode': '67',
};

const IDS: Readonly<Record<string, string>> = {
  Practitioner: '810000000011',
  Organization: 'F250000015',
  PractitionerRole: '810000000011-0a1b2c3d4e5f6g',
  SearchParameter: 'Organization-part-of',
};

/** A value that the parameter takes. */
export function exampleOf({ type }: Pick<ParameterTable, 'type'>, parameter: Parameter): string {
  const known = EXAMPLES[`${type}.${parameter.name}`] ?? EXAMPLES[parameter.name];
  if (known !== undefined) return known;
  switch (parameter.matching) {
    case 'id':
      return exampleId(type);
    case 'instant':
      return 'ge2026-01';
    case 'boolean':
      return 'true';
    case 'reference':
      return `${parameter.target}/${exampleId(parameter.target)}`;
    case 'words':
      return 'martin';
    default:
      return '10';
  }
}

/** An id of that type. */
export function exampleId(type: string): string {
  return IDS[type] ?? '1';
}
