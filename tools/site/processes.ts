// Starts the processes that a tool needs, and stops them by their ids. Loopback only.

import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Cleanup } from './cleanup.ts';

export const ROOT = join(import.meta.dirname, '../..');

export interface Running {
  address: string;
  pid: number;
  stop(): Promise<void>;
}

/** The environment of this process without the settings of an operator's shell, and with those of the tool. */
export function environmentWith(own: Record<string, string> = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(HYGIE_|LOG_|DATABASE_URL|NODE_ENV$)/.test(name));
  return { ...Object.fromEntries(inherited), ...own };
}

interface StartChoices {
  /** Node by default. */
  program?: string;
  env?: Record<string, string>;
  input?: string | Buffer;
  /** Finds the address in what the process has written. */
  ready(text: string): string | undefined;
}

/** Starts `PROGRAM ARGS...` and waits until it has said its address. */
export function start(
  args: readonly string[],
  { program = process.execPath, env, input = '', ready }: StartChoices,
): Promise<Running> {
  const child = spawn(program, args, { cwd: ROOT, env: environmentWith(env) });
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    let said = '';
    const look = (chunk: Buffer) => {
      said += chunk.toString();
      const address = ready(said);
      if (!address) return;
      // The log goes on being read, or the process would wait for a reader, but it is not kept.
      for (const stream of [child.stdout, child.stderr]) stream.off('data', look).resume();
      resolve({ address, pid: child.pid ?? 0, stop: () => stop(child) });
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}:\n${said}`)));
  });
}

/** Asks a process to end and waits until it has; harmless when it has ended already. */
export function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface RunChoices {
  env?: Record<string, string>;
  input?: string;
  /** Ends the process when the tool ends before it. */
  cleanup?: Cleanup;
  /** Milliseconds after which it is killed. */
  timeout?: number;
}

/** Runs a program to its end; `child` is there at once. */
export function run(program: string, args: readonly string[], { env, input = '', cleanup, timeout }: RunChoices = {}) {
  const child = spawn(program, args, {
    cwd: ROOT,
    env: environmentWith(env),
    killSignal: 'SIGKILL',
    ...(timeout !== undefined && { timeout }),
  });
  const forget = cleanup?.later(() => stop(child));
  // A program that reads nothing may be gone before its input is written.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const code = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const ended = Promise.all([text(child.stdout), text(child.stderr), code]).then(async ([stdout, stderr, status]) => {
    await forget?.();
    return { code: status, stdout, stderr } as Outcome;
  });
  return { child, ended };
}

/** Runs `hygie ARGS` as an operator does. */
export const hygie = (args: readonly string[], choices: RunChoices = {}) =>
  run(process.execPath, ['src/launch.js', ...args], choices);

/** Runs `hygie ARGS` and returns its standard output. Throws when the command refuses. */
export async function succeed(args: readonly string[], choices: RunChoices = {}): Promise<string> {
  return outputOf(args, await hygie(args, choices).ended);
}

export function outputOf(args: readonly string[], { code, stdout, stderr }: Outcome): string {
  if (code === 0) return stdout;
  throw new Error(`hygie ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`.slice(0, 3000));
}
