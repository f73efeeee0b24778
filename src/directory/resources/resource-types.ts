// The parameter tables of the resource types that are served.

import { CODE_SYSTEM } from './code-system.ts';
import { ORGANIZATION } from './organization.ts';
import type { ParameterTable } from './parameters.ts';
import { PRACTITIONER } from './practitioner.ts';
import { PRACTITIONER_ROLE } from './practitioner-role.ts';
import { SEARCH_PARAMETER } from './search-parameter.ts';

/** The types that a snapshot holds. */
export const TABLES: readonly ParameterTable[] = [PRACTITIONER, ORGANIZATION, PRACTITIONER_ROLE];

/** All types: those of a snapshot, the definitions of the directory's own search parameters, and the codes of the edition. */
export const SERVED: readonly ParameterTable[] = [...TABLES, SEARCH_PARAMETER, CODE_SYSTEM];
