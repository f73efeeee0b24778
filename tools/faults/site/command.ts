// Runs commands and starts of the service that are expected to end, with whatever environment a fault needs.

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { Installation, Outcome } from '#support/cli/hygie.ts';
import { ROOT } from '#tools/site/processes.ts';

/** @param environment of every command, to which each may add */
export function hygieIn(environment: Record<string, string>): Installation['hygie'] {
  return (args, { input = '', env = {} } = {}) =>
    run(process.execPath, ['src/launch.js', ...args], { ...environment, ...env }, input);
}

/** One that does not end within half a minute is killed, and its exit code is null. */
export async function run(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
  input = '',
): Promise<Outcome> {
  const child = spawn(program, args, { cwd: ROOT, env, timeout: 60_000, killSignal: 'SIGKILL' });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}
