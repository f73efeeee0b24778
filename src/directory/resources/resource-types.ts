// The parameter tables of all resource types. A snapshot stores the resources of some types, and the directory makes those of the others
// itself.

import type { ResourceType } from '#search-index/index.ts';
import { ORGANIZATION } from './organization.ts';
import { ID, type Parameter, type ParameterTable, stringParameter, tokenParameter } from './parameters.ts';
import { PRACTITIONER } from './practitioner.ts';
import { PRACTITIONER_ROLE } from './practitioner-role.ts';

/** The parameter table of CodeSystem. With these parameters, applications find the codes that the edition uses (`edition-codes.ts`). */
export const CODE_SYSTEM: ParameterTable = {
  // `ResourceType` has only the types that an imported snapshot stores. The cast is safe, because no imported snapshot is asked for this
  // type.
  type: 'CodeSystem' as ResourceType,
  scopes: [],
  documentation:
    'The codes of the edition in force, one resource for each code system: professions, specialties, roles and kinds of structures with their labels, what people say for them, and how many resources have them.',
  parameters: [
    tokenParameter('url', 'CodeSystem-url', {
      type: 'uri',
      matching: 'uri',
      modifiers: [],
      documentation: 'The exact address of the code system, as in the codings of the resources.',
    }),
    stringParameter('name', 'CodeSystem-name', {
      modifiers: [],
      documentation: 'The beginning of the name: ProfessionSante, SpecialiteOrdinale ...',
    }),
    ID,
  ],
};

/**
 * The parameter table of SearchParameter. With these parameters, clients find the directory's own definitions
 * (`search-parameter-resources.ts`).
 */
export const SEARCH_PARAMETER: ParameterTable = {
  // `ResourceType` has only the types that an imported snapshot stores. The cast is safe, because no imported snapshot is asked for this
  // type.
  type: 'SearchParameter' as ResourceType,
  scopes: [],
  documentation: 'Definitions of the search parameters that are particular to this directory.',
  parameters: [
    exact('url', 'The exact canonical address.', { type: 'uri', matching: 'uri' }),
    exact('code', 'The exact name of the parameter in a search.'),
    exact('base', 'The exact type that it searches.'),
    exact('type', 'The exact type of the parameter: string, token ...'),
    ID,
  ],
};

function exact(name: string, documentation: string, rule: object = {}): Parameter {
  return tokenParameter(name, `SearchParameter-${name}`, { modifiers: [], documentation, ...rule });
}

/** The tables of the types that a snapshot stores. */
export const TABLES: readonly ParameterTable[] = [PRACTITIONER, ORGANIZATION, PRACTITIONER_ROLE];

/**
 * The tables of all types: those of a snapshot, the directory's own definitions of search parameters, and the code systems of the edition.
 */
export const SERVED: readonly ParameterTable[] = [...TABLES, SEARCH_PARAMETER, CODE_SYSTEM];
