// Owns the list of the types that are served, each by its parameter table. Does not own the tables.

import { ORGANIZATION } from './organization.ts';
import type { ParameterTable } from './parameters.ts';
import { PRACTITIONER } from './practitioner.ts';
import { PRACTITIONER_ROLE } from './practitioner-role.ts';

export const TABLES: readonly ParameterTable[] = [PRACTITIONER, ORGANIZATION, PRACTITIONER_ROLE];
