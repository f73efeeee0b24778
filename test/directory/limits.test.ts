// The bounds of requests to the directory, what the names of parameters and headers are, and the examples of the reference.

import { expect, it } from '@jest/globals';
import * as formats from '#directory/format/content-negotiation.ts';
import { LIMITS } from '#directory/limits.ts';
import * as parameters from '#directory/resources/parameters.ts';
import { INCLUDE_PATHS } from '#directory/search/include-paths.ts';
import * as results from '#directory/search/result-parameters.ts';
import { rows } from '#support/rows.ts';

const tablesOf = (module: object) =>
  Object.fromEntries(Object.entries(module).filter(([, table]) => typeof table !== 'function'));

it('are these', () => {
  expect(rows([LIMITS, tablesOf(parameters), tablesOf(results), tablesOf(formats), INCLUDE_PATHS])).toMatchSnapshot();
});
