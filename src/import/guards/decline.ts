// From how many cases on a share counts: in a small edition a few people more or less are much.

/** Cases below which nothing is concluded. */
export const LEAST_CASES = 20;
/** Cases below which nothing is concluded without an edition before: a trial with a few lines of one's own is no register. */
export const LEAST_OF_FIRST_LOAD = 100;
/** Standard deviations of a count that chance may explain. */
const DEVIATIONS = 3;

/** Whether so many found, where so many were expected, are fewer by more than `limit` (share, 0-1) and than chance explains. */
export function hasDeclined(expected: number, found: number, limit: number): boolean {
  const lost = expected - found;
  return expected >= LEAST_CASES && lost > expected * limit && lost > DEVIATIONS * Math.sqrt(expected);
}

/** Whether of `seen` cases more than the share `limit` are bad beyond those that a share of `before` explains. */
export function hasSpread(bad: number, seen: number, before: number, limit: number): boolean {
  const more = bad - before * seen;
  return more >= LEAST_CASES && more > limit * seen && more > DEVIATIONS * Math.sqrt(before * seen);
}
