// The reasons and registers that `directory import --accept` takes. What an acceptance covers, and the option that a refusal prints:
// `import/guards/verdict.ts`; the command line around it: `judgement-text.ts`.

import { GUARDS, type GuardKey, guardName, guardNamed, OTHER_PEOPLE } from '#config/service/guard-table.ts';
import type { Acceptance } from '#import/guards/verdict.ts';
import { REGISTER_NAMES } from '#import/registers/register-kinds.ts';
import { RESOURCE_TYPES } from '#search-index/index.ts';
import { nearest } from '#shared/nearest.ts';
import { UsageError } from '#shared/operator-errors.ts';

/** The reasons that an operator may accept. */
export const ACCEPTABLE: readonly string[] = [
  OTHER_PEOPLE,
  ...(Object.keys(GUARDS) as GuardKey[]).map(guardName).filter((name) => !guardNamed(name)?.absolute),
];

/** The reasons of the option, each once. A register of two words is written with `/`. Throws a `UsageError`. */
export function parseAccept(texts: readonly string[] = []): Acceptance[] {
  return texts
    .flatMap((text) => text.split(','))
    .map((text) => {
      const [name = '', register, ...more] = text.trim().split(':');
      if (more.length > 0 || register === '')
        throw new UsageError(`--accept "${text}": write REASON or REASON:REGISTER.`);
      if (guardNamed(name)?.absolute) throw new UsageError(`--accept ${name}: that may not be accepted.`);
      if (!ACCEPTABLE.includes(name)) {
        const near = nearest(name, ACCEPTABLE);
        const hint = near === undefined ? `Reasons are ${ACCEPTABLE.join(', ')}.` : `Is "${near}" meant?`;
        throw new UsageError(`--accept "${name}": there is no such reason. ${hint}`);
      }
      return { name, ...(register !== undefined && { register: knownRegister(register.replaceAll('/', ' ')) }) };
    });
}

/** The register as guards name it. Throws a `UsageError` if none of them does. */
function knownRegister(register: string): string {
  const known = [...new Set([...REGISTER_NAMES, ...RESOURCE_TYPES])];
  if (known.includes(register)) return register;
  const names = known.map((name) => name.replaceAll(' ', '/'));
  const near = nearest(register, known)?.replaceAll(' ', '/');
  const hint = near === undefined ? `Registers are ${names.join(', ')}.` : `Is "${near}" meant?`;
  throw new UsageError(`--accept: there is no register "${register}". ${hint}`);
}
