// Protection against cross-site request forgery: a token that the browser's own pages alone carry, in each form, and the headers
// that browsers send with a form (SEC-32).

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

/** Tokens that a form may carry; the first one is put into new forms. */
export type CsrfTokens = readonly [string, ...string[]];

/** The token of a session; made when it has none yet. */
export function tokensOfSession(session: { csrf?: string }): CsrfTokens {
  session.csrf ??= randomBytes(TOKEN_BYTES).toString('base64url');
  return [session.csrf];
}

/**
 * Makes tokens for what one browser holds by a cookie of its own (HMAC-SHA256 of its id): nothing has to be kept for them. One
 * for each of `keys`.
 */
export function derivedTokens([first = '', ...others]: readonly string[]): (id: string) => CsrfTokens {
  return (id) => {
    const token = (key: string) =>
      createHmac('sha256', key).update(`csrf ${id}`).digest().subarray(0, TOKEN_BYTES).toString('base64url');
    return [token(first), ...others.map(token)];
  };
}

/** The hidden field with the token, for every form: masked, so that no two pages hold the same (decision 83). */
export function csrfField(token: string): Html {
  return html`<input type="hidden" name="${TOKEN_FIELD}" value="${masked(token)}">`;
}

// Pages are compressed, and their length reveals what repeats in them. An attacker with guesses on the same page could find a secret letter by
// letter, if it had the same form in many responses (BREACH).
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

/** Whether a form carries one of the tokens; compared in constant time. */
export function isValidToken(tokens: CsrfTokens, sent = ''): boolean {
  const actual = unmasked(sent);
  return tokens
    .map((token) => Buffer.from(token, 'base64url'))
    .some((token) => token.length === actual.length && timingSafeEqual(token, actual));
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
  return (req, _res, next) => {
    next(isCrossSite(req, ownOrigin) ? new CrossSiteForm('the form was posted by another site') : undefined);
  };
}

/** Whether the browser reports that a form was posted by a page of another site. */
export function isCrossSite({ headers }: IncomingMessage, ownOrigin: string): boolean {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  if (site === undefined) return origin !== undefined && origin !== 'null' && origin !== ownOrigin;
  return site !== 'same-origin' && site !== 'none';
}
