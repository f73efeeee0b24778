// The search parameters of PractitionerRole: workplace, role and specialty of a professional.

import {
  everyTypesParameters,
  fieldSort,
  labelledParameter,
  type ParameterTable,
  referenceParameter,
  SORTS_OF_EVERY_TYPE,
} from './parameters.ts';

export const PRACTITIONER_ROLE: ParameterTable = {
  type: 'PractitionerRole',
  // A role links a person and a structure, so it needs the scopes of both.
  scopes: ['PRACTITIONER_READ', 'ORGANIZATION_READ'],
  documentation:
    'What a professional does in a care structure, and with which specialties. People without a role in any structure have none: Practitioner?qualification finds them.',
  parameters: [
    referenceParameter('practitioner', 'PractitionerRole-practitioner', {
      target: 'Practitioner',
      documentation:
        'Exact reference of the professional: Practitioner/ID, the ID alone, or the absolute address of the professional here.',
    }),
    referenceParameter('organization', 'PractitionerRole-organization', {
      target: 'Organization',
      documentation:
        'Exact reference of the care structure: Organization/ID, the ID alone, or the absolute address of the structure here.',
    }),
    labelledParameter('role', 'PractitionerRole-role'),
    labelledParameter('specialty', 'PractitionerRole-specialty'),
    ...everyTypesParameters('PractitionerRole-active'),
  ],
  // Roles have no name, so their alphabetical order is the order of their ids.
  sorts: [
    { names: ['_id'], by: 'alphabet' },
    fieldSort('practitioner'),
    fieldSort('organization'),
    ...SORTS_OF_EVERY_TYPE,
  ],
};
