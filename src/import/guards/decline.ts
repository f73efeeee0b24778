// From how many cases on a share counts: in a small edition a few people more or less are much.

/** Cases below which nothing is concluded. */
export const LEAST_CASES = 20;
/** Cases below which nothing is concluded without an edition before: a trial with a few lines of one's own is no register. */
export const LEAST_OF_FIRST_LOAD = 100;
/** As many that go may always be the doing of one of a small directory; unless nothing is left. */
const FEW = 4;
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

/** Whether `lost` of so many before are more than the share `limit` (0-1), and more than a few. */
export function hasLost(lost: number, before: number, limit: number): boolean {
  return lost > limit * Math.max(1, before) && (lost > FEW || lost >= before || limit === 0);
}
