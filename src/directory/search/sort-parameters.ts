// Parses `_sort` to one of the orders of a resource type.

import { fhirError } from '#directory/errors.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import type { Order } from '#search-index/index.ts';

/** The values of `_sort` that a type takes. */
export function sortValues({ sorts = [] }: ParameterTable): readonly string[] {
  return sorts.flatMap(({ names }) => [names.join(','), names.map((name) => `-${name}`).join(',')]);
}

/**
 * The order that a value asks for; ties are in alphabetical order, turned round with it.
 * @throws FhirError 400 naming the orders that there are
 */
export function parseSort(table: ParameterTable, value: string): Order {
  const parts = value.split(',').map((part) => part.trim());
  const descending = parts.every((part) => part.startsWith('-'));
  const names = descending ? parts.map((part) => part.slice(1)) : parts;
  const sort = table.sorts?.find((one) => one.names.join() === names.join());
  if (sort) return { by: sort.by, descending };
  const values = sortValues(table);
  const remedy =
    values.length > 0
      ? `cannot be sorted so. _sort is ${values.join(' or ')}; without it results are in alphabetical order.`
      : 'cannot be sorted: leave _sort out.';
  throw fhirError(400, 'not-supported', `${table.type} ${remedy}`, { parameter: '_sort' });
}
