// The search parameters of SearchParameter, by which clients find the directory's own definitions (`search-parameter-definitions.ts`).

import type { ResourceType } from '#search-index/index.ts';
import { definedBy, ID, type Parameter, type ParameterTable } from './parameters.ts';

export const SEARCH_PARAMETER: ParameterTable = {
  // No snapshot of the store holds it, so that its type matters nowhere.
  type: 'SearchParameter' as ResourceType,
  scopes: [],
  documentation: 'Definitions of the search parameters that are particular to this directory.',
  parameters: [
    parameter('url', { type: 'uri', matching: 'uri' }, 'The exact canonical address.'),
    parameter('code', { type: 'token', matching: 'token' }, 'The exact name of the parameter in a search.'),
    parameter('base', { type: 'token', matching: 'token' }, 'The exact type that it searches.'),
    parameter('type', { type: 'token', matching: 'token' }, 'The exact type of the parameter: string, token ...'),
    ID,
  ],
};

function parameter(
  name: string,
  rule: { type: 'uri'; matching: 'uri' } | { type: 'token'; matching: 'token' },
  documentation: string,
): Parameter {
  return { name, field: name, ...rule, definition: definedBy(`SearchParameter-${name}`), documentation };
}
