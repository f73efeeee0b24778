// Parses the time in an option: a date, the name of a day, or how long ago.

import { UsageError } from '../../shared/operator-errors.ts';

const DAY = 86_400_000;
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: DAY };
const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** Milliseconds since the epoch; days begin in UTC. Anything else is a `UsageError` that names the option. */
export function parseTime(option: string, text: string): number {
  const ago = /^(\d{1,6})([smhd])$/.exec(text);
  if (ago) return Date.now() - Number(ago[1]) * (UNITS[ago[2] ?? ''] ?? 0);
  const now = Date.now();
  const today = now - (now % DAY);
  if (text === 'today') return today;
  if (text === 'yesterday') return today - DAY;
  const instant = DATE.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(instant)) return instant;
  throw new UsageError(`${option} is no time: "${text}". Write 2026-11-21, 2026-11-21T08:00:00Z, yesterday or 12h.`);
}
