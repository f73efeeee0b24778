// What one guard says about an edition, and what an operator accepts of it.

import { type GuardKey, guardName, guardNamed, OTHER_PEOPLE } from '#config/service/guard-table.ts';

export interface Verdict {
  /** Of the guard, as `--accept` knows it. */
  name: string;
  /** The register it is about, as the catalogue of snapshots names it (`skills`, `finess structureet`). */
  register?: string;
  passed: boolean;
  /** What was measured, and the limit. */
  figures: string;
  /** What to do about it; only where it did not pass. */
  remedy?: string;
  /** It did not pass, and the operator accepts that for this edition. */
  accepted?: true;
}

/** One reason of `--accept`: for one register, or for all. */
export interface Acceptance {
  name: string;
  register?: string;
}

export function verdict(guard: GuardKey, { remedy, ...rest }: Omit<Verdict, 'name' | 'accepted'>): Verdict {
  return { name: guardName(guard), ...rest, ...(remedy !== undefined && !rest.passed && { remedy }) };
}

/** The verdicts that failed; where there are none, one that passed. */
export function orPassed(guard: GuardKey, failed: Verdict[], figures: string): Verdict[] {
  return failed.length > 0 ? failed : [verdict(guard, { passed: true, figures })];
}

/** The verdicts with a mark on those that did not pass and that the operator accepts. */
export function withAcceptances(verdicts: readonly Verdict[], accept: readonly Acceptance[]): Verdict[] {
  return verdicts.map((one) => {
    const accepted = !one.passed && !guardNamed(one.name)?.absolute && accept.some((reason) => covers(reason, one));
    return accepted ? { ...one, accepted } : one;
  });
}

/** `finess` covers `finess structureet`, too. */
function covers(reason: Acceptance, { name, register = '' }: Verdict): boolean {
  if (reason.name !== name) return false;
  return reason.register === undefined || `${register} `.startsWith(`${reason.register} `);
}

/** Whether the operator has this edition judged like a first load. */
export function acceptsOtherPeople(accept: readonly Acceptance[]): boolean {
  return accept.some(({ name }) => name === OTHER_PEOPLE);
}

/** Whether a verdict stands in the way. */
export function refuses({ passed, accepted }: Verdict): boolean {
  return !passed && !accepted;
}

/** `registers (skills): 30 lines before, 0 now ... Give the missing file`; without the remedy where it was accepted. */
export function sentenceOf({ name, register, figures, remedy, accepted }: Verdict): string {
  const about = register === undefined ? name : `${name} (${register})`;
  return `${about}: ${figures}${remedy === undefined || accepted ? '' : `. ${remedy}`}`;
}

/** One sentence for all registers of which a guard says the same: `older-edition (activities, skills): ...`. */
export function sentencesOf(verdicts: readonly Verdict[]): string[] {
  const alike = Map.groupBy(verdicts, ({ register, ...rest }) => `${register === undefined} ${sentenceOf(rest)}`);
  return [...alike.values()].map(([first, ...others]) => {
    const registers = [first, ...others].flatMap((one) => one?.register ?? []);
    return sentenceOf({ ...(first as Verdict), ...(registers.length > 0 && { register: registers.join(', ') }) });
  });
}

/** Registers of one guard that are named one by one. */
const LISTED = 3;

/**
 * `--accept` with which the edition would be loaded, what was accepted this time included; empty where nothing stands in the
 * way, or something that cannot be accepted.
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

export function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 2 : 1)} %`;
}
