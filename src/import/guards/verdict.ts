// The verdict of one guard about an edition, and the acceptances of the operator. Decides whether a difference is significant: in a small
// edition, a few people more or less are a large share.

import { type GuardKey, guardName, guardNamed, OTHER_PEOPLE } from '#config/service/guard-table.ts';

export interface Verdict {
  /** Name of the guard, as `--accept` knows it. */
  name: string;
  /** The register in doubt, by its name in the snapshot registry (`skills`, `finess structureet`). */
  register?: string;
  passed: boolean;
  /** The measurement and the limit. */
  figures: string;
  /** The remedy, if the guard did not pass. */
  remedy?: string;
  /** Set if the guard passed but the edition is worth a look. The judgement then names the guard among its reasons. */
  notable?: true;
  /** Set if the guard did not pass, and the operator accepts this edition nevertheless. */
  accepted?: true;
}

/** One reason of `--accept`, for one register or for all. */
export interface Acceptance {
  name: string;
  register?: string;
}

export function verdict(guard: GuardKey, { remedy, ...rest }: Omit<Verdict, 'name' | 'accepted'>): Verdict {
  return { name: guardName(guard), ...rest, ...(remedy !== undefined && !rest.passed && { remedy }) };
}

/** Returns one failed verdict for each fault. Without faults, it returns one verdict that passed, with the figures `fine`. */
export function verdictsOn(
  guard: GuardKey,
  faults: readonly Required<Pick<Verdict, 'register' | 'figures'>>[],
  { fine, remedy }: { fine: string; remedy: string },
): Verdict[] {
  if (faults.length === 0) return [verdict(guard, { passed: true, figures: fine })];
  return faults.map((fault) => verdict(guard, { ...fault, passed: false, remedy }));
}

/** Marks verdicts that did not pass but that the operator accepts. */
export function withAcceptances(verdicts: readonly Verdict[], accept: readonly Acceptance[]): Verdict[] {
  return verdicts.map((one) => {
    const accepted = !one.passed && !guardNamed(one.name)?.absolute && accept.some((reason) => covers(reason, one));
    return accepted ? { ...one, accepted } : one;
  });
}

/** Tells whether an acceptance covers a verdict. The register `finess` also covers `finess structureet`. */
function covers(reason: Acceptance, { name, register = '' }: Verdict): boolean {
  if (reason.name !== name) return false;
  return reason.register === undefined || `${register} `.startsWith(`${reason.register} `);
}

/** Tells whether the operator wants this edition to be judged like a first import. */
export function acceptsOtherPeople(accept: readonly Acceptance[]): boolean {
  return accept.some(({ name }) => name === OTHER_PEOPLE);
}

/** Tells whether a verdict refuses the edition. */
export function refuses({ passed, accepted }: Verdict): boolean {
  return !passed && !accepted;
}

/**
 * Writes a verdict as a sentence: `registers (skills): 30 lines before, 0 now ... Give the missing file`. An accepted verdict has no
 * remedy.
 */
export function sentenceOf({ name, register, figures, remedy, accepted }: Verdict): string {
  const about = register === undefined ? name : `${name} (${register})`;
  return `${about}: ${figures}${remedy === undefined || accepted ? '' : `. ${remedy}`}`;
}

/** Writes one sentence for all registers with the same verdict: `older-edition (activities, skills): ...`. */
export function sentencesOf(verdicts: readonly Verdict[]): string[] {
  const alike = Map.groupBy(verdicts, ({ register, ...rest }) => `${register === undefined} ${sentenceOf(rest)}`);
  return [...alike.values()].map(([first, ...others]) => {
    const registers = [first, ...others].flatMap((one) => one?.register ?? []);
    return sentenceOf({ ...(first as Verdict), ...(registers.length > 0 && { register: registers.join(', ') }) });
  });
}

/** Maximum number of registers of one guard that are named one by one. */
const LISTED = 3;

/**
 * Returns the `--accept` option with which the edition would be imported. It includes the acceptances that were given already. It is empty
 * if nothing refuses the edition, or if something refuses it that no operator can accept.
 */
export function acceptOption(verdicts: readonly Verdict[], given: readonly Acceptance[]): string {
  const refusing = verdicts.filter(refuses);
  if (refusing.length === 0 || refusing.some(({ name }) => guardNamed(name)?.absolute)) return '';
  const many = (name: string) => refusing.filter((one) => one.name === name).length > LISTED;
  const reasons = [...given, ...refusing].map(({ name, register }) =>
    register === undefined || many(name) ? name : `${name}:${register.replaceAll(' ', '/')}`,
  );
  return `--accept ${[...new Set(reasons)].join(',')}`;
}

/** Formats a part of a whole with its limit, as most figures end: `(2.5 % fewer, limit 2.0 %)`. A negative part counts as 0. */
export function limitText(part: number, whole: number, limit: number, direction: '' | ' fewer' | ' more' = ''): string {
  return `(${percent(Math.max(0, part) / Math.max(1, whole))}${direction}, limit ${percent(limit)})`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 2 : 1)} %`;
}

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
