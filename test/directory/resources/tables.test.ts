// The parameters, rules and sorts of each type, as the reference, the CapabilityStatement and OpenAPI have them from here.

import { expect, it } from '@jest/globals';
import { SERVED } from '#directory/resources/resource-types.ts';
import { rows } from '#support/rows.ts';

it.each(SERVED.map((table) => [table.type, table] as const))('of %s are these', (_, table) => {
  expect(rows(table)).toMatchSnapshot();
});
