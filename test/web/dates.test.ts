// How pages and mails write dates, times and lengths of time in both languages.

import { describe, expect, it } from '@jest/globals';
import { formatAgo, formatDate, formatDateTime, formatDuration, formatMinutes, formatTime } from '#web/dates.ts';

describe('dates and times', () => {
  it('says lengths of time in words', () => {
    expect(formatMinutes(1, 'fr')).toBe('1\u00a0minute');
    expect(formatMinutes(661, 'fr')).toBe('12\u00a0minutes');
    expect(formatMinutes(61, 'en')).toBe('2\u00a0minutes');
    expect(formatDuration(30 * 86_400, 'fr')).toBe('30\u00a0jours');
    expect(formatDuration(86_400, 'en')).toBe('24\u00a0hours');
    expect(formatDuration(5401, 'fr')).toBe('91\u00a0minutes');
    const limits = [0, 60, 61, 7199, 7200, 7201, 172_799, 172_800, 172_801];
    expect(limits.map((seconds) => formatDuration(seconds, 'en').replace('\u00a0', ' '))).toEqual([
      ...['1 minute', '1 minute', '2 minutes', '120 minutes', '2 hours', '3 hours', '48 hours', '2 days', '3 days'],
    ]);
    expect([0, 60].map((seconds) => formatMinutes(seconds, 'en'))).toEqual(['1\u00a0minute', '1\u00a0minute']);
  });

  it('writes days and times in one format, with the zone where it matters', () => {
    const noon = Date.UTC(2026, 10, 1, 12, 5) / 1000;
    expect(formatDate(noon, 'fr')).toBe('1\u00a0novembre\u00a02026');
    expect(formatDate(noon, 'en')).toBe('1\u00a0November\u00a02026');
    expect(formatTime(noon, 'fr')).toMatch(/^\d\d\u00a0h\u00a005$/);
    expect(formatTime(noon, 'en')).toMatch(/^\d\d:05$/);
    expect(formatDateTime(noon, 'fr')).toMatch(
      /^1\u00a0novembre\u00a02026 à \d\d\u00a0h\u00a005 \(UTC([+-][\d:]+)?\)$/,
    );
    expect(formatDateTime(noon, 'en')).toMatch(/^1\u00a0November\u00a02026 at \d\d:05 \(UTC([+-][\d:]+)?\)$/);
  });
});

describe('how long ago', () => {
  /** Noon, in the time zone of the service. */
  const NOW = new Date(2026, 10, 25, 12, 0, 0).getTime() / 1000;
  it.each([
    [0, 'à l’instant', 'just now'],
    [59, 'à l’instant', 'just now'],
    [60, 'il y a 1 minute', '1 minute ago'],
    [61, 'il y a 1 minute', '1 minute ago'],
    [119, 'il y a 1 minute', '1 minute ago'],
    [3599, 'il y a 59 minutes', '59 minutes ago'],
    [3600, 'il y a 1 heure', '1 hour ago'],
    [23 * 3600, 'il y a 23 heures', '23 hours ago'],
    [86_399, 'il y a 23 heures', '23 hours ago'],
    [86_400, 'hier', 'yesterday'],
    [25 * 3600, 'hier', 'yesterday'],
    // After midnight of the day before yesterday.
    [47 * 3600, 'avant-hier', '2 days ago'],
    [6 * 86_400, 'il y a 6 jours', '6 days ago'],
    [7 * 86_400, '18 novembre 2026', '18 November 2026'],
    // A clock of another instance that is a little ahead.
    [-5, 'à l’instant', 'just now'],
  ] as const)('%i seconds', (seconds, french, english) => {
    expect([formatAgo(NOW - seconds, 'fr', NOW), formatAgo(NOW - seconds, 'en', NOW)]).toEqual(
      [french, english].map((text) => text.replaceAll(' ', '\u00a0')),
    );
  });
});
