// The service as a process of its own, which is killed and started again; its log goes into a file.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ROOT } from '#tools/site/processes.ts';

export interface ServiceProcess {
  readonly pid: number;
  /** When it was last killed, in milliseconds of `performance.now()`; undefined once it runs again. */
  readonly killedAt: number | undefined;
  /** Resolves with the exit code once the process has ended. */
  readonly ended: Promise<number | null>;
  /** Starts it; resolves when it is ready, rejects when it ends or is not within a minute. `log`: where it writes from now on. */
  start(env?: Record<string, string>, log?: string): Promise<void>;
  kill(signal: NodeJS.Signals): Promise<void>;
  /** What was logged since the given length of the log. */
  logged(from?: number): string;
  logLength(): number;
}

const PATIENCE = 90_000;

export function createServiceProcess(
  folder: string,
  port: number,
  environment: Record<string, string>,
): ServiceProcess {
  const ownLog = join(folder, 'service.log');
  let child: ChildProcess | undefined;
  let killedAt: number | undefined;
  let ended: Promise<number | null> = Promise.resolve(null);
  const logged = (from = 0) => readFileSync(ownLog).subarray(from).toString();
  return {
    get pid() {
      return child?.pid ?? 0;
    },
    get killedAt() {
      return killedAt;
    },
    get ended() {
      return ended;
    },
    logged,
    logLength: () => logged().length,
    async start(env = {}, log = ownLog) {
      killedAt = undefined;
      const output = openSync(log, 'a');
      const all = { ...environment, ...env };
      const started = spawn(process.execPath, ['src/launch.js', 'serve'], {
        cwd: ROOT,
        env: all,
        stdio: ['ignore', output, output],
      });
      child = started;
      let over = false;
      ended = new Promise((resolve) =>
        started.once('exit', (code) => {
          over = true;
          closeSync(output);
          resolve(code);
        }),
      );
      const late = performance.now() + PATIENCE;
      while (!(await isReady(port))) {
        if (over || performance.now() > late) throw new Error(`the service is not ready:\n${logged().slice(-3000)}`);
        await setTimeout(100);
      }
    },
    async kill(signal) {
      killedAt = performance.now();
      child?.kill(signal);
      await ended;
    },
  };
}

export const isReady = (port: number) =>
  fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(10_000) }).then(
    ({ status }) => status === 200,
    () => false,
  );
