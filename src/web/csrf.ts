// Owns the proof that a form was sent by a page of ours, in the browser that was shown it (SEC-32).
// Does not own the session the token lives in: that is express-session's.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type {} from 'express-session';

declare module 'express-session' {
  interface SessionData {
    csrf?: string;
  }
}

/** Name of the hidden field that carries the token. */
export const TOKEN_FIELD = 'csrf';

/** The browser's token; made when it has none yet. */
export function tokenOf(session: { csrf?: string }): string {
  session.csrf ??= randomBytes(24).toString('base64url');
  return session.csrf;
}

/** Whether the form carries the browser's token; compared in constant time. */
export function isOwnToken(session: { csrf?: string }, sent: string | undefined): boolean {
  if (session.csrf === undefined || sent === undefined) return false;
  const expected = Buffer.from(session.csrf);
  const actual = Buffer.from(sent);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/**
 * Whether the browser itself says that the form comes from elsewhere. Browsers that send neither header, and those that
 * hide the origin (`null`, which our own Referrer-Policy makes them send), are left to the token.
 */
export function isForeignPost(req: IncomingMessage, ownOrigin: string): boolean {
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = req.headers;
  return origin !== undefined && origin !== 'null' && origin !== ownOrigin;
}
