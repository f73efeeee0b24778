// The layout of a snapshot: a file that one release wrote is read by the next one, so fields, tables and bounds change only with its number.

import { expect, it } from '@jest/globals';
import * as layout from '#search-index/file-layout.ts';
import * as snapshot from '#search-index/snapshot.ts';
import { rows } from '#support/rows.ts';

it.each(Object.entries({ layout, snapshot }))('of %s is this', (_, module) => {
  const tables = Object.entries(module).filter(([, table]) => typeof table !== 'function');
  expect(rows(Object.fromEntries(tables))).toMatchSnapshot();
});
