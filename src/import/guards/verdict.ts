// The verdict of one guard on an edition. `acceptances.ts` marks the verdicts that an operator accepts. This file also decides whether a
// difference is significant, because in a small edition a few people more or less are a large share.

import { type GuardKey, guardName } from '#config/service/guard-table.ts';

export interface Verdict {
  /** Name of the guard, as `--accept` knows it. */
  name: string;
  /** The register that the guard judged, by its name in the snapshot registry (`skills`, `finess structureet`). */
  register?: string;
  passed: boolean;
  /** What the guard measured, with its limit. */
  figures: string;
  /** What the operator should do. Absent if the guard passed. */
  remedy?: string;
  /** Set if the guard passed but somebody should look at the edition. The report then names the guard among its reasons. */
  notable?: true;
  /** Set if the guard did not pass, but the operator accepts this edition nevertheless. */
  accepted?: true;
}

export function verdict(guard: GuardKey, { remedy, ...rest }: Omit<Verdict, 'name' | 'accepted'>): Verdict {
  return { name: guardName(guard), ...rest, ...(remedy !== undefined && !rest.passed && { remedy }) };
}

/** Returns one failed verdict for each fault. If there are no faults, returns one passed verdict with `fine` as its figures. */
export function verdictsOn(
  guard: GuardKey,
  faults: readonly Required<Pick<Verdict, 'register' | 'figures'>>[],
  { fine, remedy }: { fine: string; remedy: string },
): Verdict[] {
  if (faults.length === 0) return [verdict(guard, { passed: true, figures: fine })];
  return faults.map((fault) => verdict(guard, { ...fault, passed: false, remedy }));
}

/** Tells whether the edition must be refused because of this verdict: the guard did not pass, and the operator does not accept it. */
export function refuses({ passed, accepted }: Verdict): boolean {
  return !passed && !accepted;
}

/**
 * Writes a verdict as a sentence: `registers (skills): 30 lines before, 0 now ... Give the missing file`. The remedy is left out if the
 * operator accepts the verdict.
 */
export function sentenceOf({ name, register, figures, remedy, accepted }: Verdict): string {
  const about = register === undefined ? name : `${name} (${register})`;
  return `${about}: ${figures}${remedy === undefined || accepted ? '' : `. ${remedy}`}`;
}

/**
 * Writes verdicts as sentences. Verdicts that differ only in their register share a sentence: `older-edition (activities, skills): ...`.
 */
export function sentencesOf(verdicts: readonly Verdict[]): string[] {
  const alike = Map.groupBy(verdicts, ({ register, ...rest }) => `${register === undefined} ${sentenceOf(rest)}`);
  return [...alike.values()].map(([first, ...others]) => {
    const registers = [first, ...others].flatMap((one) => one?.register ?? []);
    return sentenceOf({ ...(first as Verdict), ...(registers.length > 0 && { register: registers.join(', ') }) });
  });
}

/**
 * Formats a part as a percentage of the whole, with the limit: `(2.5 % fewer, limit 2.0 %)`. Most figures end like this. A negative part is
 * shown as 0.
 */
export function limitText(part: number, whole: number, limit: number, direction: '' | ' fewer' | ' more' = ''): string {
  return `(${percent(Math.max(0, part) / Math.max(1, whole))}${direction}, limit ${percent(limit)})`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 2 : 1)} %`;
}

/** Minimum number of cases for any conclusion. Fewer cases may be chance. */
export const LEAST_CASES = 20;
/**
 * Minimum number of cases for a conclusion if there is no edition to compare with. It is larger than `LEAST_CASES`, because an operator may
 * try the import with a few lines of their own, which do not look like a register.
 */
export const LEAST_OF_FIRST_IMPORT = 100;
/**
 * From this number of people on, names and structures must vary as in a register. In a smaller trial, all people may have the same name or
 * structure.
 */
export const LEAST_OF_REGISTER = 2000;
/**
 * A loss of up to this number of resources is allowed in any directory, even if it is a large share. It is not allowed if nothing is left.
 */
const FEW = 4;
/** A growth by fewer resources or lines than this is never reported, because in a small directory it may be a large share. */
const LEAST_GROWN = 200;
/**
 * A difference is significant only if it exceeds this number of standard deviations of the expected count. Chance may explain a smaller
 * difference.
 */
const DEVIATIONS = 3;

/** Tells whether `found` is below `expected` by more than the share `limit` (0-1) and by more than chance explains. */
export function hasDeclined(expected: number, found: number, limit: number): boolean {
  const lost = expected - found;
  return expected >= LEAST_CASES && lost > expected * limit && lost > DEVIATIONS * Math.sqrt(expected);
}

/**
 * Tells whether the share of bad cases (`bad` of `seen`) exceeds the share `before` by more than `limit`, and by more than chance explains.
 * Shares and limit are 0-1.
 */
export function hasSpread(bad: number, seen: number, before: number, limit: number): boolean {
  const more = bad - before * seen;
  return more >= LEAST_CASES && more > limit * seen && more > DEVIATIONS * Math.sqrt(before * seen);
}

/**
 * Tells whether `now` exceeds `before` by more than the share `limit` (0-1). Returns false if the edition before was only a trial
 * (`LEAST_OF_FIRST_IMPORT`) or if the growth is less than `LEAST_GROWN`.
 */
export function hasGrown(now: number, before: number, limit: number): boolean {
  return before >= LEAST_OF_FIRST_IMPORT && now - before >= LEAST_GROWN && now - before > limit * before;
}

/**
 * Tells whether `lost` exceeds the share `limit` (0-1) of `before`. A loss of up to `FEW` is allowed, unless nothing is left or the limit
 * is 0.
 */
export function hasLost(lost: number, before: number, limit: number): boolean {
  return lost > limit * Math.max(1, before) && (lost > FEW || lost >= before || limit === 0);
}
