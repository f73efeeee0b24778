// Owns which language a page speaks: the person's choice, the client's wish, the browser's, then French.
// Does not own the words (`words/`).

import type { IncomingMessage, ServerResponse } from 'node:http';

export const LANGUAGES = ['fr', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Query parameter of the language switch, and the cookie that keeps the choice. */
export const LANGUAGE_PARAMETER = 'lang';
export const LANGUAGE_COOKIE = 'hygie_language';

const DEFAULT_LANGUAGE: Language = 'fr';

/**
 * Language of the answer to a request: the switch's parameter, the choice kept in the cookie, `ui_locales`
 * (OpenID Connect Core 3.1.2.1, from `uiLocales` or the request's query), Accept-Language (RFC 9110 12.5.4), French.
 */
export function languageOf(req: IncomingMessage, uiLocales?: string): Language {
  const query = queryOf(req);
  return (
    chosenLanguage(req) ??
    supported(cookieOf(req)) ??
    firstSupported((uiLocales ?? query.get('ui_locales') ?? '').split(' ')) ??
    firstSupported(acceptedLanguages(req.headers['accept-language'] ?? '')) ??
    DEFAULT_LANGUAGE
  );
}

/** The language that the person has just chosen with the switch, if any. */
function chosenLanguage(req: IncomingMessage): Language | undefined {
  return supported(queryOf(req).get(LANGUAGE_PARAMETER) ?? undefined);
}

/** Relative address of the same page in another language, for the switch. */
export function languageLink(req: IncomingMessage, language: Language): string {
  const query = queryOf(req);
  query.set(LANGUAGE_PARAMETER, language);
  return `?${query}`;
}

/** Seconds that a choice is kept: one sign-in, not the next person's at a shared computer. */
const CHOICE_LIFETIME = 1800;

/** Keeps the choice that the person has just made with the switch, if any, on all pages for the rest of a sign-in. */
export function keepLanguage(req: IncomingMessage, res: ServerResponse, site: { base: string; secure: boolean }): void {
  const choice = chosenLanguage(req);
  if (!choice) return;
  const attributes = [`Path=${site.base}/`, `Max-Age=${CHOICE_LIFETIME}`, 'HttpOnly', 'SameSite=Lax'];
  if (site.secure) attributes.push('Secure');
  res.appendHeader('set-cookie', `${LANGUAGE_COOKIE}=${choice}; ${attributes.join('; ')}`);
}

/** A length of time in words, in whole minutes and never less than one: `12 minutes`. */
export function formatMinutes(seconds: number, language: Language): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  const unit = new Intl.NumberFormat(language, { style: 'unit', unit: 'minute', unitDisplay: 'long' });
  return unit.format(minutes).replaceAll(' ', '\u00a0');
}

/** A length of time in words, in the largest unit of which it has two or more, rounded up: `30 days`. */
export function formatDuration(seconds: number, language: Language): string {
  const [unit, length] =
    seconds >= 2 * 86_400 ? ['day', 86_400] : seconds >= 2 * 3600 ? ['hour', 3600] : ['minute', 60];
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(Math.max(1, Math.ceil(seconds / length))).replaceAll(' ', '\u00a0');
}

/** The day of a second since the epoch: `21 novembre 2026`. */
export function formatDate(seconds: number, language: Language): string {
  const order = language === 'en' ? 'en-GB' : language;
  return new Intl.DateTimeFormat(order, { dateStyle: 'long' }).format(seconds * 1000).replaceAll(' ', '\u00a0');
}

function queryOf(req: IncomingMessage): URLSearchParams {
  // Inside an Express router `url` is shortened; `originalUrl` is what the browser asked for. The query is the same.
  const start = (req.url ?? '').indexOf('?');
  return new URLSearchParams(start < 0 ? '' : (req.url ?? '').slice(start));
}

function cookieOf(req: IncomingMessage): string | undefined {
  const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([name]) => name === LANGUAGE_COOKIE)?.[1];
}

function acceptedLanguages(header: string): string[] {
  return header
    .split(',')
    .slice(0, 20)
    .map((entry) => {
      const [tag = '', ...parameters] = entry.split(';').map((part) => part.trim());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return { tag, weight: weight === undefined ? 1 : Number(weight) || 0 };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
}

function firstSupported(tags: readonly string[]): Language | undefined {
  return tags.map(supported).find((language) => language !== undefined);
}

/** A tag stands for the supported language of its primary subtag: `fr-CA` for French. */
function supported(tag: string | undefined): Language | undefined {
  const primary = tag?.split('-', 1)[0]?.toLowerCase();
  return LANGUAGES.find((language) => language === primary);
}
