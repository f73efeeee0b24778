// Owns the cookie of the sessions that our own pages keep (SEC-33): for one room each, and sent to nowhere else.
// Does not own what is kept there, nor where (`src/store/accounts/page-sessions.ts`).

import type { RequestHandler, Response } from 'express';
import session, { type SessionData, type Store } from 'express-session';
import type { Site } from './site.ts';

/**
 * Makes the session of a room's pages, given the name of its cookie and the path below the issuer that it is sent to. It is
 * stored once there is something to keep. The first of `keys` signs the cookie, all of them count; `lifetime` in seconds.
 */
export function pageSessions(site: Site, store: Store, keys: readonly string[], lifetime: number) {
  return (name: string, path: string): RequestHandler => {
    const open = session({
      name,
      secret: [...keys],
      store: new RoomStore(store),
      resave: false,
      saveUninitialized: false,
      cookie: {
        path: `${site.base}${path}`,
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
        // Express compares paths without regard to case, browsers send no cookie there: nothing is at such an address.
        next(req.session ? undefined : 'router');
      });
    };
  };
}

// express-session lets the head of an answer with a body go before the session is stored: a browser that follows a redirect at
// once would not meet what was kept for the page that it leads to. An answer without a body waits.
function redirectOnceStored(res: Response): void {
  res.redirect = (...given: (number | string)[]) => {
    const status = given.find((part) => typeof part === 'number') ?? 302;
    const address = given.find((part) => typeof part === 'string') ?? '';
    res.status(status).location(address).end();
  };
}

// express-session writes into its store how new sessions are made, cookie and all: rooms that shared one would give each
// other's cookies.
class RoomStore extends session.Store {
  readonly #store: Store;

  constructor(store: Store) {
    super();
    this.#store = store;
  }

  override get(id: string, done: (error: unknown, session?: SessionData | null) => void): void {
    this.#store.get(id, done);
  }

  override set(id: string, data: SessionData, done?: (error?: unknown) => void): void {
    this.#store.set(id, data, done);
  }

  override destroy(id: string, done?: (error?: unknown) => void): void {
    this.#store.destroy(id, done);
  }

  override touch(id: string, data: SessionData, done?: () => void): void {
    this.#store.touch?.(id, data, done);
  }
}
