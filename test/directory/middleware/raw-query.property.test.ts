// fhir-stu3, links: whatever a client searches for stands in a link so that it is read back as the same search; the form is
// the one that URLSearchParams writes (application/x-www-form-urlencoded), which serves as the reference.

import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeQuery, parseQuery } from '#directory/middleware/raw-query.ts';
import '#support/seed.ts';

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom(..." +%&=?#!'()~*-._|,:/\\é’œ😀"),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
});
const printable = text.filter((value) => !/[\p{Cc}\p{Cs}]/u.test(value));
const pairs = fc.array(fc.tuple(printable, printable));

it('pairs are written as URLSearchParams writes them', () => {
  fc.assert(
    fc.property(pairs, (given) => {
      expect(encodeQuery(given)).toBe(new URLSearchParams(given).toString());
    }),
  );
});

it('what was written is read back', () => {
  fc.assert(
    fc.property(pairs, (given) => {
      expect(parseQuery(encodeQuery(given))).toEqual(given);
    }),
  );
});

it('a query is read as URLSearchParams reads it, or refused', () => {
  const signs = fc.string({ unit: fc.constantFrom(...'ab=&+%2C3A9 ') });
  let read = 0;
  fc.assert(
    fc.property(signs, (raw) => {
      let found: unknown;
      try {
        found = parseQuery(raw);
      } catch {
        return;
      }
      read += 1;
      expect(found).toEqual([...new URLSearchParams(raw)]);
    }),
  );
  expect(read).toBeGreaterThan(10);
});
