// Owns what a issue of the configuration is, and how it is printed.
// Does not own any rule: those stand beside what they check.

import { printable } from '../shared/log/printable.ts';

/** One issue: where it is, what is wrong, and what to do about it. None of its texts contains a secret. */
export interface ConfigIssue {
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

/** Thrown with every issue that was found, never with the first alone. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly ConfigIssue[]) {
    super(issueReport({ issues }));
    this.issues = issues;
  }
}

/** The issues (of a `ConfigurationError`) as text for an operator: file by file, in the order of their lines. */
export function issueReport({ issues }: { issues: readonly ConfigIssue[] }): string {
  const files = [...new Set(issues.map(({ file }) => file))];
  const inOrder = files.flatMap((file) => issues.filter((issue) => issue.file === file).sort(byLine));
  const count = issues.length === 1 ? '1 fault' : `${issues.length} faults`;
  return [`The configuration has ${count}:`, ...inOrder.map(issueText)].join('\n');
}

function byLine(a: ConfigIssue, b: ConfigIssue): number {
  return (a.line ?? 0) - (b.line ?? 0);
}

// Secrets have 32 characters or more: one that was put where a word belongs is not repeated.
const MOST_SHOWN = 31;

/** A value as a issue may show it: what may be a secret is told by its kind alone. */
export function shown(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string' && value.length <= MOST_SHOWN) return `"${printable(value)}"`;
  if (typeof value === 'string') return 'The value (not shown)';
  return value === null || value === undefined ? 'Nothing' : Array.isArray(value) ? 'A list' : 'A group of keys';
}

function issueText({ file, path, client, line, problem, remedy }: ConfigIssue): string {
  const place = line === undefined ? file : `${file}:${line}`;
  const key = client === undefined ? path : `${path} (client ${client})`;
  return `  ${path === '' ? place : `${place} ${key}`}\n    ${problem}\n    Remedy: ${remedy}`;
}
