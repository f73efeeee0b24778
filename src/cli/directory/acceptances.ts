// The reasons and registers that `directory import --accept` takes. `import/guards/verdict.ts` defines what an acceptance covers, and
// chooses the option that a refusal prints. `report-text.ts` writes the whole command line around that option.

import { GUARDS, type GuardKey, guardName, guardNamed, OTHER_PEOPLE } from '#config/service/guard-table.ts';
import type { Acceptance } from '#import/guards/acceptances.ts';
import { REGISTER_NAMES } from '#import/registers/register-kinds.ts';
import { RESOURCE_TYPES } from '#search-index/index.ts';
import { didYouMean } from '#shared/nearest.ts';
import { UsageError } from '#shared/operator-messages.ts';

/** The reasons that `--accept` takes: `other-people`, and the names of all guards that are not absolute. */
export const ACCEPTABLE: readonly string[] = [
  OTHER_PEOPLE,
  ...(Object.keys(GUARDS) as GuardKey[]).map(guardName).filter((name) => !guardNamed(name)?.absolute),
];

/**
 * Parses the values of `--accept`: reasons, each with a register or without. A space in the name of a register is written as `/`. Throws a
 * `UsageError` for an unknown reason or register, and for a reason that may not be accepted.
 */
export function parseAccept(texts: readonly string[] = []): Acceptance[] {
  return texts
    .flatMap((text) => text.split(','))
    .map((text) => {
      const [name = '', register, ...more] = text.trim().split(':');
      if (more.length > 0 || register === '')
        throw new UsageError(`--accept "${text}": write REASON or REASON:REGISTER.`);
      if (guardNamed(name)?.absolute) throw new UsageError(`--accept ${name}: that may not be accepted.`);
      if (!ACCEPTABLE.includes(name)) {
        const hint = didYouMean(name, ACCEPTABLE, `Reasons are ${ACCEPTABLE.join(', ')}.`);
        throw new UsageError(`--accept "${name}": there is no such reason. ${hint}`);
      }
      return { name, ...(register !== undefined && { register: knownRegister(register) }) };
    });
}

/** Returns the name that guards use for the register. Throws a `UsageError` if there is no such register. */
function knownRegister(register: string): string {
  const known = new Map([...REGISTER_NAMES, ...RESOURCE_TYPES].map((name) => [name.replaceAll(' ', '/'), name]));
  const name = known.get(register);
  if (name !== undefined) return name;
  const hint = didYouMean(register, known.keys(), `Registers are ${[...known.keys()].join(', ')}.`);
  throw new UsageError(`--accept: there is no register "${register}". ${hint}`);
}
