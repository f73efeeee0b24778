// Owns the lists of the types that are served, each by its parameter table. Does not own the tables.

import { ORGANIZATION } from './organization.ts';
import type { ParameterTable } from './parameters.ts';
import { PRACTITIONER } from './practitioner.ts';
import { PRACTITIONER_ROLE } from './practitioner-role.ts';
import { SEARCH_PARAMETER } from './search-parameter-type.ts';

/** What a snapshot holds. */
export const TABLES: readonly ParameterTable[] = [PRACTITIONER, ORGANIZATION, PRACTITIONER_ROLE];

/** Beside it, what is said of the directory itself. */
export const SERVED: readonly ParameterTable[] = [...TABLES, SEARCH_PARAMETER];
