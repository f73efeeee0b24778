// The language of a page, and the storage of a person's choice. `dates.ts` formats dates and times in that language.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import Negotiator from 'negotiator';
import { COOKIES, cookieName, writeCookie } from './http/cookies.ts';

export const LANGUAGES = ['fr', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Query parameter that the language switch sets. */
const LANGUAGE_PARAMETER = 'lang';
/**
 * Finds the cookie with the chosen language, with or without a prefix. The prefix need not be enforced here, because a planted cookie
 * changes only the language.
 */
const COOKIE = new RegExp(`(?:^|;)\\s*(?:__Host-|__Secure-)?${COOKIES.language}=([^;]*)`);

export const DEFAULT_LANGUAGE: Language = 'fr';

/**
 * Returns the language of a response. The sources, in this order: the parameter of the language switch; the choice in the cookie;
 * `ui_locales` (OpenID Connect Core 3.1.2.1) in `uiLocales` or in the query; Accept-Language (RFC 9110 12.5.4); French. `uiLocales` may
 * also be the language of the account.
 */
export function languageOf(req: IncomingMessage, uiLocales?: string): Language {
  return (
    chosenLanguage(req) ??
    supported(COOKIE.exec(req.headers.cookie ?? '')?.[1]?.trim()) ??
    (uiLocales ?? queryOf(req).get('ui_locales') ?? '').split(' ').map(supported).find(Boolean) ??
    supported(new Negotiator(req).language([...LANGUAGES])) ??
    DEFAULT_LANGUAGE
  );
}

/** Returns the language that the person has just chosen with the switch; undefined if the request comes from no switch. */
function chosenLanguage(req: IncomingMessage): Language | undefined {
  return supported(queryOf(req).get(LANGUAGE_PARAMETER) ?? undefined);
}

/** Makes the address of a page in another language, for the switch. */
export type LanguageLink = (language: Language) => string;

/** Makes a link to the requested page with another language. The link keeps the other parameters of the request. */
export function languageLink(req: IncomingMessage): LanguageLink {
  return (language) => {
    const query = queryOf(req);
    query.set(LANGUAGE_PARAMETER, language);
    return `?${query}`;
  };
}

/** Makes a link to the page at `path` with another language. */
export function languageLinkTo(path: string): LanguageLink {
  return (language) => `${path}?${LANGUAGE_PARAMETER}=${language}`;
}

/**
 * Seconds for which a choice is kept. This is enough for one sign-in, but short enough that the next person at a shared computer does not
 * get the choice.
 */
const CHOICE_LIFETIME = 1800;

/** The path of the issuer, and whether its address is https. */
type Reach = { base: string; secure: boolean };

/** Makes middleware that keeps a language just chosen with the switch, for all further pages of the sign-in. */
export function rememberLanguage(site: Reach): RequestHandler {
  return (req, res, next) => {
    keepLanguage(req, res, site);
    next();
  };
}

/**
 * Keeps a language just chosen with the switch. This function is for pages without the middleware `rememberLanguage`, such as those of the
 * OpenID provider, which are not Express routes.
 */
export function keepLanguage(req: IncomingMessage, res: ServerResponse, site: Reach): void {
  const choice = chosenLanguage(req);
  if (choice) writeLanguage(res, site, choice);
}

/** Stores a choice and replaces the earlier one. With undefined, deletes the choice. */
export function writeLanguage(res: ServerResponse, site: Reach, choice: Language | undefined): void {
  const path = `${site.base}/`;
  const reach = { secure: site.secure, path };
  const cookie = `${cookieName(COOKIES.language, reach)}=${choice ?? ''}`;
  writeCookie(res, cookie, { ...reach, seconds: choice ? CHOICE_LIFETIME : 0 });
}

function queryOf(req: IncomingMessage): URLSearchParams {
  // Inside a router, Express shortens the path of `url`. That does not matter here, because the query stays the one that the browser
  // requested.
  const start = (req.url ?? '').indexOf('?');
  return new URLSearchParams(start < 0 ? '' : (req.url ?? '').slice(start));
}

/**
 * Returns the supported language for a language tag, by the tag's primary subtag: `fr` for `fr-CA`. Returns undefined if the language is
 * not supported.
 */
function supported(tag: string | undefined): Language | undefined {
  const primary = tag?.split('-', 1)[0]?.toLowerCase();
  return LANGUAGES.find((language) => language === primary);
}
