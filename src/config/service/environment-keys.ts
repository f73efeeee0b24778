// Environment variables that stand for keys of `service.yaml`: they are checked with its schema and beat it.

import type { ConfigIssue } from '../configuration-error.ts';
import { validate } from '../schema/validate.ts';
import { withoutPositions } from '../yaml/yaml-file.ts';
import { type Environment, type VariableName, variable } from './environment.ts';

/** Keys of `service.yaml` that a variable sets instead of the file. */
const KEYS = {
  issuer: 'HYGIE_ISSUER',
  processes: 'HYGIE_PROCESSES',
  'listen.host': 'HYGIE_HOST',
  'listen.port': 'HYGIE_PORT',
  'log.level': 'LOG_LEVEL',
  'log.format': 'LOG_FORMAT',
} as const satisfies Record<string, VariableName>;

type Group = Record<string, unknown>;

/** The value of `service.yaml` with the keys that the environment sets, and which of these do not fit the schema. */
export function withEnvironment(file: unknown, env: Environment): { value: Group; issues: ConfigIssue[] } {
  const value = { ...(file as Group) };
  const alone: Group = {};
  for (const [path, name] of Object.entries(KEYS)) {
    const text = variable(env, name);
    if (text === undefined) continue;
    const [first = '', second] = path.split('.');
    const given = /^\d{1,9}$/.test(text) ? Number(text) : text;
    for (const target of [value, alone]) {
      target[first] = second === undefined ? given : { ...(target[first] as Group), [second]: given };
    }
  }
  const { issues } = validate('service', withoutPositions('environment', alone));
  return { value, issues: issues.map((issue) => ({ ...issue, path: KEYS[issue.path as keyof typeof KEYS] })) };
}
