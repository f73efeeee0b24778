// The directory's own SearchParameter resources, which are served from memory. A parameter has its own definition if HL7 does not define
// the parameter, or if the parameter finds less here than HL7 says.

import type { Snapshots } from '#directory/resolve-snapshot.ts';
import { type ResourceType, tokenKeys } from '#search-index/index.ts';
import { DATE_PREFIXES, definedBy, type Parameter, type ParameterTable } from './parameters.ts';
import { TABLES } from './resource-types.ts';
import { markOf, shelfSnapshot, shelved } from './shelf.ts';

/** For each of the directory's own definitions, the paths of the elements that it searches. The key is the id of the SearchParameter. */
const DEFINED_HERE: Readonly<
  Record<string, { expression: string; xpath: string; derivedFrom?: string; xpathUsage?: string }>
> = {
  'Practitioner-qualification': {
    expression: 'Practitioner.qualification.code',
    xpath: 'f:Practitioner/f:qualification/f:code',
  },
  // HL7's parameter also matches the use of a contact. The parameter here ignores the use, so it needs a definition of its own.
  'Practitioner-telecom': {
    expression: 'Practitioner.telecom',
    xpath: 'f:Practitioner/f:telecom',
    derivedFrom: definedBy('individual-telecom'),
  },
  'Practitioner-mailbox-mss': secureMail('Practitioner'),
  // STU3 defines `near` for Location only, and in a form that later versions dropped. So the directory has its own definition.
  'Organization-near': {
    expression: "Organization.address.extension('http://hl7.org/fhir/StructureDefinition/geolocation')",
    xpath: "f:Organization/f:address/f:extension[@url='http://hl7.org/fhir/StructureDefinition/geolocation']",
    xpathUsage: 'nearby',
  },
  'Organization-part-of': {
    expression: 'Organization.partOf',
    xpath: 'f:Organization/f:partOf',
    derivedFrom: definedBy('Organization-partof'),
  },
  'Organization-telecom': { expression: 'Organization.telecom', xpath: 'f:Organization/f:telecom' },
  'Organization-email': contacts('Organization', 'email'),
  'Organization-phone': contacts('Organization', 'phone'),
  'Organization-mailbox-mss': secureMail('Organization'),
};

function contacts(type: string, system: string) {
  return {
    expression: `${type}.telecom.where(system='${system}')`,
    xpath: `f:${type}/f:telecom[f:system/@value='${system}']`,
  };
}

function secureMail(type: string) {
  return {
    expression: `${type}.telecom.where(extension.value.code='MSSANTE').value`,
    xpath: `f:${type}/f:telecom[f:extension/f:valueCoding/f:code/@value='MSSANTE']/f:value`,
  };
}

interface SearchParameter {
  resourceType: 'SearchParameter';
  id: string;
  url: string;
  code: string;
  base: readonly string[];
  type: Parameter['type'];
  [element: string]: unknown;
}

/**
 * The canonical address of a parameter's definition: an address of this directory for its own definitions, and HL7's address for all
 * others.
 */
export function definitionOf(base: string, { type }: ParameterTable, { name, definition }: Parameter): string {
  const id = `${type}-${name}`;
  if (Object.hasOwn(DEFINED_HERE, id)) return `${base}/SearchParameter/${id}`;
  if (definition === undefined) throw new Error(`${id}: neither HL7 nor search-parameter-resources.ts defines it`);
  return definition;
}

interface DefinitionOptions {
  /** Public base address of the directory, without a trailing slash. */
  base: string;
  /** Version of the service. */
  version: string;
}

/** Makes all of the directory's own definitions, in the order of the tables. */
function ownSearchParameters({ base, version }: DefinitionOptions): SearchParameter[] {
  return TABLES.flatMap((table) =>
    table.parameters.flatMap((parameter) => {
      const id = `${table.type}-${parameter.name}`;
      const found = DEFINED_HERE[id];
      if (!found) return [];
      const { derivedFrom, ...paths } = found;
      const { name, type } = parameter;
      return {
        resourceType: 'SearchParameter' as const,
        id,
        url: definitionOf(base, table, parameter),
        version,
        name,
        status: 'active',
        experimental: false,
        code: name,
        base: [table.type],
        type,
        ...(derivedFrom !== undefined && { derivedFrom }),
        description: parameter.documentation,
        xpathUsage: 'normal',
        ...paths,
        ...(parameter.matching === 'reference' && { target: [parameter.target], chain: namesOf(parameter.target) }),
        ...(type === 'date' && { comparator: DATE_PREFIXES }),
        ...(parameter.modifiers && { modifier: parameter.modifiers }),
      };
    }),
  );
}

/** The names of all parameters of a type. A chain that leads to the type can end with each of them. */
function namesOf(type: ResourceType): string[] {
  return TABLES.find((table) => table.type === type)?.parameters.map(({ name }) => name) ?? [];
}

/**
 * Makes the snapshot that holds the definitions. It is the only one, because the definitions never change while the service runs. Its id is
 * a hash of the definitions, so every process accepts the links of the others.
 */
export function definitionSnapshots(options: DefinitionOptions): Snapshots {
  const definitions = ownSearchParameters(options);
  const shelf = shelved(definitions, new Date().toISOString(), ({ url, code, base, type }) => ({
    url: [url],
    code: tokenKeys({ value: code }),
    base: base.flatMap((value) => tokenKeys({ value })),
    type: tokenKeys({ value: type }),
  }));
  const snapshot = shelfSnapshot(`definitions-${markOf(definitions)}`, async () => shelf);
  return { current: () => snapshot, byId: async (wanted) => (wanted === snapshot.id ? snapshot : undefined) };
}
