// Ends a test run with one plain line, `N passed, N failed, N skipped`, for machines that read the output.

import { refused } from './connections.ts';

interface Results {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numRuntimeErrorTestSuites: number;
}

// Jest demands a class as the module's default export.
export default class ClosingLine {
  readonly #notes: string | undefined;
  #error: Error | undefined;

  /** `notes`: of connections that were refused; those of the run, where Jest makes it. */
  constructor(notes?: unknown) {
    this.#notes = typeof notes === 'string' ? notes : undefined;
  }

  /** Jest fails the run with it. */
  getLastError(): Error | undefined {
    return this.#error;
  }

  onRunComplete(_contexts: unknown, results: Results): void {
    const unmeant = refused(this.#notes);
    for (const connection of unmeant) process.stdout.write(`\nRefused, since nobody meant it: ${connection}\n`);
    if (unmeant.length > 0) this.#error = new Error(`${unmeant.length} connections that nobody meant`);
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites + unmeant.length;
    process.stdout.write(`\n${results.numPassedTests} passed, ${failed} failed, ${results.numPendingTests} skipped\n`);
  }
}
