// The query as it was sent: read, written again, and whether unknown parameters may be ignored (STU3 search 3.1.1.2).

import { describe, expect, it } from '@jest/globals';
import { FhirError } from '#directory/errors.ts';
import { LIMITS } from '#directory/limits.ts';
import { encodeQuery, isLenient, parseQuery, rawQuery } from '#directory/middleware/raw-query.ts';

describe('the query as it was sent', () => {
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

  it('is what stands behind the question mark, up to the limit', () => {
    expect(['/a?b=1?c', '/a', '/a?', '?x', undefined].map((url) => rawQuery({ url } as never))).toEqual([
      'b=1?c',
      '',
      '',
      'x',
      '',
    ]);
    const longest = 'x'.repeat(LIMITS.queryBytes);
    expect(rawQuery({ url: `/?${longest}` })).toBe(longest);
    expect(() => rawQuery({ url: `/?${longest}x` })).toThrow(
      expect.objectContaining({
        status: 414,
        message: expect.stringContaining(`takes ${LIMITS.queryBytes} bytes at most`),
      }),
    );
  });

  it.each<[query: string, namesAndValues: string[], written: string]>([
    ['', [], ''],
    ['a=2&a=1', ['a', '2', 'a', '1'], 'a=2&a=1'],
    ['a=&b', ['a', '', 'b', ''], 'a=&b='],
    ['=1&a', ['', '1', 'a', ''], '=1&a='],
    ['a=1+2%20%2B', ['a', '1 2 +'], 'a=1+2+%2B'],
    ['a=\u00c3\u00a9', ['a', 'é'], 'a=%C3%A9'],
    ['&&a=1&', ['a', '1'], 'a=1'],
  ])('%s is read and written again', (query, namesAndValues, written) => {
    const pairs = parseQuery(query);
    expect(pairs.flat()).toEqual(namesAndValues);
    expect(encodeQuery(pairs)).toBe(written);
  });

  it.each([
    ['a=%E9', 'structure', 'The query is not percent-encoded UTF-8. A literal % is written %25.', undefined],
    ['a=%', 'structure', 'The query is not percent-encoded UTF-8. A literal % is written %25.', undefined],
    ['a=\u00e9', 'structure', 'The query is not percent-encoded UTF-8. A literal % is written %25.', undefined],
    ['b=1&a=%00', 'value', 'a holds a control character: remove it.', 'http.a'],
    ['a%0A=1', 'value', 'a\\x0a holds a control character: remove it.', 'http.a\\x0a'],
    ['a=%C2%85', 'value', 'a holds a control character: remove it.', 'http.a'],
  ])('%s is refused', (query, code, diagnostics, location) => {
    let refused: unknown;
    try {
      parseQuery(query);
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(FhirError);
    const issue = { severity: 'error', code, diagnostics, ...(location && { location: [location] }) };
    expect(refused).toMatchObject({ status: 400, issues: [issue] });
  });
});
