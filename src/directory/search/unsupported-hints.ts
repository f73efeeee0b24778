// Remedies for features of other FHIR servers that this one lacks: common names of parameters, page numbers.

import type { ParameterTable } from '#directory/resources/parameters.ts';

/** Names that people try, each with the parameter that is meant. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  city: 'address-city',
  town: 'address-city',
  zip: 'address-postalcode',
  postalcode: 'address-postalcode',
  email: 'email',
  mail: 'email',
  phone: 'phone',
  telephone: 'phone',
  mailbox: 'mailbox-mss',
  id: '_id',
  firstname: 'given',
  lastname: 'family',
  sort: '_sort',
  count: '_count',
  limit: '_count',
  _limit: '_count',
  size: '_count',
  format: '_format',
};

/** The parameter of the type that a usual name stands for. */
export function usualName({ parameters }: ParameterTable, name: string): string | undefined {
  const key = name.toLowerCase();
  const meant = Object.hasOwn(OTHER_NAMES, key) ? OTHER_NAMES[key] : undefined;
  if (meant === undefined) return undefined;
  return STEERING.includes(meant) || parameters.some((parameter) => parameter.name === meant) ? meant : undefined;
}

const STEERING: readonly string[] = ['_sort', '_count', '_format'];

/** Parameters that name a page by its number. They are refused, because another edition may have moved the results. */
export const PAGES: ReadonlySet<string> = new Set([
  'page',
  'offset',
  '_offset',
  '_getpages',
  '_getpagesoffset',
  '_skip',
  'skip',
]);

export const PAGING_HINT = 'Pages have no number: follow the link next of the Bundle, and set their size with _count.';

/** The parameter of an export. A search that ignored it would give what is years old as new. */
export const SINCE = '_since';

export const SINCE_HINT =
  'belongs to an export: search with _lastUpdated=gt and the same instant for what is new or changed, or ask $export for what was removed too';
