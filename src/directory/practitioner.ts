// Owns the search parameters of Practitioner (specification section 2.3, and STU3's own beyond it).
// Does not own how values are parsed (`values.ts`) or found (the store).

import {
  ADDRESS_RULE,
  definedBy,
  IDENTIFIER_RULE,
  NAME_RULE,
  type ParameterTable,
  sharedParameters,
} from './parameters.ts';
import { SORTS_OF_EVERY_TYPE } from './sorts.ts';

export const PRACTITIONER: ParameterTable = {
  type: 'Practitioner',
  permissions: ['PRACTITIONER_READ'],
  documentation: 'Health professionals.',
  parameters: [
    {
      name: 'name',
      field: 'name',
      type: 'string',
      matching: 'words',
      minimum: 2,
      equivalents: false,
      definition: definedBy('Practitioner-name'),
      documentation: `${NAME_RULE} Family and given names are searched, not the prefix.`,
    },
    {
      name: 'identifier',
      field: 'identifier',
      type: 'token',
      matching: 'token',
      definition: definedBy('Practitioner-identifier'),
      documentation: `${IDENTIFIER_RULE} RPPS number and national identifier among others.`,
    },
    {
      name: 'qualification',
      field: 'qualification',
      type: 'token',
      matching: 'labelled',
      documentation: 'Exact value only: code, system|code, or the whole label (case and accents aside).',
    },
    {
      name: 'address',
      field: 'address',
      type: 'string',
      matching: 'words',
      minimum: 1,
      equivalents: true,
      definition: definedBy('individual-address'),
      documentation: ADDRESS_RULE,
    },
    {
      name: 'telecom',
      field: 'telecom',
      type: 'token',
      matching: 'contact',
      definition: definedBy('individual-telecom'),
      documentation: 'The exact secure messaging address, case aside.',
    },
    {
      name: 'family',
      field: 'family',
      type: 'string',
      matching: 'words',
      minimum: 1,
      equivalents: false,
      definition: definedBy('individual-family'),
      documentation: 'Every word of the value begins a word of the family name.',
    },
    {
      name: 'given',
      field: 'given',
      type: 'string',
      matching: 'words',
      minimum: 1,
      equivalents: false,
      definition: definedBy('individual-given'),
      documentation: 'Every word of the value begins a word of the given names.',
    },
    ...sharedParameters('individual-address', 'Practitioner-active'),
  ],
  // The alphabetical order is that of family names, then of given names.
  sorts: [
    { names: ['name'], by: 'alphabet' },
    { names: ['family'], by: 'alphabet' },
    { names: ['family', 'given'], by: 'alphabet' },
    ...SORTS_OF_EVERY_TYPE,
  ],
};
