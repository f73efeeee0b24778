// Bounds loops that end by themselves, such as a walk from page to page: where a fault keeps one going, its test fails and does not hang.

/** Counts the rounds of a loop that is left by `break` or `return`. Throws after `most` of them. */
export function* rounds(most = 200): Generator<number> {
  for (let round = 1; round <= most; round++) yield round;
  throw new Error(`a loop did not end within ${most} rounds`);
}
