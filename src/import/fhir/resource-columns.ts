// Lists elements of FHIR resources. Their values are counted like the columns of a register.

import type { Column } from '#import/collect/columns.ts';
import type { DirectoryResource } from './index-entries.ts';

/** Describes an element as a column. `label` is the path to the element, and does not mention the lists on this path. */
function element(key: string, label = key): Column {
  return { key, label, to: label };
}

const CONTACT = [
  element('telecom'),
  element('addressLine', 'address.line'),
  element('city', 'address.city'),
  element('postalCode', 'address.postalCode'),
];

export const RESOURCE_COLUMNS: Readonly<Record<DirectoryResource['resourceType'], readonly Column[]>> = {
  Practitioner: [
    element('identifier', 'identifier.value'),
    element('family', 'name.family'),
    element('given', 'name.given'),
    element('qualification', 'qualification.code.coding.code'),
    ...CONTACT,
  ],
  Organization: [
    element('identifier', 'identifier.value'),
    element('name'),
    element('type', 'type.coding.code'),
    element('partOf', 'partOf.reference'),
    ...CONTACT,
  ],
  PractitionerRole: [
    element('practitioner', 'practitioner.reference'),
    element('organization', 'organization.reference'),
    element('code', 'code.coding.code'),
    element('specialty', 'specialty.coding.code'),
  ],
};

/** Returns the first value of each element in `RESOURCE_COLUMNS`. The value is empty if the resource lacks the element. */
export function cellsOf(resource: DirectoryResource): string[] {
  return RESOURCE_COLUMNS[resource.resourceType].map(({ label }) => firstAt(resource, label.split('.')));
}

function firstAt(value: unknown, path: readonly string[]): string {
  if (Array.isArray(value)) return value.map((one) => firstAt(one, path)).find((text) => text !== '') ?? '';
  const [name, ...rest] = path;
  if (typeof value !== 'object' || value === null) return name === undefined ? String(value ?? '') : '';
  return name === undefined ? '(given)' : firstAt((value as Record<string, unknown>)[name], rest);
}
