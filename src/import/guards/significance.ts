// Decides whether a difference is significant. In a small edition, a few people more or less are a large share.

/** Minimum number of cases from which anything is concluded. */
export const LEAST_CASES = 20;
/** The same minimum if there is no edition before. An operator may try the import with a few lines of their own, which are no register. */
export const LEAST_OF_FIRST_IMPORT = 100;
/** With at least this number of people, names and structures vary as in a register. A smaller trial may repeat one name or structure. */
export const LEAST_OF_REGISTER = 2000;
/** Number of resources that a small directory may always lose, unless nothing is left. */
const FEW = 4;
/** This number of additional cases says nothing in a small directory. */
const LEAST_GROWN = 200;
/** Number of standard deviations of a count that chance may explain. */
const DEVIATIONS = 3;

/** Tells whether `found` is below `expected` by more than the share `limit` (0-1), and by more than chance explains. */
export function hasDeclined(expected: number, found: number, limit: number): boolean {
  const lost = expected - found;
  return expected >= LEAST_CASES && lost > expected * limit && lost > DEVIATIONS * Math.sqrt(expected);
}

/** Tells whether the share of bad cases is above `before` by more than `limit` (shares, 0-1), and by more than chance explains. */
export function hasSpread(bad: number, seen: number, before: number, limit: number): boolean {
  const more = bad - before * seen;
  return more >= LEAST_CASES && more > limit * seen && more > DEVIATIONS * Math.sqrt(before * seen);
}

/**
 * Tells whether `now` is above `before` by more than the share `limit` (0-1). A trial may grow by any number, and a small directory by a
 * few.
 */
export function hasGrown(now: number, before: number, limit: number): boolean {
  return before >= LEAST_OF_FIRST_IMPORT && now - before >= LEAST_GROWN && now - before > limit * before;
}

/** Tells whether `lost` exceeds the share `limit` (0-1) of `before`, and is more than a few. */
export function hasLost(lost: number, before: number, limit: number): boolean {
  return lost > limit * Math.max(1, before) && (lost > FEW || lost >= before || limit === 0);
}
