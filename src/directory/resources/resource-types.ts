// The parameter tables of the resource types that are served, and those of the types that the directory makes itself.

import type { ResourceType } from '#search-index/index.ts';
import { ORGANIZATION } from './organization.ts';
import { ID, type Parameter, type ParameterTable, stringParameter, tokenParameter } from './parameters.ts';
import { PRACTITIONER } from './practitioner.ts';
import { PRACTITIONER_ROLE } from './practitioner-role.ts';

/** Applications find by these parameters the codes that the edition has (`edition-codes.ts`). */
export const CODE_SYSTEM: ParameterTable = {
  // No stored snapshot has resources of this type, so no code depends on the cast.
  type: 'CodeSystem' as ResourceType,
  scopes: [],
  documentation:
    'The codes of the edition in force, one resource for each code system: professions, specialties, roles and kinds of structures with their labels, what people say for them, and how many resources have them.',
  parameters: [
    tokenParameter('url', 'CodeSystem-url', {
      ...{ type: 'uri', matching: 'uri', modifiers: [] },
      documentation: 'The exact address of the code system, as in the codings of the resources.',
    }),
    stringParameter('name', 'CodeSystem-name', {
      modifiers: [],
      documentation: 'The beginning of the name: ProfessionSante, SpecialiteOrdinale ...',
    }),
    ID,
  ],
};

/** Clients find by these parameters the directory's own definitions (`search-parameter-definitions.ts`). */
export const SEARCH_PARAMETER: ParameterTable = {
  // No stored snapshot has resources of this type, so no code depends on the cast.
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

/** The types that a snapshot holds. */
export const TABLES: readonly ParameterTable[] = [PRACTITIONER, ORGANIZATION, PRACTITIONER_ROLE];

/** All types: those of a snapshot, the definitions of the directory's own search parameters, and the codes of the edition. */
export const SERVED: readonly ParameterTable[] = [...TABLES, SEARCH_PARAMETER, CODE_SYSTEM];
