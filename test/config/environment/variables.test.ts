// The environment variables: their names, meanings and defaults, as `check` and the reference of settings print them.

import { describe, expect, it } from '@jest/globals';
import { ENVIRONMENT, operatorNamed, readMode } from '#config/environment/environment.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';

describe('variables of the environment', () => {
  withOwnSnapshots(import.meta.filename);
  it('are these', () => {
    expect(ENVIRONMENT).toMatchSnapshot();
  });

  it.each([
    {},
    { NODE_ENV: 'production' },
    { NODE_ENV: 'production', HYGIE_SANDBOX: '1' },
    { HYGIE_SANDBOX: '1' },
    { NODE_ENV: 'production', HYGIE_SANDBOX: '0' },
    { NODE_ENV: 'production', HYGIE_SANDBOX: 'yes' },
    { NODE_ENV: 'test' },
    { NODE_ENV: 'prod' },
    { HYGIE_OPERATOR: 'a\u0007' },
    { HYGIE_DATABASE_URL: 'x', HYGIE_PROT: '1', DATABASE_URI: 'x' },
  ])('%j is read so', (env) => {
    expect(readMode(env as NodeJS.ProcessEnv)).toMatchSnapshot();
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
