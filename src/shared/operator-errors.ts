// Errors with a message for the operator, on the command line or in the log of a process.

/** Thrown when the command line is wrong: exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Thrown when the command line is right, but its request is refused: exit code 1, with every reason. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly reasons: readonly string[];

  constructor(reasons: string | readonly string[]) {
    const all = typeof reasons === 'string' ? [reasons] : reasons;
    super(all.join('\n'));
    this.reasons = all;
  }
}
