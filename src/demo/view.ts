// The values that every page of the demo needs: language, addresses and the signed-in person. Also sets the headers of responses.

import type { Request, RequestHandler } from 'express';
import { en, type Messages } from './messages/en.ts';
import { fr } from './messages/fr.ts';
import { demoPaths } from './paths.ts';

export const LANGUAGES = { fr, en } as const;
type Language = keyof typeof LANGUAGES;

const LANGUAGE_COOKIE = 'mirabelle.language';

export interface View {
  messages: Messages;
  language: Language;
  issuer: string;
  /** Formats a time (milliseconds since 1970) in the language of the page. */
  moment(time: number): string;
  /** Address of the same page in another language. */
  inLanguage(language: Language): string;
  /**
   * Returns the address of a page. `page` is the path of a page of the demo below `/demo/`, or begins with `/` and is a path below
   * `{issuer}`.
   */
  to(page: string, query?: Record<string, string | undefined>): string;
  /** Name of the signed-in person. Undefined if nobody is signed in. */
  person: string | undefined;
}

/** Makes the view for a request. `issuer` may have a path: the demo of `https://example/auth` is at `https://example/auth/demo/`. */
export function viewOf(request: Request, issuer: string): View {
  const language = languageOf(request);
  const root = new URL(issuer).pathname.replace(/\/$/, '');
  const to: View['to'] = (page, query = {}) => {
    const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
    const path = page.startsWith('/') ? page : `${demoPaths.start}${page}`;
    return root + path + (given.length ? `?${new URLSearchParams(given)}` : '');
  };
  return {
    issuer,
    messages: LANGUAGES[language],
    language,
    moment: (time) => momentIn(LANGUAGES[language].moment, time),
    to,
    inLanguage: (other) => to(...otherLanguageOf(request, other)),
    person: request.session?.demoPerson?.claims.name as string | undefined,
  };
}

/**
 * Returns the page to which the language switch leads: the same page in another language. After a form or a callback, the switch leads to
 * the first page, because such a request must not be sent again.
 */
function otherLanguageOf({ method, path, query }: Request, lang: Language): Parameters<View['to']> {
  const page = demoPaths.base + path;
  if (method !== 'GET' || page === demoPaths.callback) return [demoPaths.start, { lang }];
  // The page of the steps shows the access token, and responses are compressed. So nothing from the query may appear on this page: with
  // links that put guesses into the query, an attacker could find out the token from the sizes of the responses (BREACH).
  if (page === `${demoPaths.start}steps`) return [page, { lang }];
  return [page, { ...(query as Record<string, string>), lang }];
}

/** Formats a time like `21 novembre 2026 à 14 h 32 (UTC+1)`, as the pages of the service do. */
function momentIn({ locale, between, hours }: Messages['moment'], time: number): string {
  const write = (options: Intl.DateTimeFormatOptions, of = locale) => new Intl.DateTimeFormat(of, options).format(time);
  const [, zone = ''] = /GMT(\S*)$/.exec(write({ timeZoneName: 'shortOffset' }, 'en')) ?? [];
  const clock = write({ hour: '2-digit', minute: '2-digit' }).replace(':', hours);
  return `${write({ dateStyle: 'long' })}${between}${clock} (UTC${zone})`;
}

function isLanguage(value: unknown): value is Language {
  return typeof value === 'string' && Object.hasOwn(LANGUAGES, value);
}

/** Returns the language that the query names, or else the one that was chosen earlier, or else the language of the browser. */
function languageOf(request: Request): Language {
  if (isLanguage(request.query['lang'])) return request.query['lang'];
  const chosen = request.headers.cookie?.match(/(?:^|;\s*)mirabelle\.language=(\w+)/)?.[1];
  if (isLanguage(chosen)) return chosen;
  const preferred = request.acceptsLanguages(...Object.keys(LANGUAGES));
  return isLanguage(preferred) ? preferred : 'en';
}

/** Stores in a cookie the language that `?lang=` names. */
export function rememberLanguage(base: URL): RequestHandler {
  return (request, response, next) => {
    if (isLanguage(request.query['lang'])) {
      response.cookie(LANGUAGE_COOKIE, request.query['lang'], { path: base.pathname, sameSite: 'lax', httpOnly: true });
    }
    next();
  };
}

const SECURITY_HEADERS = {
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

/**
 * Sets the security headers of a page. The page may load style sheets and pictures of the demo only and, with `script`, its scripts. No
 * frame may show the page. `form-action` lists the origin of the service, because Chromium applies it to every redirect after a form, and
 * the forms for signing in and out redirect to the service.
 */
export function pageHeaders(issuer: string, { script = false } = {}): RequestHandler {
  const form = `form-action 'self' ${new URL(issuer).origin}`;
  const pages = `default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; ${form}`;
  const policy = script ? `${pages}; script-src 'self'; connect-src 'self'` : pages;
  return (_request, response, next) => {
    response.set({ ...SECURITY_HEADERS, 'Content-Security-Policy': policy });
    next();
  };
}
