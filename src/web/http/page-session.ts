// Browser sessions of the sign-in and account pages, by express-session. Each has its own cookie and path (SEC-33).

import type { Request, RequestHandler, Response } from 'express';
import session, { type Store } from 'express-session';
import type { Site } from '#web/site.ts';
import { cookieName } from './cookies.ts';

/**
 * Makes session middleware for a cookie and the path below the issuer to which it is sent. A session is stored once it holds something. The
 * first of `keys` signs the cookie, all verify; `lifetime` is in seconds. `openStore` is called for each one, because express-session
 * writes into its store how new sessions are made, including the cookie.
 */
export function pageSessions(site: Site, openStore: () => Store, keys: readonly string[], lifetime: number) {
  return (name: string, below: string): RequestHandler => {
    const path = `${site.base}${below}`;
    const open = session({
      name: cookieName(name, { secure: site.secure, path }),
      secret: [...keys],
      store: openStore(),
      resave: false,
      saveUninitialized: false,
      cookie: {
        path,
        httpOnly: true,
        sameSite: 'lax',
        secure: site.secure,
        maxAge: lifetime * 1000,
      },
    });
    return (req, res, next) => {
      redirectOnceStored(res);
      open(req, res, (error?: unknown) => {
        if (error) return next(error);
        // Express ignores case in paths, but browsers send the cookie only where the case is right. An address in another case is unknown.
        next(req.session ? undefined : 'router');
      });
    };
  };
}

// express-session sends the head of a response with a body before it stores the session, so a browser that follows a redirect at once would
// not find the data for the next page. A response without a body waits. Express's own method is replaced for these requests, because a
// function of ours beside it would be forgotten on one of some forty pages.
function redirectOnceStored(res: Response): void {
  res.redirect = (...given: (number | string)[]) => {
    const status = given.find((part) => typeof part === 'number') ?? 302;
    const address = given.find((part) => typeof part === 'string') ?? '';
    res.status(status).location(address).end();
  };
}

/** A new session id, so that one planted before a sign-in is worth nothing after it (SEC-33). */
export async function renewSession(req: Request): Promise<void> {
  await new Promise<void>((done, fail) => {
    req.session.regenerate((error: unknown) => (error ? fail(error) : done()));
  });
}
