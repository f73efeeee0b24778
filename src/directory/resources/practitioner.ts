// The search parameters of Practitioner: those of specification section 2.3, and further ones of STU3.

import {
  addressParameter,
  contactParameters,
  fieldSort,
  IDENTIFIER_RULE,
  labelledParameter,
  NAME_RULE,
  type ParameterTable,
  SORTS_OF_EVERY_TYPE,
  sharedParameters,
  stringParameter,
  tokenParameter,
} from './parameters.ts';

export const PRACTITIONER: ParameterTable = {
  type: 'Practitioner',
  scopes: ['PRACTITIONER_READ'],
  documentation: 'Health professionals.',
  parameters: [
    stringParameter('name', 'Practitioner-name', {
      minimum: 2,
      titles: true,
      documentation: `${NAME_RULE} Family and given names are searched, not the prefix; titles before the words (Dr, Pr, M., Mme) are left out, and a note says so.`,
    }),
    tokenParameter('identifier', 'Practitioner-identifier', {
      documentation: `${IDENTIFIER_RULE} RPPS number and national identifier among others.`,
    }),
    labelledParameter('qualification', undefined),
    addressParameter('individual-address'),
    ...contactParameters(true, 'Secure messaging addresses.'),
    stringParameter('family', 'individual-family', {
      documentation:
        'Every word of the value begins a word of the family name; legall finds LE GALL, and le gall finds LEGALL.',
    }),
    stringParameter('given', 'individual-given', {
      documentation:
        'Every word of the value begins a word of the given names; jeanpierre finds JEAN-PIERRE, and the other way round.',
    }),
    ...sharedParameters('individual-address', 'Practitioner-active'),
  ],
  // The alphabetical order is by family name, then by given names.
  sorts: [
    { names: ['name'], by: 'alphabet' },
    { names: ['family'], by: 'alphabet' },
    { names: ['family', 'given'], by: 'alphabet' },
    fieldSort('given'),
    fieldSort('address-city'),
    ...SORTS_OF_EVERY_TYPE,
  ],
};
