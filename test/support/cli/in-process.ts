// Runs commands within the test's process, for tests of what they do; keeps the output of the last one. Commands as real
// processes: `hygie.ts`.

import { Readable } from 'node:stream';
import { afterEach, beforeEach, jest } from '@jest/globals';
import { COMMANDS } from '#cli/commands.ts';
import type { CommandTable } from '#cli/support/command.ts';
import { runCommandLine } from '#cli/support/command-line.ts';
import { keptPriority } from '#support/jest/priority.ts';
import { type Installation, inherited } from './hygie.ts';

/** What the last command wrote to standard output and to standard error. */
export let out = '';
export let err = '';

const keep = () => [
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  }),
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += String(text);
    return true;
  }),
];

/** Keeps the output of each test; called at the top of a test file. */
export function keepOutput(): void {
  beforeEach(() => void keep());
  afterEach(() => {
    jest.restoreAllMocks();
  });
}

/** Runs a command line; resolves with its exit code. */
export function run(commands: CommandTable, args: readonly string[]): Promise<number> {
  out = '';
  err = '';
  return runCommandLine(commands, args).finally(keptPriority());
}

let before: Promise<unknown> = Promise.resolve();

/** `Installation.hygie` without a process for each command (`serve` does not end): one after the other, with the environment of a process. */
export function inProcess({ environment }: Pick<Installation, 'environment'>): Installation['hygie'] {
  return (args, { input = '', env = {} } = {}) => {
    const outcome = before.then(async () => {
      const own = { env: process.env, stdin: process.stdin, terminal: process.stderr.isTTY };
      process.env = { ...inherited(), ...environment, ...env };
      // Where somebody watches the tests in a terminal, commands must not draw there.
      process.stderr.isTTY = false;
      Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true });
      const kept = keep();
      try {
        return { code: await run(COMMANDS, args), stdout: out, stderr: err };
      } finally {
        for (const spy of kept) spy.mockRestore();
        Object.defineProperty(process, 'stdin', { value: own.stdin, configurable: true });
        process.stderr.isTTY = own.terminal;
        process.env = own.env;
      }
    });
    before = outcome.catch(() => {});
    return outcome;
  };
}
