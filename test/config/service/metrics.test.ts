// Issue, item "Metrics": where they are served and for whom; faults of these keys name the remedy and never a secret (SEC-17).

import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { adviceOn } from '#config/index.ts';
import { maskSettings } from '#config/masked.ts';
import { type Environment, folderWith, issuesOf, load } from '#support/config/folder.ts';

const TOKEN = 'a-token-of-the-tests-that-opens-nothing';
const production = { NODE_ENV: 'production', HYGIE_ISSUER: 'https://connect.example' };

it('there are none by default; a port listens on this machine alone; HYGIE_METRICS_PORT beats it', async () => {
  expect((await load({})).settings.metrics).toEqual({ host: '127.0.0.1' });
  const service = 'metrics: { port: 9464 }';
  expect((await load({ service })).settings.metrics).toEqual({ host: '127.0.0.1', port: 9464 });
  const env = { HYGIE_METRICS_PORT: '9465', HYGIE_METRICS_HOST: '0.0.0.0' };
  expect((await load({ service }, env)).settings.metrics).toEqual({ host: '0.0.0.0', port: 9465 });
});

it('a token comes from a variable or a file, and is shown nowhere', async () => {
  const { settings } = await load({ service: 'metrics: { token: { env: T } }' }, { T: TOKEN, ...production });
  expect(settings.metrics.token).toBe(TOKEN);
  expect(JSON.stringify(maskSettings(settings))).not.toContain(TOKEN);
  const folder = folderWith({ 'metrics-token': `${TOKEN}\n` });
  const file = `metrics: { token: { file: ${join(folder, 'metrics-token')} } }`;
  expect((await load({ service: file }, production)).settings.metrics.token).toBe(TOKEN);
});

it('a port that others reach without a token is worth a warning, at the start and in `check`', async () => {
  const advice = async (service: string, env: Environment = {}) =>
    adviceOn((await load({ service }, env)).settings).filter((line) => /metrics/.test(line));
  const open = 'metrics: { port: 9464, host: 0.0.0.0 }';
  expect(await advice(open)).toEqual([
    expect.stringMatching(/^metrics\.host is 0\.0\.0\.0 .*port 9464 .*set the token\.$/),
  ]);
  expect(await advice('', { HYGIE_METRICS_PORT: '9464', HYGIE_METRICS_HOST: '::' })).toHaveLength(1);
  const closed = ['', 'metrics: { port: 9464 }', 'metrics: { port: 9464, host: "::1" }', 'metrics: { host: 0.0.0.0 }'];
  for (const service of closed) expect(await advice(service)).toEqual([]);
  const withToken = 'metrics: { port: 9464, host: 0.0.0.0, token: { env: T } }';
  expect(await advice(withToken, { T: TOKEN })).toEqual([]);
});

const faults: [name: string, service: string, env: Environment, path: string, problem: RegExp][] = [
  ['the port of the service', 'metrics: { port: 3000 }', {}, 'metrics.port', /port of the service itself/],
  ['the same by its variable', '', { HYGIE_METRICS_PORT: '3000' }, 'HYGIE_METRICS_PORT', /port of the service itself/],
  ['no number', '', { HYGIE_METRICS_PORT: 'x' }, 'HYGIE_METRICS_PORT', /number/],
  ['a variable that is not set', 'metrics: { token: { env: T } }', {}, 'metrics.token', /variable T is not set/],
  ['both', 'metrics: { token: { env: T, file: t } }', { T: TOKEN }, 'metrics.token', /2 keys where exactly one/],
  ['neither', 'metrics: { token: {} }', {}, 'metrics.token', /0 keys where exactly one/],
  [
    'a file that is not there',
    'metrics: { token: { file: none } }',
    {},
    'metrics.token',
    /none cannot be read \(ENOENT\)/,
  ],
  ['a blank in it', 'metrics: { token: { env: T } }', { T: `${TOKEN} x` }, 'metrics.token', /characters that no Auth/],
  ['a short one', 'metrics: { token: { env: T } }', { T: 'short', ...production }, 'metrics.token', /fewer than 32/],
];
it.each(faults)('refused, with the remedy: %s', async (_name, service, env, path, problem) => {
  const issues = await issuesOf(load({ service }, env));
  expect(issues).toEqual([
    expect.objectContaining({ path, problem: expect.stringMatching(problem), remedy: expect.any(String) }),
  ]);
  if (env['T']) expect(JSON.stringify(issues)).not.toContain(env['T']);
});
