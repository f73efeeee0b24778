// The names of columns and keys by which registers are recognised, as they are published: one that is lost is a column that stays empty.

import { expect, it } from '@jest/globals';
import * as json from '#import/registers/finess-json-columns.ts';
import * as structure from '#import/registers/finess-row.ts';
import * as text from '#import/registers/finess-text.ts';
import * as people from '#import/registers/person-columns.ts';
import { rows } from '#support/rows.ts';

it.each(Object.entries({ people, text, json, structure }))('of %s are these', (_, tables) => {
  const published = Object.entries(tables).filter(([, table]) => typeof table !== 'function');
  expect(rows(Object.fromEntries(published))).toMatchSnapshot();
});
