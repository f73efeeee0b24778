// The language of a page, how a choice of another one is kept, and how times and dates are written in it.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import Negotiator from 'negotiator';
import { COOKIES, cookieName, writeCookie } from './http/cookies.ts';

export const LANGUAGES = ['fr', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Query parameter of the language switch. */
const LANGUAGE_PARAMETER = 'lang';
/** The cookie of the choice, under each of its names. A planted one changes only the language. */
const COOKIE = new RegExp(`(?:^|;)\\s*(?:__Host-|__Secure-)?${COOKIES.language}=([^;]*)`);

export const DEFAULT_LANGUAGE: Language = 'fr';

/**
 * The language of a response, from the first available source: the parameter of the switch, the choice in the cookie, `ui_locales` (OpenID
 * Connect Core 3.1.2.1; from `uiLocales`, which may be the person's own choice for their account, or from the query), Accept-Language (RFC
 * 9110 12.5.4). French is the default.
 */
export function languageOf(req: IncomingMessage, uiLocales?: string): Language {
  return (
    chosenLanguage(req) ??
    supported(cookieOf(req)) ??
    (uiLocales ?? queryOf(req).get('ui_locales') ?? '').split(' ').map(supported).find(Boolean) ??
    supported(new Negotiator(req).language([...LANGUAGES])) ??
    DEFAULT_LANGUAGE
  );
}

/** The language that the person has just chosen with the switch, if any. */
function chosenLanguage(req: IncomingMessage): Language | undefined {
  return supported(queryOf(req).get(LANGUAGE_PARAMETER) ?? undefined);
}

/** Address of a page in another language, for the switch. */
export type LanguageLink = (language: Language) => string;

/** Links to the page that was requested, its other parameters kept. */
export function languageLink(req: IncomingMessage): LanguageLink {
  return (language) => {
    const query = queryOf(req);
    query.set(LANGUAGE_PARAMETER, language);
    return `?${query}`;
  };
}

/** Links to the page at a path. */
export function languageLinkTo(path: string): LanguageLink {
  return (language) => `${path}?${LANGUAGE_PARAMETER}=${language}`;
}

/** Seconds that a choice is kept: long enough for one sign-in, but not for the next person's at a shared computer. */
const CHOICE_LIFETIME = 1800;

/** Keeps the choice that the person has just made with the switch, if any, on all pages for the rest of a sign-in. */
export function rememberLanguage(site: { base: string; secure: boolean }): RequestHandler {
  return (req, res, next) => {
    keepLanguage(req, res, site);
    next();
  };
}

/** Keeps the choice for the pages of the OpenID provider, which are no Express routes. */
export function keepLanguage(req: IncomingMessage, res: ServerResponse, site: { base: string; secure: boolean }): void {
  const choice = chosenLanguage(req);
  if (choice) writeLanguage(res, site, choice);
}

/** Stores a choice in place of the earlier one; undefined deletes it. */
export function writeLanguage(
  res: ServerResponse,
  site: { base: string; secure: boolean },
  choice: Language | undefined,
): void {
  const path = `${site.base}/`;
  const reach = { secure: site.secure, path };
  const cookie = `${cookieName(COOKIES.language, reach)}=${choice ?? ''}`;
  writeCookie(res, cookie, { ...reach, seconds: choice ? CHOICE_LIFETIME : 0 });
}

/** A length of time in whole minutes and never less than one: `12 minutes`. */
export function formatMinutes(seconds: number, language: Language): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  const unit = new Intl.NumberFormat(language, { style: 'unit', unit: 'minute', unitDisplay: 'long' });
  return unit.format(minutes).replaceAll(' ', '\u00a0');
}

/** A length of time in the largest unit that gives two or more, rounded up: `30 days`. */
export function formatDuration(seconds: number, language: Language): string {
  const [unit, length] =
    seconds >= 2 * 86_400 ? ['day', 86_400] : seconds >= 2 * 3600 ? ['hour', 3600] : ['minute', 60];
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(Math.max(1, Math.ceil(seconds / length))).replaceAll(' ', '\u00a0');
}

/** The day of a second since the epoch, as every page and mail writes it: `21 novembre 2026`. */
export function formatDate(seconds: number, language: Language): string {
  return write(seconds, language, { dateStyle: 'long' });
}

/** The time of day of a second since the epoch, `14 h 32`, in the time zone of the service (`branding.timeZone`). */
export function formatTime(seconds: number, language: Language): string {
  const time = write(seconds, language, { hour: '2-digit', minute: '2-digit' });
  return language === 'fr' ? time.replace(':', '\u00a0h\u00a0') : time;
}

/** Day and time with the zone, where a reader may be elsewhere: `21 novembre 2026 à 14 h 32 (UTC+1)`. */
export function formatDateTime(seconds: number, language: Language): string {
  const parts = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset' }).formatToParts(seconds * 1000);
  const zone = parts.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', 'UTC');
  const between = language === 'fr' ? ' à ' : ' at ';
  return `${formatDate(seconds, language)}${between}${formatTime(seconds, language)} (${zone})`;
}

const JUST_NOW: Record<Language, string> = { fr: 'à\u00a0l’instant', en: 'just\u00a0now' };

/** How long ago a second of the last week was, `il y a 5 minutes`, `hier`; the day of an earlier one. */
export function formatAgo(seconds: number, language: Language, now = Date.now() / 1000): string {
  const past = now - seconds;
  const days = Math.round((startOfDay(now) - startOfDay(seconds)) / 86_400);
  if (days >= 7) return formatDate(seconds, language);
  if (past < 60) return JUST_NOW[language];
  const [unit, count] =
    past < 3600
      ? (['minute', Math.floor(past / 60)] as const)
      : past < 86_400
        ? (['hour', Math.floor(past / 3600)] as const)
        : (['day', days] as const);
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-count, unit).replaceAll(' ', '\u00a0');
}

/** Midnight of the service's time zone. */
function startOfDay(seconds: number): number {
  return new Date(seconds * 1000).setHours(0, 0, 0, 0) / 1000;
}

function write(seconds: number, language: Language, format: Intl.DateTimeFormatOptions): string {
  const order = language === 'en' ? 'en-GB' : language;
  return new Intl.DateTimeFormat(order, format).format(seconds * 1000).replaceAll(' ', '\u00a0');
}

function queryOf(req: IncomingMessage): URLSearchParams {
  // Inside an Express router `url` is shortened; `originalUrl` is what the browser requested. The query is the same.
  const start = (req.url ?? '').indexOf('?');
  return new URLSearchParams(start < 0 ? '' : (req.url ?? '').slice(start));
}

function cookieOf(req: IncomingMessage): string | undefined {
  return COOKIE.exec(req.headers.cookie ?? '')?.[1]?.trim();
}

/** A tag stands for the supported language of its primary subtag: `fr-CA` for French. */
function supported(tag: string | undefined): Language | undefined {
  const primary = tag?.split('-', 1)[0]?.toLowerCase();
  return LANGUAGES.find((language) => language === primary);
}
