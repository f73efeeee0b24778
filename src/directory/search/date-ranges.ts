// Parses the value of a date parameter to ranges of time: prefixes, partial dates, time zones (STU3 search 3.1.1.4.7).

import type { DATE_PREFIXES } from '#directory/resources/parameters.ts';
import type { InstantRange } from '#search-index/index.ts';

type DatePrefix = (typeof DATE_PREFIXES)[number];

/** The time that a date covers, in milliseconds since 1970. The instant `from` is part of it, the instant `to` is not. */
type Period = Required<InstantRange>;

/**
 * The ranges that each prefix finds. A resource has an instant, not a period, so `gt` equals `sa`, and `lt` equals `eb`. `ap` adds one unit
 * of the date's own precision before and after the date. STU3 suggests another margin for `ap`: a share of the time that has passed since
 * the date. This margin would grow from page to page of one search, so it is not used.
 */
const PREFIXES: Readonly<Record<DatePrefix, (period: Period) => readonly InstantRange[]>> = {
  eq: (period) => [period],
  ne: ({ from, to }) => [{ to: from }, { from: to }],
  gt: ({ to }) => [{ from: to }],
  lt: ({ from }) => [{ to: from }],
  ge: ({ from }) => [{ from }],
  le: ({ to }) => [{ to }],
  sa: ({ to }) => [{ from: to }],
  eb: ({ from }) => [{ to: from }],
  ap: ({ from, to }) => [{ from: from - (to - from), to: to + (to - from) }],
};

const DATE = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/;

/** Parses a value such as `ge2026-11`; undefined if it is malformed. */
export function parseDateRanges(value: string): readonly InstantRange[] | undefined {
  const prefix = /^[a-z]{2}/.exec(value)?.[0];
  const meaning = PREFIXES[(prefix ?? 'eq') as DatePrefix] as (typeof PREFIXES)[DatePrefix] | undefined;
  const period = periodOf(prefix === undefined ? value : value.slice(2));
  return meaning && period && meaning(period);
}

/** Parses a date to the time that it covers. A date without a time zone is read as UTC. Digits after the milliseconds are ignored. */
function periodOf(text: string): Period | undefined {
  // A client that does not percent-encode the `+` of a time zone sends a blank, because `+` means a blank in a query.
  const [, year = '', month, day, hour, minute, second, fraction, zone] = DATE.exec(text.replace(' ', '+')) ?? [];
  const milliseconds = fraction?.slice(0, 3).padEnd(3, '0') ?? '000';
  const iso = `${year}-${month ?? '01'}-${day ?? '01'}T${hour ?? '00'}:${minute ?? '00'}:${second ?? '00'}.${milliseconds}Z`;
  const start = new Date(iso);
  const offset = offsetOf(zone);
  // `Date` accepts 24:00 and 30 February and makes another day of them. The comparison with `iso` refuses such dates.
  if (Number.isNaN(start.getTime()) || start.toISOString() !== iso || offset === undefined) return undefined;
  const end = new Date(start);
  if (fraction !== undefined) end.setTime(start.getTime() + 10 ** Math.max(0, 3 - fraction.length));
  else if (second !== undefined) end.setUTCSeconds(end.getUTCSeconds() + 1);
  else if (minute !== undefined) end.setUTCMinutes(end.getUTCMinutes() + 1);
  else if (day !== undefined) end.setUTCDate(end.getUTCDate() + 1);
  else if (month !== undefined) end.setUTCMonth(end.getUTCMonth() + 1);
  else end.setUTCFullYear(end.getUTCFullYear() + 1);
  return { from: start.getTime() - offset, to: end.getTime() - offset };
}

/** Milliseconds by which a time zone is ahead of UTC. */
function offsetOf(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4));
  if (minutes > 59 || hours * 60 + minutes > 14 * 60) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
