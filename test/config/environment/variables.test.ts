// The environment variables: their names, meanings and defaults, as `check` and the reference of settings print them.

import { describe, expect, it } from '@jest/globals';
import { operatorNamed, readMode } from '#config/environment/environment.ts';
import { environmentTable } from '#config/schema/json-schema.ts';
import { shipped } from '#support/config/shipped.ts';

describe('variables of the environment', () => {
  it('are those of the page in config/ (npm run schemas)', () => {
    expect(shipped('environment.md')).toContain(environmentTable());
  });

  it.each<[object, mode: string, sandbox: boolean, ...issue: string[]]>([
    [{}, 'development', false],
    [{ NODE_ENV: 'production' }, 'production', false],
    [{ NODE_ENV: 'production', HYGIE_SANDBOX: '1' }, 'production', true],
    [{ NODE_ENV: 'production', HYGIE_SANDBOX: '0' }, 'production', false],
    [{ NODE_ENV: 'test' }, 'development', false],
    [
      { HYGIE_SANDBOX: '1' },
      ...(['development', true, 'HYGIE_SANDBOX', 'A sandbox is a kind of production.'] as const),
      'Set NODE_ENV=production; in development people are fictional anyway.',
    ],
    [
      { NODE_ENV: 'production', HYGIE_SANDBOX: 'yes' },
      ...(['production', true, 'HYGIE_SANDBOX', '"yes" is not known.', 'Use 1, or leave it out.'] as const),
    ],
    [
      { NODE_ENV: 'prod' },
      ...(['development', false, 'NODE_ENV', '"prod" is not known.'] as const),
      'Use production, or leave it out for development.',
    ],
    [
      { HYGIE_OPERATOR: 'a\u0007' },
      ...(['development', false, 'HYGIE_OPERATOR'] as const),
      ...[
        'Is not a name of 1 to 64 characters without control characters.',
        'Write the name of the operator, such as j.martin.',
      ],
    ],
    [
      { HYGIE_DATABASE_URL: 'x', HYGIE_PROT: '1', DATABASE_URI: 'x' },
      ...(['development', false, 'HYGIE_PROT', 'Unknown variable.', 'Did you mean "HYGIE_PORT"?'] as const),
    ],
  ])('%j is read so', (env, mode, sandbox, ...[path, problem, remedy]) => {
    const issues = path === undefined ? [] : [{ file: 'environment', path, problem, remedy }];
    expect(readMode(env as NodeJS.ProcessEnv)).toEqual({ mode, sandbox, issues });
  });

  it('the operator is who is named, or who used sudo', () => {
    expect([
      operatorNamed({ HYGIE_OPERATOR: ' j.martin ', SUDO_USER: 'ann' }),
      operatorNamed({ SUDO_USER: 'ann' }),
      operatorNamed({ HYGIE_OPERATOR: 'x'.repeat(65), SUDO_USER: 'y'.repeat(64) }),
      operatorNamed({}),
    ]).toEqual(['j.martin', 'ann', 'y'.repeat(64), undefined]);
  });
});
