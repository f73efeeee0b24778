// Every sentence of the reference and of the page to try, in each language: what is said changes only when somebody means it.

import { expect, it } from '@jest/globals';
import { referenceMessages } from '#directory/reference/page.ts';
import { FIELDS } from '#directory/reference/type-chapter.ts';
import { rows } from '#support/rows.ts';

/** The catalogue with its gaps filled. */
function filled(value: unknown, path = ''): unknown {
  if (typeof value === 'function') {
    const gaps = path.includes('.resultParameters.meanings.')
      ? [{ defaultCount: 1, largestCount: 2 }]
      : ['A', 'B', 'C'];
    return String((value as (...gaps: unknown[]) => unknown)(...gaps));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, filled(part, `${path}.${key}`)]));
}

it.each(['fr', 'en'] as const)('reads so in the language %s', (language) => {
  expect(rows(filled(referenceMessages(language)))).toMatchSnapshot();
});

it('names these fields', () => {
  expect(rows(FIELDS)).toMatchSnapshot();
});
