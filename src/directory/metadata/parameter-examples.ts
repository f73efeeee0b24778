// One example value for each search parameter. The OpenAPI description and the reference page show them.

import type { Parameter, ParameterTable } from '#directory/resources/parameters.ts';
import { chainsOf, linkedTable } from '#directory/search/chains.ts';

/** The examples that the descriptions show. In a value, a part in `<` and `>` is a placeholder that the reader fills in. */
export interface Examples {
  /** The example values. A key has the form `Type.parameter`, or is the name of a parameter alone if several types share the example. */
  values: Readonly<Record<string, string>>;
  /** An id for each type. */
  ids: Readonly<Record<string, string>>;
  /** FHIR instant that is shown as the example of `_since`. The current edition can export the changes since this instant. */
  since: string;
  /** For each type, a resource that may be shown in public. */
  resources?: Readonly<Record<string, object>>;
}

/** Placeholder for an id, used where the real id would be that of a person. The reader fills it in. */
export const ID_TO_FILL_IN = '<id>';

/** Examples for the resources that the directory makes itself. The same examples are shown for every edition. */
const OF_DEFINITIONS: Readonly<Record<string, string>> = {
  'SearchParameter.code': 'part-of',
  'SearchParameter.base': 'Organization',
  'SearchParameter.type': 'reference',
  'CodeSystem.name': 'ProfessionSante',
  'CodeSystem.url': 'https://mos.esante.gouv.fr/NOS/TRE_G15-ProfessionSante/FHIR/TRE-G15-ProfessionSante',
};

/** Fictional examples, which are used while no edition is served. */
export const EXAMPLES: Examples = {
  values: {
    ...OF_DEFINITIONS,
    'Practitioner.name': 'mart',
    'Practitioner.identifier': 'urn:oid:1.2.250.1.71.4.2.1|810000000011',
    'Practitioner.qualification': 'Médecin',
    'Practitioner.address': 'rue paris',
    'Practitioner.telecom': 'camille.exemple@medecin.mssante.example',
    'Practitioner.email': 'camille.exemple@medecin.mssante.example',
    // In the registers only structures have telephone numbers. A person has none, so the example is a placeholder.
    'Practitioner.phone': '<telephone>',
    'Practitioner.phone:missing': 'true',
    'Practitioner.mailbox-mss': 'camille.exemple@medecin.mssante.example',
    'Practitioner.family': 'martin',
    'Practitioner.given': 'anne',
    'Organization.name': 'hopital st',
    'Organization.identifier': '250000015',
    'Organization.address': 'bd pontarlier',
    'Organization.type': '355',
    'Organization.near': '48.8566|2.3522|10|km',
    'Organization.telecom': 'phone|0381000000',
    'Organization.email': 'accueil@hopital.mssante.example',
    'Organization.phone': '03 81 00 00 00',
    'Organization.mailbox-mss': 'accueil@hopital.mssante.example',
    'Organization.type:text': 'centre',
    'PractitionerRole.role': 'L',
    'PractitionerRole.role:text': 'lib',
    'PractitionerRole.specialty': 'SM54',
    'SearchParameter.url': 'http://hl7.org/fhir/SearchParameter/Organization-partof',
    'address-city': 'strasbourg',
    'address-postalcode': '67',
    _lastUpdated: 'ge2026-01',
  },
  ids: {
    Practitioner: '810000000011',
    Organization: 'F250000015',
    PractitionerRole: '810000000011-0a1b2c3d4e5f6g',
    SearchParameter: 'Organization-part-of',
    CodeSystem: 'TRE-G15-ProfessionSante',
  },
  since: '2026-11-20T05:00:00.000Z',
};

/** Examples of parameters that have none of their own, by the rule of matching. */
const USUAL: Readonly<Record<string, string>> = { instant: 'ge2026-01', boolean: 'true', words: 'martin' };

/** Gives an example value for the parameter. */
export function exampleOf({ type }: ParameterTable, parameter: Parameter, examples: Examples): string {
  const { values } = examples;
  const known = values[`${type}.${parameter.name}`] ?? values[parameter.name];
  if (known !== undefined) return known;
  if (parameter.matching === 'id') return exampleId(type, examples);
  if (parameter.matching === 'reference') return `${parameter.target}/${exampleId(parameter.target, examples)}`;
  return USUAL[parameter.matching] ?? '10';
}

/**
 * The parameter at the end of an example chain, for each linked type. The chain could end with any other parameter of that type as well.
 */
const AT_THE_END: Readonly<Record<string, string>> = {
  Practitioner: 'name',
  Organization: 'name',
  PractitionerRole: 'specialty',
};

/** Gives one example of a chain for each reference that leads from the type or to it. */
export function chainExamples({ type }: ParameterTable, examples: Examples) {
  return chainsOf(type).flatMap((chain) => {
    const linked = linkedTable(chain);
    const parameter = linked.parameters.find(({ name }) => name === AT_THE_END[linked.type]);
    if (!parameter) return [];
    const name = chain.prefix + parameter.name;
    const example = examples.values[`${type}.${name}`] ?? exampleOf(linked, parameter, examples);
    return { ...chain, name, parameter, example, linked: linked.type };
  });
}

/** Gives an example of an id of that type. */
export function exampleId(type: string, { ids }: Examples = EXAMPLES): string {
  return ids[type] ?? '1';
}

/** Checks that the example has no placeholder, so that it can be sent unchanged. */
export function isWhole(example: string): boolean {
  return !example.includes('<');
}
