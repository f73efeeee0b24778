// Protection against cross-site request forgery (SEC-32). Each form has a token that only the browser's own pages know. The headers that
// browsers send with a form are checked too.

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

/** Tokens that a form may have. New forms get the first one. */
export type CsrfTokens = readonly [string, ...string[]];

/** Returns the token of a session. Creates it if there is none. */
export function tokensOfSession(session: { csrf?: string }): CsrfTokens {
  session.csrf ??= randomBytes(TOKEN_BYTES).toString('base64url');
  return [session.csrf];
}

/**
 * Derives tokens from a browser's own cookie (HMAC-SHA256 of its id), so that nothing must be stored for them. There is one token for each
 * of `keys`.
 */
export function derivedTokens([first = '', ...others]: readonly string[]): (id: string) => CsrfTokens {
  return (id) => {
    const token = (key: string) =>
      createHmac('sha256', key).update(`csrf ${id}`).digest().subarray(0, TOKEN_BYTES).toString('base64url');
    return [token(first), ...others.map(token)];
  };
}

/** The hidden field with the token, for every form. The token is masked, so that no two pages contain the same text (decision 83). */
export function csrfField(token: string): Html {
  return html`<input type="hidden" name="${TOKEN_FIELD}" value="${masked(token)}">`;
}

// Masks a token. Pages are compressed, and their length reveals repetitions. If a secret were the same in many responses, an attacker who
// puts guesses into the page could find it letter by letter (BREACH).
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

/** Checks in constant time whether a form has one of the tokens. */
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
 * Passes `CrossSiteForm` on if the browser reports that the form comes from another site. Some browsers send neither header, or hide the
 * origin (`null`, because of our own Referrer-Policy). For these, only the token decides.
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
