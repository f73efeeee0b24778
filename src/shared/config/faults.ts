// Owns what a fault of the configuration is, and how it is printed.
// Does not own any rule: those stand beside what they check.

/** One fault: where it is, what is wrong, and what to do about it. None of its texts contains a secret. */
export interface Fault {
  /** Path of the file, or `environment`. */
  file: string;
  /** Path of the key within the file (`clients[2].callbackUrls[0]`), or the name of the environment variable. */
  path: string;
  /** 1-based. */
  line?: number;
  problem: string;
  remedy: string;
}

/** Thrown with every fault that was found, never with the first alone. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super(faultReport({ faults }));
    this.faults = faults;
  }
}

/** The faults (of a `ConfigurationError`) as text for an operator: file by file, in the order of their lines. */
export function faultReport({ faults }: { faults: readonly Fault[] }): string {
  const files = [...new Set(faults.map(({ file }) => file))];
  const inOrder = files.flatMap((file) => faults.filter((fault) => fault.file === file).sort(byLine));
  const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`;
  return [`The configuration has ${count}:`, ...inOrder.map(faultText)].join('\n');
}

function byLine(a: Fault, b: Fault): number {
  return (a.line ?? 0) - (b.line ?? 0);
}

function faultText({ file, path, line, problem, remedy }: Fault): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return `  ${path === '' ? place : `${place} ${path}`}\n    ${problem}\n    Remedy: ${remedy}`;
}
