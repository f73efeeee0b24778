// operations.md, "Two commands": what npm starts ends with npm, gracefully where that is possible, and its port is free again.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, inherited } from '#support/cli/hygie.ts';
import { filledInstallation } from '#support/cli/serving.ts';
import { freePort } from '#support/free-port.ts';
import { until } from '#support/until.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
/** npm and the service start, one after the other. */
const SLOW = 60_000;

let place: Installation;
let npm: ChildProcess;
let written = '';
beforeAll(() => {
  place = filledInstallation();
});
afterAll(() => place.remove());
afterEach(() => {
  const service = serviceIn(written);
  if (service !== undefined) kill(service);
});

const serviceIn = (text: string) => {
  const pid = /"pid":(\d+)/.exec(text)?.[1];
  return pid === undefined ? undefined : Number(pid);
};
const kill = (pid: number) => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended, as it should.
  }
};

/** Starts the service by npm; resolves with its port when it listens. */
async function start(args: readonly string[]): Promise<number> {
  const port = await freePort();
  written = '';
  npm = spawn('npm', args, {
    cwd: ROOT,
    env: {
      ...inherited(),
      ...place.environment,
      HYGIE_HOST: '127.0.0.1',
      HYGIE_PORT: String(port),
      LOG_FORMAT: 'json',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [npm.stdout, npm.stderr])
    stream?.on('data', (text) => {
      written += text;
    });
  await until(() => /answers at/.test(written), 'the service answers');
  return port;
}

const isFree = async (port: number) =>
  fetch(`http://127.0.0.1:${port}/health/live`).then(
    () => false,
    () => true,
  );

const TWO_COMMANDS = [
  ['npm start', 'SIGTERM', ['start']],
  ['npm run -s hygie -- serve', 'SIGINT', ['run', '-s', 'hygie', '--', 'serve']],
] as const;

describe('npm', () => {
  it.each(TWO_COMMANDS)(
    '%s, %s to npm alone: the service ends gracefully before npm does, with exit code 0',
    async (_command, signal, args) => {
      const port = await start(args);
      const ended = once(npm, 'exit');
      npm.kill(signal);
      expect(await ended).toEqual([0, null]);
      expect(written).toContain(`"signal":"${signal}"`);
      expect(written).toMatch(/"msg":"stopped"/);
      expect(await isFree(port)).toBe(true);
    },
    SLOW,
  );

  it(
    'SIGKILL to npm, which hands nothing on, nor does it after SIGHUP: the service ends all the same, gracefully',
    async () => {
      const port = await start(['start']);
      npm.kill('SIGKILL');
      await until(() => /"signal":"end of npm".*"msg":"stopped"/s.test(written), 'the service has stopped');
      await until(() => isFree(port), 'the port is free');
    },
    SLOW,
  );
});
