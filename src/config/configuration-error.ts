// Owns what a fault of the configuration is, and how it is printed.
// Does not own any rule: those stand beside what they check.

import { printable } from '../shared/log/printable.ts';

/** One fault: where it is, what is wrong, and what to do about it. None of its texts contains a secret. */
export interface Fault {
  /** Path of the file, or `environment`. */
  file: string;
  /** Path of the key within the file (`clients[2].callbackUrls[0]`), or the name of the environment variable. */
  path: string;
  /** The id of the client that it concerns. */
  client?: string;
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

// Secrets have 32 characters or more: one that was put where a word belongs is not repeated.
const MOST_SHOWN = 31;

/** A value as a fault may show it: what may be a secret is told by its kind alone. */
export function shown(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string' && value.length <= MOST_SHOWN) return `"${printable(value)}"`;
  if (typeof value === 'string') return 'The value (not shown)';
  return value === null || value === undefined ? 'Nothing' : Array.isArray(value) ? 'A list' : 'A group of keys';
}

function faultText({ file, path, client, line, problem, remedy }: Fault): string {
  const place = line === undefined ? file : `${file}:${line}`;
  const key = client === undefined ? path : `${path} (client ${client})`;
  return `  ${path === '' ? place : `${place} ${key}`}\n    ${problem}\n    Remedy: ${remedy}`;
}
