// The form of the result: rows of figures, and the Markdown table that they become.

import type { Spread } from '#tools/site/load.ts';

export interface Row {
  what: string;
  spread?: Spread;
  note?: string;
}

export function markdown(rows: readonly Row[]): string {
  const lines = ['| What | count | p50 ms | p99 ms | max ms | Further |', '|---|--:|--:|--:|--:|---|'];
  for (const { what, spread, note = '' } of rows) {
    const figures = spread
      ? [String(spread.count), ...[spread.p50, spread.p99, spread.max].map(milliseconds)]
      : ['', '', '', ''];
    lines.push(`| ${[what, ...figures, note].join(' | ')} |`);
  }
  return lines.join('\n');
}

function milliseconds(value: number): string {
  return value < 10 ? value.toFixed(3) : value.toFixed(1);
}

/** A whole number with its thousands apart. */
export function grouped(value: number): string {
  return Math.round(value).toLocaleString('en').replaceAll(',', ' ');
}

export function megabytes(value: number): string {
  return Number.isFinite(value) && value > 0 ? `${grouped(value)} MB` : 'unknown here';
}
