// The systems of codes and the extensions of resources: clients compare them letter by letter.

import { expect, it } from '@jest/globals';
import * as systems from '#import/mapping/code-systems.ts';
import { NATIONAL_PREFIX } from '#import/mapping/structure-facts.ts';
import { rows } from '#support/rows.ts';

it('code systems, extensions and prefixes are these', () => {
  const tables = Object.entries(systems).filter(([, table]) => typeof table !== 'function');
  expect(rows([Object.fromEntries(tables), NATIONAL_PREFIX])).toMatchSnapshot();
});
