// Remedies for features of other FHIR servers that this one lacks: chaining, common names of parameters, page numbers.

import { shownName } from '#directory/errors.ts';
import type { Parameter, ParameterTable } from '#directory/resources/parameters.ts';
import { TABLES } from '#directory/resources/resource-types.ts';
import type { IncludePath } from './include-paths.ts';
import { INCLUDE_PATHS } from './include-paths.ts';

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

const CHAIN = /^([A-Za-z-]+)(?::([A-Za-z]+))?\.([A-Za-z_-]+)/;
const HAS = /^_has:([A-Za-z]+):([A-Za-z-]+):([A-Za-z_-]+)/;

/** Remedy for chaining (STU3 search 3.1.1.5.6, 3.1.1.5.7); undefined for a name without a chain. */
export function chainingHint(table: ParameterTable, name: string): string | undefined {
  if (name.startsWith('_has')) return `Chaining is not supported${reversely(table, name)}.`;
  const [, start, , end = ''] = CHAIN.exec(name) ?? [];
  if (start === undefined) return undefined;
  const path = INCLUDE_PATHS.find(({ source, name: one }) => source === table.type && one === start);
  return `Chaining is not supported${path ? forwards(path, end) : elsewhere(table)}.`;
}

function forwards(path: IncludePath, end: string): string {
  return `: search ${path.target} ${by(path.target, end)}and add _revinclude=${path.source}:${path.name}`;
}

function reversely(table: ParameterTable, name: string): string {
  const [, source, by_, end = ''] = HAS.exec(name) ?? [];
  const path = INCLUDE_PATHS.find((one) => one.source === source && one.name === by_ && one.target === table.type);
  return path
    ? `: search ${path.source} ${by(path.source, end)}and add _include=${path.source}:${path.name}`
    : elsewhere(table);
}

/** The criterion, where that type has it. */
function by(type: string, name: string): string {
  const parameter: Parameter | undefined = TABLES.find((table) => table.type === type)?.parameters.find(
    (one) => one.name === name,
  );
  return parameter ? `by ${shownName(parameter.name)} ` : '';
}

function elsewhere({ type }: ParameterTable): string {
  return `: search the other type and add _include or _revinclude to it; this search finds each ${type}`;
}
