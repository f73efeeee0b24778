// An issue of the configuration, the error that carries all issues, and their format as text.

import { printable } from '#shared/log/printable.ts';
import { counted } from '#shared/operator-messages.ts';

/** A problem and its remedy. Neither text contains a secret. */
export interface Problem {
  problem: string;
  remedy: string;
}

export interface ConfigIssue extends Problem {
  /** Path of the file, or `environment`. */
  file: string;
  /** Path of the key within the file (`clients[2].callbackUrls[0]`), or the name of the environment variable. */
  path: string;
  /** The id of the client that the issue concerns. */
  client?: string;
  /** Position of the issue in the file. Lines and columns begin with 1. */
  line?: number;
  column?: number;
}

/** Thrown if the configuration is not valid. It carries every issue that was found, not only the first one. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly ConfigIssue[]) {
    super(issueReport({ issues }));
    this.issues = issues;
  }
}

/** Formats the issues of a `ConfigurationError` for an operator: grouped by file, and in the order of their lines. */
export function issueReport({ issues }: { issues: readonly ConfigIssue[] }): string {
  const byFile = Map.groupBy(issues, ({ file }) => file);
  const inOrder = [...byFile.values()].flatMap((list) => list.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)));
  return [`Configuration is not valid: ${counted(issues.length, 'fault')}`, ...inOrder.map(issueText)].join('\n');
}

function issueText({ file, path, client, line, problem, remedy }: ConfigIssue): string {
  const position = line === undefined ? file : `${file}:${line}`;
  const key = client === undefined ? path : `${path} (client ${client})`;
  return `  ${path === '' ? position : `${position} ${key}`}\n    ${problem}\n    Remedy: ${remedy}`;
}

// Maximum length of a text that a message shows. A secret has 32 characters or more, so a shorter text cannot be a secret that was put in
// the wrong place.
const MOST_SHOWN = 31;

/**
 * Formats a value for a message. A list, a group, or a text that may be a secret is not shown: the message only says of which kind it is.
 */
export function shown(value: unknown): string {
  if (typeof value === 'string')
    return value.length <= MOST_SHOWN ? `"${printable(value)}"` : 'a text that is not shown';
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'a group of keys';
  return String(value);
}
