// The language of a page, and how the choice of another one is kept.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import {
  formatDate,
  formatDateTime,
  formatDuration,
  formatMinutes,
  formatTime,
  keepLanguage,
  languageLink,
  languageOf,
} from '#web/language.ts';

const request = (url: string, headers: Record<string, string> = {}) => ({ url, headers }) as unknown as IncomingMessage;

describe('language of a page', () => {
  it.each([
    ['nothing said: French', request('/'), undefined, 'fr'],
    ['the browser', request('/', { 'accept-language': 'en-GB,en;q=0.9,fr;q=0.5' }), undefined, 'en'],
    ['the browser, by weight', request('/', { 'accept-language': 'en;q=0.4,fr-CA;q=0.8' }), undefined, 'fr'],
    ['the browser, refused language', request('/', { 'accept-language': 'en;q=0,de' }), undefined, 'fr'],
    ['a language we do not speak: French', request('/', { 'accept-language': 'de,it' }), undefined, 'fr'],
    ['ui_locales beats the browser', request('/', { 'accept-language': 'fr' }), 'de en-US fr', 'en'],
    ['ui_locales of the address', request('/authorize?ui_locales=en', { 'accept-language': 'fr' }), undefined, 'en'],
    ['the kept choice beats ui_locales', request('/', { cookie: 'a=b; hygie_language=fr' }), 'en', 'fr'],
    ['the kept choice over https', request('/', { cookie: 'a=b;__Host-hygie_language=fr' }), 'en', 'fr'],
    ['the switch beats all', request('/?lang=en', { cookie: 'hygie_language=fr' }), 'fr', 'en'],
    ['rubbish is passed over', request('/?lang=xx', { cookie: 'hygie_language=%00' }), '../../etc', 'fr'],
  ] as const)('%s', (_name, req, uiLocales, expected) => {
    expect(languageOf(req, uiLocales)).toBe(expected);
  });

  it('switches on the same page, its other parameters kept', () => {
    const link = languageLink(request('/authorize?client_id=a%26b&lang=fr&state=x'))('en');
    expect(Object.fromEntries(new URLSearchParams(link))).toEqual({ client_id: 'a&b', lang: 'en', state: 'x' });
  });

  it('keeps the choice out of reach of scripts, and over https only where there is https', () => {
    const kept = (url: string, secure: boolean) => {
      const cookies: string[] = [];
      const response = { appendHeader: (_name: string, value: string) => cookies.push(value) };
      keepLanguage(request(url), response as unknown as ServerResponse, { base: '', secure });
      return cookies;
    };
    expect(kept('/?lang=en', false)).toEqual(['hygie_language=en; Path=/; Max-Age=1800; HttpOnly; SameSite=Lax']);
    expect(kept('/?lang=en', true)[0]).toMatch(/^__Host-hygie_language=en; Path=\/; .*; Secure$/);
    expect(kept('/', true)).toEqual([]);
    expect(kept('/?lang=xx%0d%0aa: b', true)).toEqual([]);
  });

  it('says lengths of time in words', () => {
    expect(formatMinutes(1, 'fr')).toBe('1\u00a0minute');
    expect(formatMinutes(661, 'fr')).toBe('12\u00a0minutes');
    expect(formatMinutes(61, 'en')).toBe('2\u00a0minutes');
    expect(formatDuration(30 * 86_400, 'fr')).toBe('30\u00a0jours');
    expect(formatDuration(86_400, 'en')).toBe('24\u00a0hours');
    expect(formatDuration(5401, 'fr')).toBe('91\u00a0minutes');
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
