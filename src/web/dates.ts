// Formats dates, times and durations in the language of a page or mail. The time zone is `branding.timeZone`, which `cli/serve.ts` sets as
// the TZ of the process if no TZ was set.

import type { Language } from './language.ts';

/** Formats a duration in whole minutes, at least one: `12 minutes`. */
export function formatMinutes(seconds: number, language: Language): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  const unit = new Intl.NumberFormat(language, { style: 'unit', unit: 'minute', unitDisplay: 'long' });
  return unit.format(minutes).replaceAll(' ', '\u00a0');
}

/** The units longer than a minute, each with its length in seconds. */
const LONG_UNITS = [
  ['day', 86_400],
  ['hour', 3600],
] as const;

/**
 * Formats a duration in whole days, hours or minutes, rounded up: `30 days`. Uses the largest unit of which the duration has at least two.
 */
export function formatDuration(seconds: number, language: Language): string {
  const [unit, length] = LONG_UNITS.find(([, length]) => seconds >= 2 * length) ?? ['minute', 60];
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(Math.max(1, Math.ceil(seconds / length))).replaceAll(' ', '\u00a0');
}

/** Formats a time (seconds since 1970) as its day: `21 novembre 2026`. */
export function formatDate(seconds: number, language: Language): string {
  return write(seconds, language, { dateStyle: 'long' });
}

/** Formats a time (seconds since 1970) as hours and minutes: `14 h 32`. */
export function formatTime(seconds: number, language: Language): string {
  const time = write(seconds, language, { hour: '2-digit', minute: '2-digit' });
  return language === 'fr' ? time.replace(':', '\u00a0h\u00a0') : time;
}

/** Formats a time with its day and time zone, because readers may be in another zone: `21 novembre 2026 à 14 h 32 (UTC+1)`. */
export function formatDateTime(seconds: number, language: Language): string {
  const parts = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset' }).formatToParts(seconds * 1000);
  const zone = parts.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', 'UTC');
  const between = language === 'fr' ? ' à ' : ' at ';
  return `${formatDate(seconds, language)}${between}${formatTime(seconds, language)} (${zone})`;
}

const JUST_NOW: Record<Language, string> = { fr: 'à\u00a0l’instant', en: 'just\u00a0now' };

/**
 * Formats how long ago a time was (`il y a 5 minutes`, `hier`). If it was a week ago or more, formats its day. Times are seconds since
 * 1970.
 */
export function formatAgo(seconds: number, language: Language, now = Date.now() / 1000): string {
  const past = now - seconds;
  const days = Math.round((startOfDay(now) - startOfDay(seconds)) / 86_400);
  if (days >= 7) return formatDate(seconds, language);
  if (past < 60) return JUST_NOW[language];
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const ago = (count: number, unit: 'minute' | 'hour' | 'day') => format.format(-count, unit).replaceAll(' ', '\u00a0');
  if (past < 3600) return ago(Math.floor(past / 60), 'minute');
  if (past < 86_400) return ago(Math.floor(past / 3600), 'hour');
  return ago(days, 'day');
}

/** Returns the last midnight before a time, in the time zone of the service. The time and the result are seconds since 1970. */
function startOfDay(seconds: number): number {
  return new Date(seconds * 1000).setHours(0, 0, 0, 0) / 1000;
}

function write(seconds: number, language: Language, format: Intl.DateTimeFormatOptions): string {
  const order = language === 'en' ? 'en-GB' : language;
  return new Intl.DateTimeFormat(order, format).format(seconds * 1000).replaceAll(' ', '\u00a0');
}
