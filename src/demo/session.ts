// The demo's own session (step 6 of the login sequence): its cookie and its content.

import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import session, { type Store } from 'express-session';
import type { LogoutToken } from './logout-token.ts';
import type { SignedIn, SignInUnderway } from './relying-party.ts';

export const sessionCookie = 'mirabelle.session';

/** The signed-in person, and the messages of the six steps that led there. */
export interface DemoPerson extends SignedIn {
  /** Messages by step, the first step first. */
  steps: string[][];
  /** True if the demo had seen this uuid before. */
  returning: boolean;
}

/** The logout token by which the service ended the person's session. */
export interface Ending extends LogoutToken {
  /** The request that brought it, to be shown. */
  request: string;
  /** Milliseconds since the epoch. */
  at: number;
}

declare module 'express-session' {
  interface SessionData {
    demoSignIn: SignInUnderway & { returnTo?: string | undefined };
    demoPerson: DemoPerson;
    /** The end of the sign-in, instead of the person. */
    demoEnding: Ending;
    /** The last search that found something, below `/demo/`: the way back from a record. */
    demoSearch: string;
    /** The `state` of a sign-out that the person began here, until the service sends the browser back. */
    demoSignOut: string;
    /** Both sessions are over. Shown once. */
    demoSignedOut: true;
  }
}

/**
 * Sessions live in this process and end with it, which is enough for a demo. Your application keeps them in a store. SameSite=Lax sends the
 * cookie with the redirect from the service, but not with a form posted from elsewhere.
 */
export function demoSession(base: URL, store: Store): RequestHandler {
  return session({
    name: sessionCookie,
    secret: randomBytes(32).toString('base64url'),
    resave: false,
    saveUninitialized: false,
    store,
    cookie: { path: base.pathname, httpOnly: true, sameSite: 'lax', secure: base.protocol === 'https:' },
  });
}

/**
 * Starts a new session with a new id, so that an id planted before a sign-in is worthless afterwards. The content of the old session is
 * lost.
 */
export function renewSession(request: Request): Promise<void> {
  return new Promise((resolve, reject) => request.session.regenerate((error) => (error ? reject(error) : resolve())));
}
