// Parses the parameters of search results (STU3 search 3.1.1.5), such as `_count`, `_summary` and `_sort`.

import { fhirError, parameterError } from '#directory/errors.ts';
import type { WantedRepresentation } from '#directory/format/serialize.ts';
import { LIMITS } from '#directory/limits.ts';
import { encodeQuery, type Pair } from '#directory/middleware/raw-query.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import type { Order, SearchQuery } from '#search-index/index.ts';
import { decodePage, type Page } from './page-token.ts';

export interface ResultParameters extends WantedRepresentation {
  /** Number of resources on a page. */
  count: number;
  /** True if the client wants only the total. */
  totalOnly: boolean;
  /** Whether the total is counted, as in `SearchQuery.total`. */
  total: SearchQuery['total'];
  page?: Page;
  /** The result parameters as links repeat them, without `_page`. */
  links: string;
}

export const DEFAULT_RESULT_PARAMETERS: ResultParameters = {
  count: LIMITS.defaultCount,
  totalOnly: false,
  total: 'unless-costly',
  links: '',
};

type Change = Partial<Omit<ResultParameters, 'links'>>;

interface Parser {
  /** Parses a value. @throws FhirError 400 */
  parse(value: string): Change;
  /** Returns the value that links have. Without this function, links repeat the value that the client sent. */
  linked?(results: ResultParameters): string;
}

const PARSERS = new Map<string, Parser>([
  ['_count', { parse: count, linked: ({ count }) => String(count) }],
  ['_summary', { parse: summary }],
  ['_elements', { parse: elements }],
  ['_total', { parse: (value) => total(value, '_total') }],
  // `_totalMethod` is the name that the server Aidbox has for `_total`. It is accepted because the function count() of the client fhirpy
  // sends it to every server.
  ['_totalMethod', { parse: (value) => total(value === 'count' ? 'accurate' : value, '_totalMethod') }],
  ['_format', { parse: (format) => ({ format }) }],
  ['_pretty', { parse: pretty }],
  ['_page', { parse: (text) => ({ page: decodePage(text) }) }],
]);

export const RESULT_PARAMETERS: readonly string[] = [...PARSERS.keys()].filter((name) => name !== '_page');

export function isResultParameter(name: string): boolean {
  return PARSERS.has(name);
}

/**
 * Parses the result parameters of a search.
 * @throws FhirError 400 for a malformed value, and for a parameter that is repeated
 */
export function parseResultParameters(pairs: readonly Pair[]): ResultParameters {
  if (pairs.length === 0) return DEFAULT_RESULT_PARAMETERS;
  const results = { ...DEFAULT_RESULT_PARAMETERS };
  const seen = new Set<string>();
  const links: Pair[] = [];
  for (const [name, value] of pairs) {
    const parser = PARSERS.get(name);
    if (!parser) continue;
    if (seen.has(name)) throw parameterError(name, 'stands more than once: send it once.');
    seen.add(name);
    const change = parser.parse(value);
    if (change.subset && results.subset)
      throw fhirError(400, 'value', '_summary and _elements each say what is left of a resource: send one of them.', {
        parameter: '_elements',
      });
    Object.assign(results, change);
    if (name !== '_page') links.push([name, parser.linked?.(results) ?? value]);
  }
  if (results.totalOnly) results.total = true;
  results.links = encodeQuery(links);
  return results;
}

/**
 * Parses the number of resources on a page. A number above the maximum becomes the maximum. 0 asks for the total alone (STU3 search
 * 3.1.1.5.5).
 */
function count(value: string): Change {
  if (!/^\d{1,15}$/.test(value)) throw parameterError('_count', `is a whole number from 0 to ${LIMITS.largestCount}.`);
  const number = Math.min(Number(value), LIMITS.largestCount);
  return number === 0 ? { count: 0, totalOnly: true } : { count: number };
}

function summary(value: string): Change {
  switch (value) {
    case 'false':
      return {};
    case 'count':
      return { totalOnly: true };
    case 'true':
    case 'text':
    case 'data':
      return { subset: { summary: value } };
  }
  throw parameterError('_summary', 'is true, text, data, count or false.');
}

/** Matches the name of an element. The name of its type may come before it (`Practitioner.name`). */
const ELEMENT = /^([A-Z][A-Za-z]*\.)?[A-Za-z]+$/;

/** Parses the names of elements. Later, `format/summary-and-elements.ts` checks whether the types have these elements. */
function elements(value: string): Change {
  const names = value.split(',').map((name) => name.trim());
  if (names.every((name) => ELEMENT.test(name))) return { subset: { elements: [...new Set(names)] } };
  throw parameterError(
    '_elements',
    'is a list of elements of the type itself, joined by commas, such as id,name or Practitioner.name.',
  );
}

function pretty(value: string): Change {
  if (value === 'true' || value === 'false') return { pretty: value === 'true' };
  throw parameterError('_pretty', 'is true or false.');
}

/**
 * Parses `_total`, which is a parameter of R4. A total is always exact, so all values but `none` have the same effect. `estimated` is
 * accepted because HAPI's client writes it. Without `_total`, a search has a total unless the total is costly to count.
 */
function total(value: string, parameter: string): Change {
  if (value === 'none') return { total: false };
  if (['accurate', 'estimate', 'estimated'].includes(value)) return { total: true };
  throw parameterError(parameter, 'is none, estimate or accurate.');
}

/** All values that `_sort` can have in a search for the type. */
export function sortValues({ sorts = [] }: ParameterTable): readonly string[] {
  return sorts.flatMap(({ names }) => [names.join(','), names.map((name) => `-${name}`).join(',')]);
}

/**
 * Parses the value of `_sort`. Resources that are equal in this order are in alphabetical order among themselves, or in the reverse of it
 * if the order is descending.
 * @throws FhirError 400 that names the possible orders
 */
export function parseSort(table: ParameterTable, value: string): Order {
  const parts = value.split(',').map((part) => part.trim());
  const descending = parts.every((part) => part.startsWith('-'));
  const names = descending ? parts.map((part) => part.slice(1)) : parts;
  const sort = table.sorts?.find((one) => one.names.join() === names.join());
  if (sort) {
    const { names: _, ...by } = sort;
    return { ...by, descending };
  }
  const values = sortValues(table);
  const remedy =
    values.length > 0
      ? `cannot be sorted so. _sort is ${values.join(' or ')}; without it results are in alphabetical order.`
      : 'cannot be sorted: leave _sort out.';
  throw fhirError(400, 'not-supported', `${table.type} ${remedy}`, { parameter: '_sort' });
}
