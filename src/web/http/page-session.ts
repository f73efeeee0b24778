// Browser sessions of the sign-in and account pages, by express-session. Each kind has its own cookie and path (SEC-33).

import type { Request, RequestHandler, Response } from 'express';
import session, { type Store } from 'express-session';
import type { Site } from '#web/site.ts';
import { cookieName } from './cookies.ts';

/**
 * Makes a function that returns session middleware for a cookie and its path below the issuer. A session is stored as soon as it holds
 * something. The first of `keys` signs the cookie; all of them verify. `lifetime` is in seconds. `openStore` is called for each middleware,
 * because express-session writes the cookie options of new sessions into its store.
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
        // Express ignores case in paths, but browsers send the cookie only if the case is right. So an address in another case is unknown.
        next(req.session ? undefined : 'router');
      });
    };
  };
}

// Makes redirects wait until the session is stored. express-session sends the head of a response with a body before that, so a browser that
// follows the redirect at once would not find the data for the next page. A response without a body waits. This replaces Express's own
// method, because some forty pages redirect and one of them would forget a function of ours.
function redirectOnceStored(res: Response): void {
  res.redirect = (...given: (number | string)[]) => {
    const status = given.find((part) => typeof part === 'number') ?? 302;
    const address = given.find((part) => typeof part === 'string') ?? '';
    res.status(status).location(address).end();
  };
}

/** Gives the session a new id. An id that an attacker planted before the sign-in is worthless afterwards (SEC-33). */
export async function renewSession(req: Request): Promise<void> {
  await new Promise<void>((done, fail) => {
    req.session.regenerate((error: unknown) => (error ? fail(error) : done()));
  });
}
