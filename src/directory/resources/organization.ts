// The search parameters of Organization: those of specification section 2.4, and further ones of STU3.

import {
  addressParameter,
  contactParameters,
  fieldSort,
  IDENTIFIER_RULE,
  labelledParameter,
  NAME_RULE,
  NEAR_FORM,
  type Parameter,
  type ParameterTable,
  referenceParameter,
  SORTS_OF_EVERY_TYPE,
  sharedParameters,
  stringParameter,
  tokenParameter,
} from './parameters.ts';

const PART_OF_RULE =
  'Exact reference of the parent: Organization/ID, the ID alone, or the absolute address of the parent here.';
const PART_OF = { field: 'part-of', target: 'Organization', element: 'partOf' } as const;

const NEAR: Parameter = {
  name: 'near',
  field: 'near',
  type: 'token',
  matching: 'near',
  modifiers: ['missing'],
  documentation: `At most a distance away, along the surface of the earth, from a place in degrees of WGS 84: ${NEAR_FORM}. The entry of each match gives its distance; _sort=near puts the nearest first. Behind a chain it only decides what is found: there is neither a distance nor an order by it.`,
};

export const ORGANIZATION: ParameterTable = {
  type: 'Organization',
  scopes: ['ORGANIZATION_READ'],
  documentation: 'Care structures and the legal entities that they belong to.',
  parameters: [
    stringParameter('name', 'Organization-name', {
      minimum: 2,
      equivalents: true,
      documentation: `${NAME_RULE} Names and aliases are searched. Usual abbreviations count, and initials with dots are one word (C.H.U., CHU).`,
    }),
    tokenParameter('identifier', 'Organization-identifier', {
      documentation: `${IDENTIFIER_RULE} FINESS, SIRET and SIREN numbers among others.`,
    }),
    addressParameter('Organization-address'),
    referenceParameter('part-of', undefined, { ...PART_OF, documentation: PART_OF_RULE }),
    referenceParameter('partof', 'Organization-partof', {
      ...PART_OF,
      documentation: `HL7's spelling of part-of. ${PART_OF_RULE}`,
    }),
    labelledParameter('type', 'Organization-type'),
    NEAR,
    ...contactParameters(false, 'Telephone, fax, mail and secure mail.'),
    ...sharedParameters('Organization-address', 'Organization-active'),
  ],
  sorts: [
    { names: ['name'], by: 'alphabet' },
    fieldSort('address-city'),
    { names: ['near'], by: 'distance' },
    ...SORTS_OF_EVERY_TYPE,
  ],
};
