// Runs commands within the test's process, where it is what they do that is asked, not that they are processes; keeps what the
// last one wrote. Does not own commands as processes (`hygie.ts`).

import { afterEach, beforeEach, jest } from '@jest/globals';
import { type CommandTable, runCommandLine } from '../../src/commands/command.ts';

/** What the last command wrote to standard output and to standard error. */
export let out = '';
export let err = '';

/** To be called at the top of a test file. */
export function keepOutput(): void {
  beforeEach(() => {
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
      out += String(text);
      return true;
    });
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      err += String(text);
      return true;
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
}

/** Runs a command line; resolves with its exit code. */
export function run(commands: CommandTable, args: readonly string[]): Promise<number> {
  out = '';
  err = '';
  return runCommandLine(commands, args);
}
