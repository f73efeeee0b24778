// Decides when a difference counts. In a small edition, a few people more or less are a large share.

/** Number of cases below which nothing is concluded. */
export const LEAST_CASES = 20;
/** The same limit without an edition before. A trial with a few lines of the operator's own is not a register. */
export const LEAST_OF_FIRST_LOAD = 100;
/** From this number of people on, names and structures vary as in a register. A small trial may repeat one. */
export const LEAST_OF_REGISTER = 2000;
/** Number of resources that a small directory may always lose, unless nothing is left. */
const FEW = 4;
/** Number of additional cases that say nothing in a small directory. */
const LEAST_GROWN = 200;
/** Standard deviations of a count that chance may explain. */
const DEVIATIONS = 3;

/** Tells whether `found` is less than `expected` by more than `limit` (share, 0-1), and by more than chance explains. */
export function hasDeclined(expected: number, found: number, limit: number): boolean {
  const lost = expected - found;
  return expected >= LEAST_CASES && lost > expected * limit && lost > DEVIATIONS * Math.sqrt(expected);
}

/**
 * Tells whether the share of bad cases exceeds `before` by more than `limit` (shares, 0-1), and by more than chance
 * explains.
 */
export function hasSpread(bad: number, seen: number, before: number, limit: number): boolean {
  const more = bad - before * seen;
  return more >= LEAST_CASES && more > limit * seen && more > DEVIATIONS * Math.sqrt(before * seen);
}

/** Tells whether `now` exceeds `before` by more than the share `limit` (0-1). A trial may grow as it likes, and a small directory by a few. */
export function hasGrown(now: number, before: number, limit: number): boolean {
  return before >= LEAST_OF_FIRST_LOAD && now - before >= LEAST_GROWN && now - before > limit * before;
}

/** Tells whether `lost` exceeds the share `limit` (0-1) of `before`, and is more than a few. */
export function hasLost(lost: number, before: number, limit: number): boolean {
  return lost > limit * Math.max(1, before) && (lost > FEW || lost >= before || limit === 0);
}
