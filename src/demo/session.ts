// The demo's own session (step 6 of the login sequence): its cookie, its content, and the store in the memory of this process.

import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import session, { type SessionData, type Store } from 'express-session';
import { LRUCache } from 'lru-cache';
import type { LogoutToken } from './logout-token.ts';
import type { SignedIn, SignInUnderway } from './relying-party.ts';

export const sessionCookie = 'mirabelle.session';

/** The signed-in person, and the HTTP messages of the six steps of the sign-in. */
export interface DemoPerson extends SignedIn {
  /** Messages of each step, in the order of the steps. */
  steps: string[][];
  /** True if the demo knew the person's uuid before this sign-in. */
  returning: boolean;
}

/** The end of a session, and the logout token by which the service ended it. */
export interface Ending extends LogoutToken {
  /** The HTTP request with the logout token, formatted for the page. */
  request: string;
  /** Time of the request in milliseconds since 1970. */
  at: number;
}

declare module 'express-session' {
  interface SessionData {
    demoSignIn: SignInUnderway & { returnTo?: string | undefined };
    demoPerson: DemoPerson;
    /** The end of the session. It replaces the person when the service has ended the session. */
    demoEnding: Ending;
    /** The last search that found something, as a path below `/demo/`. The page of a record links back to it. */
    demoSearch: string;
    /** The `state` of a sign-out that has begun. It is kept until the service sends the browser back. */
    demoSignOut: string;
    /** Set when the person has signed out of the demo and of the service. The page that says so removes it. */
    demoSignedOut: true;
  }
}

/**
 * Session middleware. Sessions are kept in the memory of this process and end with it, which is enough for a demo. A real application keeps
 * them in a database. With SameSite=Lax, browsers send the cookie after the redirect from the service, but not with a form of another site.
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

/** Starts a new, empty session with a new id. So an id that an attacker planted before the sign-in is worthless. */
export function renewSession(request: Request): Promise<void> {
  return new Promise((resolve, reject) => request.session.regenerate((error) => (error ? reject(error) : resolve())));
}

/** Maximum number of sessions, which then take about 20 MB of memory. A session is large because it holds the messages of its sign-in. */
const MOST = 1000;
const DAY = 86_400_000;

/**
 * Keeps at most `most` sessions. A further session replaces the one that was not used for the longest time. A session also ends after a day
 * without use.
 */
export class SessionStore extends session.Store {
  readonly #kept: LRUCache<string, string>;
  /**
   * The endings of sessions that the service has ended, by the `sid` of the session. They are kept because a request that is still running
   * may store an ended session again. Then `set` ends it once more.
   */
  readonly #endings: LRUCache<string, Ending>;

  constructor(most = MOST) {
    super();
    // `maxSize` limits the number of entries, because each entry has the size 1. The option `max` would reserve the memory of all entries
    // at once.
    const common = { maxSize: most, sizeCalculation: () => 1, ttl: DAY };
    this.#kept = new LRUCache({ ...common, updateAgeOnGet: true });
    this.#endings = new LRUCache(common);
  }

  get(id: string, callback: (error: unknown, data?: SessionData | null) => void): void {
    const kept = this.#kept.get(id);
    callback(null, kept === undefined ? null : (JSON.parse(kept) as SessionData));
  }

  set(id: string, data: SessionData, callback?: () => void): void {
    const ending = this.#endings.get(String(data.demoPerson?.claims['sid']));
    this.#kept.set(id, JSON.stringify(ending ? ended(data, ending) : data));
    callback?.();
  }

  destroy(id: string, callback?: () => void): void {
    this.#kept.delete(id);
    callback?.();
  }

  /**
   * Ends the sessions that a logout token names, and deletes the tokens in them. With a `sid`, these are the sessions with that `sid`.
   * Without a `sid`, they are all sessions of the person.
   */
  endSignIns(ending: Ending): void {
    const { sub, sid } = ending.claims;
    if (sid !== undefined) this.#endings.set(sid, ending);
    for (const [id, text] of [...this.#kept]) {
      const data = JSON.parse(text) as SessionData;
      const claims = data.demoPerson?.claims;
      if (!claims || (sub !== undefined && claims.sub !== sub) || (sid !== undefined && claims['sid'] !== sid))
        continue;
      this.#kept.set(id, JSON.stringify(ended(data, ending)));
    }
  }
}

function ended({ cookie }: SessionData, demoEnding: Ending): Partial<SessionData> {
  return { cookie, demoEnding };
}
