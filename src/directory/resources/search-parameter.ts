// The search parameters of SearchParameter. Clients use them to find the directory's own definitions (`search-parameter-definitions.ts`).

import type { ResourceType } from '#search-index/index.ts';
import { ID, type Parameter, type ParameterTable, tokenParameter } from './parameters.ts';

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
