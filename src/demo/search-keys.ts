// The search parameters of the two search forms, from specification sections 2.3 and 2.4.

import type { DirectoryType } from './directory.ts';

export const SEARCH_KEYS = {
  Practitioner: ['name', 'address', 'qualification', 'identifier', 'telecom'],
  Organization: ['name', 'address', 'identifier', 'part-of'],
} as const satisfies Record<DirectoryType, readonly string[]>;

export type SearchKey = (typeof SEARCH_KEYS)[DirectoryType][number];

/** Page of each search, below `/demo/`. */
export const SEARCH_PATHS = { Practitioner: 'practitioners', Organization: 'organizations' } as const;

/** Searches to try first, for visitors without knowledge of the directory. */
export const EXAMPLES: Record<DirectoryType, Partial<Record<SearchKey, string>>[]> = {
  Practitioner: [{ name: 'mar' }, { name: 'jean mar' }, { address: 'paris' }, { qualification: 'Infirmier' }],
  Organization: [{ name: 'pharmacie' }, { name: 'hopital' }, { address: 'lyon' }],
};

/** The search criteria of a query for one type: known keys with a value, without surrounding blanks. */
export function criteriaOf(type: DirectoryType, query: Record<string, unknown>): Partial<Record<SearchKey, string>> {
  const given = SEARCH_KEYS[type].map((key) => [key, typeof query[key] === 'string' ? query[key].trim() : '']);
  return Object.fromEntries(given.filter(([, value]) => value));
}
