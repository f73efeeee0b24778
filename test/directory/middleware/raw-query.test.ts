// The query as it was sent: read, written again, and whether unknown parameters may be ignored (STU3 search 3.1.1.2).

import { expect, it } from '@jest/globals';
import { encodeQuery, isLenient, parseQuery, rawQuery } from '#directory/middleware/raw-query.ts';

it.each([
  [undefined, false],
  ['handling=lenient', true],
  ['return=minimal, handling = "lenient"', true],
  ['return=minimal; Handling=LENIENT', true],
  ['handling=strict', false],
  ['xhandling=lenient', false],
  ['handling=lenients', false],
])('Prefer: %s is lenient: %j', (prefer, lenient) => {
  expect(isLenient({ headers: { prefer } } as never)).toBe(lenient);
});

it('is what stands behind the question mark', () => {
  expect(['/a?b=1?c', '/a', '/a?', undefined].map((url) => rawQuery({ url } as never))).toEqual(['b=1?c', '', '', '']);
});

it.each(['a=1&b=2', 'a=&b', '=1&a', 'a=1+2%20%2B', 'a=%E9', 'a=%C3%A9', 'a:b=1', '&&a=1&', 'a=b=c'])(
  '%s is read so',
  (query) => {
    const read = () => {
      try {
        const pairs = parseQuery(query);
        return [pairs, encodeQuery(pairs)];
      } catch (error) {
        return String(error);
      }
    };
    expect(read()).toMatchSnapshot();
  },
);
