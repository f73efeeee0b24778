// Directory data, section 4: in a small directory one person who goes is a large share, and no damage.

import { expect, it } from '@jest/globals';
import { hasLost } from '#import/guards/decline.ts';

it.each([
  [1, 8, 0.1, false],
  [4, 8, 0.1, false],
  [5, 30, 0.1, true],
  [5, 50, 0.1, false],
  // A register or type that is gone altogether is no small share, however small it was.
  [2, 2, 0.1, true],
  [2, 2, 1, false],
  // Whoever sets no limit at all means it.
  [1, 8, 0, true],
  [0, 0, 0, false],
])('directory data 4: %d of %d lost, limit %d: %s', (lost, before, limit, told) => {
  expect(hasLost(lost, before, limit)).toBe(told);
});
