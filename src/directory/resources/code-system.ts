// The search parameters of CodeSystem. Applications use them to find the codes that the edition has (`edition-codes.ts`).

import type { ResourceType } from '#search-index/index.ts';
import { ID, type ParameterTable, stringParameter, tokenParameter } from './parameters.ts';

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
