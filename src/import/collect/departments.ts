// Counts resources by department, from the postal codes of their addresses.

import type { IndexedResource, ResourceType } from '#search-index/index.ts';
import type { EditionStatistics } from '#store/snapshots/judgements.ts';

/**
 * Number of resources by department and type. The key is `abroad` for a foreign address, and `unknown` for a resource without a postal
 * code.
 */
export type DepartmentCounts = EditionStatistics['departments'];

export const ABROAD = 'abroad';
export const UNKNOWN = 'unknown';

const FRENCH = /^(?!00)\d{5}$/;

/**
 * Returns the department of a postal code, such as `01`, `2A` or `974`. All postal codes of Corsica begin with 20; the third digit tells
 * which of its two departments it is.
 */
export function departmentOf(postalCode: string): string {
  if (!FRENCH.test(postalCode)) return ABROAD;
  const two = postalCode.slice(0, 2);
  if (two === '20') return '0137'.includes(postalCode[2] ?? '') ? '2A' : '2B';
  return two >= '97' ? postalCode.slice(0, 3) : two;
}

/** Counts a resource once for each department in which it has an address. Roles have no addresses. */
export function countDepartments(counts: DepartmentCounts, { type, index }: IndexedResource): void {
  if (type === 'PractitionerRole') return;
  const codes = index['address-postalcode'] ?? [];
  const [only = UNKNOWN] = codes;
  if (codes.length < 2) {
    add(counts, codes.length === 0 ? UNKNOWN : departmentOf(only), type, 1);
    return;
  }
  for (const department of new Set(codes.map(departmentOf))) add(counts, department, type, 1);
}

/** Adds the counts of another thread. */
export function addDepartments(counts: DepartmentCounts, others: DepartmentCounts): void {
  for (const [department, byType] of Object.entries(others)) {
    for (const [type, count] of Object.entries(byType)) add(counts, department, type as ResourceType, count);
  }
}

function add(counts: DepartmentCounts, department: string, type: ResourceType, count: number): void {
  counts[department] ??= {};
  const byType = counts[department];
  byType[type] = (byType[type] ?? 0) + count;
}
