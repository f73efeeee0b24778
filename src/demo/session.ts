// The demo's own session (step 6 of the login sequence): its cookie and what it keeps.

import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import session from 'express-session';
import type { SignedIn, SignInUnderway } from './relying-party.ts';
import { SessionStore } from './session-store.ts';

export const sessionCookie = 'mirabelle.session';

/** The signed-in person, and the messages of the six steps that led there. */
export interface DemoPerson extends SignedIn {
  /** Messages by step, the first step first. */
  steps: string[][];
  /** Whether the demo had seen this uuid before. */
  returning: boolean;
}

declare module 'express-session' {
  interface SessionData {
    demoSignIn: SignInUnderway & { returnTo?: string | undefined };
    demoPerson: DemoPerson;
  }
}

/**
 * Sessions live in this process and end with it: enough for a demo. An application of yours keeps them in a store.
 * SameSite=Lax lets the cookie come back with the redirect from the service, but not with a form posted from elsewhere.
 */
export function demoSession(base: URL): RequestHandler {
  return session({
    name: sessionCookie,
    secret: randomBytes(32).toString('base64url'),
    resave: false,
    saveUninitialized: false,
    store: new SessionStore(),
    cookie: { path: base.pathname, httpOnly: true, sameSite: 'lax', secure: base.protocol === 'https:' },
  });
}

/** A new session id at sign-in, so that an id planted before is worth nothing after. */
export function renewSession(request: Request): Promise<void> {
  return new Promise((resolve, reject) => request.session.regenerate((error) => (error ? reject(error) : resolve())));
}

export function endSession(request: Request): Promise<void> {
  return new Promise((resolve, reject) => request.session.destroy((error) => (error ? reject(error) : resolve())));
}
