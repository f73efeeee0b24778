// Protection against cross-site request forgery: a token in the session and in each form, and the headers that browsers
// send with a form (SEC-32).

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import type {} from 'express-session';
import { type Html, html } from './html.ts';

declare module 'express-session' {
  interface SessionData {
    csrf?: string;
  }
}

/** Name of the hidden field that carries the token. */
export const TOKEN_FIELD = 'csrf';

/** The browser's token; made when it has none yet. */
export function csrfToken(session: { csrf?: string }): string {
  session.csrf ??= randomBytes(24).toString('base64url');
  return session.csrf;
}

/** The hidden field with the token, for every form. */
export function csrfField(token: string): Html {
  return html`<input type="hidden" name="${TOKEN_FIELD}" value="${token}">`;
}

/** Whether a form carries the browser's token; compared in constant time. */
export function isValidToken(session: { csrf?: string }, sent: string | undefined): boolean {
  if (session.csrf === undefined || sent === undefined) return false;
  const expected = Buffer.from(session.csrf);
  const actual = Buffer.from(sent);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** A form was posted by a page of another site. */
export class CrossSiteForm extends Error {
  readonly status = 403;
}

/**
 * Passes `CrossSiteForm` on where the browser reports that a form comes from elsewhere. Browsers that send neither
 * header, and those that hide the origin (`null`, which our own Referrer-Policy makes them send), are left to the token.
 */
export function refuseCrossSite(ownOrigin: string): RequestHandler {
  return ({ headers }, _res, next) => {
    const site = headers['sec-fetch-site'];
    const { origin } = headers;
    const foreign =
      site === undefined
        ? origin !== undefined && origin !== 'null' && origin !== ownOrigin
        : site !== 'same-origin' && site !== 'none';
    next(foreign ? new CrossSiteForm('the form was posted by another site') : undefined);
  };
}
