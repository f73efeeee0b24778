// The language of a page, and how the choice of another one is kept. `dates.ts` writes dates and times in it.

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

function queryOf(req: IncomingMessage): URLSearchParams {
  // Inside an Express router `url` is shortened; `originalUrl` is what the browser requested. The query is the same.
  const start = (req.url ?? '').indexOf('?');
  return new URLSearchParams(start < 0 ? '' : (req.url ?? '').slice(start));
}

function cookieOf(req: IncomingMessage): string | undefined {
  return COOKIE.exec(req.headers.cookie ?? '')?.[1]?.trim();
}

/** The supported language that a tag stands for by its primary subtag: `fr` for `fr-CA`. */
function supported(tag: string | undefined): Language | undefined {
  const primary = tag?.split('-', 1)[0]?.toLowerCase();
  return LANGUAGES.find((language) => language === primary);
}
