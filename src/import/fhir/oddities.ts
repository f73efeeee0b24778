// What is valid in a FHIR resource, and still odd: it is kept as given, and the operator is told.

import { withoutInvisible } from '../../search-index/index.ts';
import type { WarningKind } from '../publish/report.ts';
import type { JsonFlaws } from '../sources/json-flaws.ts';
import type { DirectoryResource } from './index-entries.ts';

/** Years that a person on a register may be old. */
const OLDEST = 130;

/** The oddities of a valid resource; `text` is its JSON text. */
export function oddities(resource: DirectoryResource, text: string, { rewritten }: JsonFlaws): WarningKind[] {
  const kinds: WarningKind[] = [];
  if (rewritten !== undefined) kinds.push('rewritten-number');
  if (withoutInvisible(text) !== text) kinds.push('invisible-in-resource');
  if (resource.resourceType === 'Practitioner' && isImplausible(resource.birthDate))
    kinds.push('implausible-birth-date');
  return kinds;
}

/** STU3 says nothing about it. A day may have begun elsewhere: tomorrow is no future yet. */
function isImplausible(birthDate: string | undefined): boolean {
  if (birthDate === undefined) return false;
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  return (
    birthDate > tomorrow.slice(0, birthDate.length) ||
    Number(birthDate.slice(0, 4)) < Number(tomorrow.slice(0, 4)) - OLDEST
  );
}
