// The report of a soak: tables for people, the same as JSON for machines.

import type { EventRow } from './events/event.ts';
import type { Failure, KindRow } from './load/record.ts';
import type { Measured } from './measure/verdict.ts';

export interface Report {
  options: object;
  seconds: number;
  operations: KindRow[];
  failures: readonly Failure[];
  events: EventRow[];
  measured: Measured[];
  /** Lines of the instances' logs at the level of an error or worse. */
  errors: string[];
  passed: boolean;
}

/** Failures of one kind and message that are listed in full. */
const LISTED = 30;

export function reportText(report: Report): string {
  const { operations, events, measured, failures, errors, seconds } = report;
  const sum = (of: (row: KindRow) => number) => operations.reduce((total, row) => total + of(row), 0);
  const total = sum(({ count }) => count);
  const grown = measured.filter(({ flat }) => flat === false);
  const failedEvents = events.filter(({ failed }) => failed);
  return [
    table(
      ['OPERATION', 'COUNT', 'FAILED', 'P50 ms', 'P95 ms', 'P99 ms'],
      [...operations.toSorted((one, other) => one.kind.localeCompare(other.kind))]
        .map(({ kind, count, failures: lost, p50, p95, p99 }) => [
          kind,
          count,
          lost,
          round(p50),
          round(p95),
          round(p99),
        ])
        .concat([['all', total, sum((row) => row.failures), '', '', '']]),
    ),
    table(
      ['AT', 'EVENT', 'TOOK', 'WHAT BECAME OF IT'],
      events.map(({ at, name, seconds: took, note, failed }) => [
        clock(at),
        name,
        `${took.toFixed(1)} s`,
        failed ? `FAILED: ${note}` : note,
      ]),
    ),
    table(
      ['LAST TWO THIRDS', 'BEGIN', 'MIDDLE', 'END', 'PER HOUR', 'ROSE BY', 'MAY BY', ''],
      measured.map(({ name, values, perHour, rise, allowed, flat, unjudged }) => [
        name,
        ...values.map(round),
        perHour === undefined ? '' : round(perHour),
        rise === undefined ? '' : round(rise),
        allowed === undefined ? '' : round(allowed),
        unjudged ? `not judged: ${unjudged}` : flat ? 'flat' : 'GROWS',
      ]),
    ),
    listed(
      'Failures that a client noticed',
      failures.map(({ at, kind, message }) => `${clock(at)} ${kind}: ${message}`),
    ),
    listed('Errors in the log', errors),
    `${total} operations in ${clock(seconds)}, ${failures.length} failed; ${events.length} events, ${failedEvents.length} failed; ` +
      `${grown.length === 0 ? 'nothing grew' : `${grown.length} grew: ${grown.map(({ name }) => name).join(', ')}`}; ` +
      `${errors.length} errors in the log. ${report.passed ? 'PASSED' : 'NOT PASSED'}`,
    '',
  ].join('\n');
}

function listed(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const more = lines.length > LISTED ? [`... and ${lines.length - LISTED} more (--json FILE has all)`] : [];
  return [`${title}:`, ...lines.slice(0, LISTED).map((line) => `  ${line}`), ...more, ''].join('\n');
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const all = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const isNumber = (column: number) => rows.every((row) => /^[-\d.–]*$/.test(String(row[column] ?? '')));
  const lines = all.map((row) =>
    row
      .map((cell, column) => (isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

const round = (value: number) => (Number.isNaN(value) ? '–' : value.toFixed(Math.abs(value) < 10 ? 1 : 0));

export function clock(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
