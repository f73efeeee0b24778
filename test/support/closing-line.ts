// Ends a test run with one plain line, `N passed, N failed, N skipped`, for machines that read the output.

import { refused } from './refusals.ts';

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

  /** `notes`: the file of refusals; that of the run, where Jest makes it. */
  constructor(notes?: unknown) {
    this.#notes = typeof notes === 'string' ? notes : undefined;
  }

  /** Jest fails the run with it. */
  getLastError(): Error | undefined {
    return this.#error;
  }

  onRunComplete(_contexts: unknown, results: Results): void {
    const refusals = refused(this.#notes);
    for (const refusal of refusals) process.stdout.write(`\nRefused: ${refusal}\n`);
    if (refusals.length > 0) this.#error = new Error(`${refusals.length} refusals`);
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites + refusals.length;
    process.stdout.write(`\n${results.numPassedTests} passed, ${failed} failed, ${results.numPendingTests} skipped\n`);
  }
}
