// Makes the interactions of each resource type: what its address answers, and the scopes that this needs.

import type { Interaction } from './middleware/interaction.ts';
import { type ScopeCheck, scopeCheck } from './middleware/require-scopes.ts';
import { read } from './read.ts';
import { CODE_SYSTEM } from './resources/code-system.ts';
import type { ParameterTable } from './resources/parameters.ts';
import { TABLES } from './resources/resource-types.ts';
import { SEARCH_PARAMETER } from './resources/search-parameter.ts';
import { linkedScopes, type SearchOptions, search } from './search/search.ts';

/** What is possible with the resources of one type. */
export interface TypeInteractions {
  type: string;
  /** Throws FhirError 403 unless the token permits it; undefined for a type that is open to everybody. */
  check: ScopeCheck | undefined;
  search: Interaction;
  read: Interaction;
}

/**
 * @param directory options of the types that a snapshot holds
 * @param definitions options of the definitions of the directory itself
 * @param codes options of the code systems of the edition
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
