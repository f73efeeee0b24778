// The service as a process that is stopped, killed and started again; its log goes into a file.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { environmentWith, ROOT } from './processes.ts';

export interface ServiceProcess {
  readonly port: number;
  /** Id of the process that runs now. */
  readonly pid: number;
  /** When the process was last told to end, in milliseconds of `performance.now()`; undefined once it runs again. */
  readonly killedAt: number | undefined;
  /** Resolves when the service is ready; rejects when it ends or takes too long. `log` is another file for its output. */
  start(env?: Record<string, string>, log?: string): Promise<void>;
  /** Resolves with the exit code once the process has ended. */
  kill(signal: NodeJS.Signals): Promise<number | null>;
  /** What was logged since the given length of the log. */
  logged(from?: number): string;
  logLength(): number;
}

interface Choices {
  port: number;
  environment: Record<string, string>;
  /** The file of the log. */
  log: string;
  /** The folder of the release; this checkout by default. */
  release?: string;
  /** Arguments of Node. */
  nodeArgs?: readonly string[];
  isReady?(port: number): Promise<boolean>;
}

/** Milliseconds that a start may take. */
const PATIENCE = 90_000;

export function createServiceProcess({
  port,
  environment,
  log: ownLog,
  release = ROOT,
  nodeArgs = [],
  isReady = answersReady,
}: Choices): ServiceProcess {
  let child: ChildProcess | undefined;
  let killedAt: number | undefined;
  let ended: Promise<number | null> = Promise.resolve(null);
  return {
    port,
    get pid() {
      return child?.pid ?? 0;
    },
    get killedAt() {
      return killedAt;
    },
    logged: (from = 0) => readFrom(ownLog, from),
    logLength: () => (existsSync(ownLog) ? statSync(ownLog).size : 0),
    async start(env = {}, log = ownLog) {
      killedAt = undefined;
      const output = openSync(log, 'a');
      const started = spawn(process.execPath, [...nodeArgs, 'src/launch.js', 'serve'], {
        cwd: release,
        env: environmentWith({ ...environment, HYGIE_PORT: String(port), ...env }),
        stdio: ['ignore', output, output],
      });
      child = started;
      closeSync(output);
      let over = false;
      ended = new Promise((resolve) =>
        started.once('exit', (code) => {
          over = true;
          resolve(code);
        }),
      );
      const late = performance.now() + PATIENCE;
      while (!(await isReady(port))) {
        if (over || performance.now() > late)
          throw new Error(`the service is not ready:\n${readFrom(ownLog, 0).slice(-3000)}`);
        await setTimeout(100);
      }
    },
    kill(signal) {
      killedAt = performance.now();
      child?.kill(signal);
      return ended;
    },
  };
}

const answersReady = (port: number) =>
  fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(10_000) }).then(
    ({ status }) => status === 200,
    () => false,
  );

function readFrom(path: string, from: number): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - from));
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, from));
  } finally {
    closeSync(file);
  }
}
