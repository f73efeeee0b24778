// The form of the result: rows of figures, and the Markdown table that they become.

/** Milliseconds. */
export interface Spread {
  count: number;
  p50: number;
  p99: number;
  max: number;
}

export interface Row {
  what: string;
  spread?: Spread;
  note?: string;
}

/** Median, 99th percentile and maximum of times in milliseconds; the list is sorted in place. */
export function spreadOf(times: number[]): Spread {
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return { count: times.length, p50: at(0.5), p99: at(0.99), max: at(1) };
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
