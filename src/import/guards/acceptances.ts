// The acceptances of an operator (`--accept`). A failed verdict does not refuse the edition if the operator accepts it.

import { guardNamed, OTHER_PEOPLE } from '#config/service/guard-table.ts';
import { refuses, type Verdict } from './verdict.ts';

/** One entry of `--accept`: the name of a guard, for one register or, without `register`, for all registers. */
export interface Acceptance {
  name: string;
  register?: string;
}

/** Marks the failed verdicts that the operator accepts. The verdict of an `absolute` guard cannot be accepted. */
export function withAcceptances(verdicts: readonly Verdict[], accept: readonly Acceptance[]): Verdict[] {
  return verdicts.map((one) => {
    const accepted = !one.passed && !guardNamed(one.name)?.absolute && accept.some((reason) => covers(reason, one));
    return accepted ? { ...one, accepted } : one;
  });
}

/** Tells whether an acceptance applies to a verdict. An acceptance for `finess` also applies to `finess structureet`. */
function covers(reason: Acceptance, { name, register = '' }: Verdict): boolean {
  if (reason.name !== name) return false;
  return reason.register === undefined || `${register} `.startsWith(`${reason.register} `);
}

/** Tells whether the operator wants this edition to be judged like a first import. */
export function acceptsOtherPeople(accept: readonly Acceptance[]): boolean {
  return accept.some(({ name }) => name === OTHER_PEOPLE);
}

/** If one guard refuses more registers than this, `acceptOption` names the guard alone, without its registers. */
const LISTED = 3;

/**
 * Returns the `--accept` option with which the edition would be imported. The option includes the acceptances that the operator has already
 * given. The text is empty if nothing refuses the edition, or if a guard refuses it that no operator can overrule.
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
