// The directory's own SearchParameter resources: one for each parameter that HL7 does not define, or defines more widely than it
// is served here.

import { DATE_PREFIXES } from '#directory/search/date-ranges.ts';
import { definedBy, type Parameter, type ParameterTable } from './parameters.ts';

/** Where the values stand, for each parameter of our own, by the id of its definition. */
const DEFINED_HERE: Readonly<Record<string, { expression: string; xpath: string; derivedFrom?: string }>> = {
  'Practitioner-qualification': {
    expression: 'Practitioner.qualification.code',
    xpath: 'f:Practitioner/f:qualification/f:code',
  },
  // HL7's takes a system and a use beside the value; here the value alone is compared.
  'Practitioner-telecom': {
    expression: 'Practitioner.telecom',
    xpath: 'f:Practitioner/f:telecom',
    derivedFrom: definedBy('individual-telecom'),
  },
  'Organization-part-of': {
    expression: 'Organization.partOf',
    xpath: 'f:Organization/f:partOf',
    derivedFrom: definedBy('Organization-partof'),
  },
};

export interface SearchParameter {
  resourceType: 'SearchParameter';
  id: string;
  url: string;
  code: string;
  base: readonly string[];
  type: Parameter['type'];
  [element: string]: unknown;
}

/** Canonical address of a parameter's definition: ours, else HL7's. */
export function definitionOf(base: string, { type }: ParameterTable, { name, definition }: Parameter): string {
  const id = `${type}-${name}`;
  if (Object.hasOwn(DEFINED_HERE, id)) return `${base}/SearchParameter/${id}`;
  if (definition === undefined) throw new Error(`${id}: neither HL7 nor search-parameter-definitions.ts defines it`);
  return definition;
}

interface SearchParameterOptions {
  /** Public base of the directory, without a trailing slash. */
  base: string;
  /** Of the service. */
  version: string;
  tables: readonly ParameterTable[];
}

/** All definitions of our own, in the order of the tables. */
export function ownSearchParameters({ base, version, tables }: SearchParameterOptions): SearchParameter[] {
  return tables.flatMap((table) =>
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
        ...paths,
        xpathUsage: 'normal',
        ...(parameter.matching === 'reference' && { target: [parameter.target] }),
        ...(type === 'date' && { comparator: DATE_PREFIXES }),
        ...(parameter.modifiers && { modifier: parameter.modifiers }),
      };
    }),
  );
}
