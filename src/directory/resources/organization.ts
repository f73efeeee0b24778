// The search parameters of Organization (specification section 2.4, and STU3's own beyond it).

import {
  ADDRESS_RULE,
  definedBy,
  IDENTIFIER_RULE,
  NAME_RULE,
  OF_REFERENCES,
  OF_STRINGS,
  OF_TOKENS,
  type ParameterTable,
  SORTS_OF_EVERY_TYPE,
  sharedParameters,
} from '../search/parameters.ts';

const PART_OF_RULE =
  'Exact reference of the parent: Organization/<id>, <id>, or the absolute address of the parent here.';

export const ORGANIZATION: ParameterTable = {
  type: 'Organization',
  scopes: ['ORGANIZATION_READ'],
  documentation: 'Care structures and the legal entities that they belong to.',
  parameters: [
    {
      name: 'name',
      field: 'name',
      type: 'string',
      matching: 'words',
      modifiers: OF_STRINGS,
      minimum: 2,
      equivalents: true,
      definition: definedBy('Organization-name'),
      documentation: `${NAME_RULE} Names and aliases are searched.`,
    },
    {
      name: 'identifier',
      field: 'identifier',
      type: 'token',
      matching: 'token',
      modifiers: OF_TOKENS,
      definition: definedBy('Organization-identifier'),
      documentation: `${IDENTIFIER_RULE} FINESS, SIRET and SIREN numbers among others.`,
    },
    {
      name: 'address',
      field: 'address',
      type: 'string',
      matching: 'words',
      modifiers: OF_STRINGS,
      minimum: 1,
      equivalents: true,
      definition: definedBy('Organization-address'),
      documentation: ADDRESS_RULE,
    },
    {
      name: 'part-of',
      field: 'part-of',
      type: 'reference',
      matching: 'reference',
      modifiers: OF_REFERENCES,
      target: 'Organization',
      element: 'partOf',
      documentation: PART_OF_RULE,
    },
    {
      name: 'partof',
      field: 'part-of',
      type: 'reference',
      matching: 'reference',
      modifiers: OF_REFERENCES,
      target: 'Organization',
      element: 'partOf',
      definition: definedBy('Organization-partof'),
      documentation: `HL7's spelling of part-of. ${PART_OF_RULE}`,
    },
    {
      name: 'type',
      field: 'type',
      type: 'token',
      matching: 'token',
      modifiers: OF_TOKENS,
      definition: definedBy('Organization-type'),
      documentation: 'Exact value only: code, system|code, |code or system|.',
    },
    ...sharedParameters('Organization-address', 'Organization-active'),
  ],
  sorts: [{ names: ['name'], by: 'alphabet' }, ...SORTS_OF_EVERY_TYPE],
};
