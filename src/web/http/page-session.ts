// Browser sessions of the sign-in and account pages, by express-session. Each kind has its own cookie and path (SEC-33).

import type { Request, RequestHandler, Response } from 'express';
import session, { type Store } from 'express-session';
import type { Site } from '#web/site.ts';
import { cookieName } from './cookies.ts';

/**
 * Makes a function that returns session middleware for a cookie name and a path below the issuer. A session is not stored before it holds
 * data. The first of `keys` signs the cookie; all of them verify it. `lifetime` is in seconds. Each middleware opens a store of its own
 * (`openStore`). They could not share one, because express-session makes the store give all new sessions the same cookie options.
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
        // express-session opens no session if the address does not begin with the path of the cookie. Here this means that the two differ
        // in upper and lower case: Express ignores this difference, but browsers would not send the cookie. Such an address is treated as
        // unknown.
        next(req.session ? undefined : 'router');
      });
    };
  };
}

// Makes redirects wait until the session is stored. If a response has a body, express-session sends the head of the response before it has
// stored the session, so a browser that follows the redirect at once would not find the data for the next page. A response without a body
// waits. Express's own method is replaced, because some forty pages redirect, and one of them would forget to call a special function.
function redirectOnceStored(res: Response): void {
  res.redirect = (...given: (number | string)[]) => {
    const status = given.find((part) => typeof part === 'number') ?? 302;
    const address = given.find((part) => typeof part === 'string') ?? '';
    res.status(status).location(address).end();
  };
}

/** Gives the session a new id. If an attacker has planted an id before the sign-in, that id is worthless afterwards (SEC-33). */
export async function renewSession(req: Request): Promise<void> {
  await new Promise<void>((done, fail) => {
    req.session.regenerate((error: unknown) => (error ? fail(error) : done()));
  });
}
