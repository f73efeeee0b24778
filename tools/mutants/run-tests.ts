// Runs test files of a checkout until one of them fails.

import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Time for one run of tests, in milliseconds. A fault that makes tests hang is noticed by that. */
const PATIENCE = 300_000;

/**
 * Returns the first file that failed, what else failed where the run names no file, or undefined if all passed. The files
 * are either all of `npm test` or all of `npm run test:system`.
 */
export async function firstFailure(
  root: string,
  tests: readonly string[],
  workers: number,
): Promise<string | undefined> {
  const config = tests[0]?.endsWith('.system.test.ts') ? ['--config', 'test/system.config.js'] : [];
  const bin = join(root, 'node_modules/.bin');
  const child = spawn(join(bin, 'jest'), [...config, '--bail', '-w', String(workers), '--runTestsByPath', ...tests], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    // A group of its own, so that what it started ends with it.
    detached: true,
    env: { ...process.env, PATH: `${bin}:${process.env['PATH']}` },
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    endGroup(child.pid);
  }, PATIENCE);
  const endWithParent = () => endGroup(child.pid);
  process.once('exit', endWithParent);
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  clearTimeout(timer);
  process.off('exit', endWithParent);
  if (code === 0) return undefined;
  const [, failed] = /^FAIL (\S+)/m.exec(said) ?? [];
  return failed ?? (late ? 'hung' : 'the set-up or the guards of the run');
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
