// Makes the interactions (search and read) of each resource type, and the check of the scopes that these interactions need.

import type { Interaction } from './middleware/interaction.ts';
import { type ScopeCheck, scopeCheck } from './middleware/require-scopes.ts';
import { read } from './read.ts';
import type { ParameterTable } from './resources/parameters.ts';
import { CODE_SYSTEM, SEARCH_PARAMETER, TABLES } from './resources/resource-types.ts';
import { linkedScopes, type SearchOptions, search } from './search/search.ts';

/** The interactions of one type. */
export interface TypeInteractions {
  type: string;
  /** Throws FhirError 403 if the token lacks a scope; undefined for a type that is open to everybody. */
  check: ScopeCheck | undefined;
  search: Interaction;
  read: Interaction;
}

/**
 * Makes the interactions of all types.
 * @param directory options of the types that a snapshot stores
 * @param definitions options of SearchParameter, the directory's own definitions of search parameters
 * @param codes options of CodeSystem, the code systems of the edition
 */
export function typeInteractions(
  directory: SearchOptions,
  definitions: SearchOptions,
  codes: SearchOptions,
): readonly TypeInteractions[] {
  return [
    ...TABLES.map((table) => interactionsOf(table, directory)),
    interactionsOf(SEARCH_PARAMETER, definitions),
    interactionsOf(CODE_SYSTEM, codes),
  ];
}

function interactionsOf(table: ParameterTable, options: SearchOptions): TypeInteractions {
  const { type, scopes } = table;
  const check = scopes.length > 0 ? scopeCheck(scopes, linkedScopes(table, options)) : undefined;
  return { type, check, search: search(table, options), read: read(table, options) };
}
