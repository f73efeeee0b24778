// The search parameters of PractitionerRole: where a professional works, as what.

import {
  definedBy,
  everyTypesParameters,
  OF_REFERENCES,
  OF_TOKENS,
  type ParameterTable,
  SORTS_OF_EVERY_TYPE,
} from '../search/parameters.ts';

const CODE_RULE = 'Exact value only: code, system|code, |code or system|.';

export const PRACTITIONER_ROLE: ParameterTable = {
  type: 'PractitionerRole',
  // A role links a person with a structure.
  scopes: ['PRACTITIONER_READ', 'ORGANIZATION_READ'],
  documentation: 'What a professional does in a care structure, and with which specialties.',
  parameters: [
    {
      name: 'practitioner',
      field: 'practitioner',
      type: 'reference',
      matching: 'reference',
      modifiers: OF_REFERENCES,
      target: 'Practitioner',
      element: 'practitioner',
      definition: definedBy('PractitionerRole-practitioner'),
      documentation:
        'Exact reference of the professional: Practitioner/<id>, <id>, or the absolute address of the professional here.',
    },
    {
      name: 'organization',
      field: 'organization',
      type: 'reference',
      matching: 'reference',
      modifiers: OF_REFERENCES,
      target: 'Organization',
      element: 'organization',
      definition: definedBy('PractitionerRole-organization'),
      documentation:
        'Exact reference of the care structure: Organization/<id>, <id>, or the absolute address of the structure here.',
    },
    {
      name: 'role',
      field: 'role',
      type: 'token',
      matching: 'token',
      modifiers: OF_TOKENS,
      definition: definedBy('PractitionerRole-role'),
      documentation: CODE_RULE,
    },
    {
      name: 'specialty',
      field: 'specialty',
      type: 'token',
      matching: 'token',
      modifiers: OF_TOKENS,
      definition: definedBy('PractitionerRole-specialty'),
      documentation: CODE_RULE,
    },
    ...everyTypesParameters('PractitionerRole-active'),
  ],
  // Roles have no name: their alphabetical order is that of their ids.
  sorts: [{ names: ['_id'], by: 'alphabet' }, ...SORTS_OF_EVERY_TYPE],
};
