// Protection against cross-site request forgery (SEC-32). Each form has a token that other sites cannot know. In addition, the headers that
// browsers send with a form are checked.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type {} from 'express-session';
import { type Html, html } from '#web/html.ts';

declare module 'express-session' {
  interface SessionData {
    csrf?: string;
  }
}

/** Name of the hidden field that carries the token. */
export const TOKEN_FIELD = 'csrf';

const TOKEN_BYTES = 24;

/** The tokens that are valid in a posted form. New forms get the first of them. */
export type CsrfTokens = readonly [string, ...string[]];

/** Returns the tokens of a session: a list of one token, which is created at the first call. */
export function tokensOfSession(session: { csrf?: string }): CsrfTokens {
  session.csrf ??= randomBytes(TOKEN_BYTES).toString('base64url');
  return [session.csrf];
}

/**
 * Returns a function that derives tokens from the id in a browser's cookie (HMAC-SHA256), so that no token must be stored. It returns one
 * token for each of `keys`, so a form stays valid when a new key becomes the first.
 */
export function derivedTokens([first = '', ...others]: readonly string[]): (id: string) => CsrfTokens {
  return (id) => {
    const token = (key: string) =>
      createHmac('sha256', key).update(`csrf ${id}`).digest().subarray(0, TOKEN_BYTES).toString('base64url');
    return [token(first), ...others.map(token)];
  };
}

/**
 * Returns the hidden field with the token, which every form must contain. The token is masked, so that no two pages contain the same text
 * (decision 83).
 */
export function csrfField(token: string): Html {
  return html`<input type="hidden" name="${TOKEN_FIELD}" value="${masked(token)}">`;
}

// Masks a token, so that it looks different in each page. Pages are compressed, so their length reveals repetitions. If a secret were the
// same in many responses, an attacker who can put guesses into the page could find it letter by letter (BREACH).
function masked(token: string): string {
  const bytes = Buffer.from(token, 'base64url');
  const mask = randomBytes(bytes.length);
  return Buffer.concat([mask, xor(bytes, mask)]).toString('base64url');
}

function unmasked(sent: string): Buffer {
  const bytes = Buffer.from(sent, 'base64url');
  const half = bytes.length / 2;
  return xor(bytes.subarray(half), bytes.subarray(0, half));
}

function xor(bytes: Buffer, mask: Buffer): Buffer {
  return bytes.map((byte, index) => byte ^ (mask[index] ?? 0)) as Buffer;
}

/** Checks in constant time whether `sent`, the field of a posted form, contains one of the tokens. */
export function isValidToken(tokens: CsrfTokens, sent = ''): boolean {
  const actual = unmasked(sent);
  return tokens
    .map((token) => Buffer.from(token, 'base64url'))
    .some((token) => token.length === actual.length && timingSafeEqual(token, actual));
}

/** Thrown for a form that a page of another site has posted. */
export class CrossSiteForm extends Error {
  readonly status = 403;
}

/**
 * Makes middleware that passes `CrossSiteForm` on if the browser reports that the form comes from another site. Some browsers send neither
 * Sec-Fetch-Site nor Origin, or hide the origin (`null`, because of the service's own Referrer-Policy). For these browsers, only the token
 * decides.
 */
export function refuseCrossSite(ownOrigin: string): RequestHandler {
  return (req, _res, next) => {
    next(isCrossSite(req, ownOrigin) ? new CrossSiteForm('the form was posted by another site') : undefined);
  };
}

/** Checks whether the browser reports that a page of another site posted the form. */
export function isCrossSite({ headers }: IncomingMessage, ownOrigin: string): boolean {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  if (site === undefined) return origin !== undefined && origin !== 'null' && origin !== ownOrigin;
  return site !== 'same-origin' && site !== 'none';
}
